import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { WAVE_HEADER } from '@northline/speech/wave-file';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { VoiceRecord } from '../records/voice-records.server.ts';
import { mixTracks, trackFiles, trackNumbers } from './meeting/track-files.server.ts';
import { daysKept, expireRecordings, type NoteDeletion } from './recording-expiry.server.ts';
import { signedRecording, storeRecording } from './recording-object.server.ts';
import { mendStereoFile, partOf, type RecordedPart, secondsOf } from './stereo-file.server.ts';
import {
  findRecording,
  type RecordingFiles,
  recordingFiles,
  refusedForGood,
  removeFiles,
  URL_SECONDS,
  VideoStore,
} from './video-store.server.ts';

/** A file that nobody wrote to or touched for this long has lost its process. */
const STALE_MS = 30_000;
/**
 * How often a process touches its files. A file whose recording was stopped, or that takes long to store, is
 * not written to any more; untouched, another process of this machine would take it for lost.
 */
const TOUCH_MS = 10_000;
/** Files that a crash between storing and removing left behind are removed after this time. */
const LEFT_OVER_MS = 60_000;
const UUID_FILE = /^([\da-f-]{36})(\.\d+)?\.(wav|webm|mp4|mkv)(\.part)?$/;

/** This process, in the form that a row names its writer. */
const THIS_PROCESS = `${os.hostname()} ${process.pid}`;

/** The recordings of an installation: while they are written, in the object store, and until they expire. */
export interface RecordingStore {
  /** Begins a recording and returns the files for it; `video` says whether the picture is recorded too. */
  begin(
    callId: string,
    plan: { readonly days: number | undefined; readonly video: boolean },
  ): Promise<Pick<RecordingFiles, 'sound' | 'picture'>>;
  /**
   * Stores the sound, and the picture once it has been composed; nothing where the call was deleted
   * meanwhile.
   */
  finish(callId: string): Promise<void>;
  /** Stores after how many seconds the picture ended, where the sound was recorded for longer. */
  endPicture(callId: string, seconds: number): Promise<void>;
  /** Deletes a recording, also one that is still being written. */
  discard(callId: string): Promise<void>;
  /**
   * Stores recordings whose process was killed, up to that moment, and continues their videos. Returns the
   * ids of the calls; recordings of meetings are named in the log.
   */
  recover(): Promise<readonly string[]>;
  /** Deletes the recordings that have expired, also those that the store refused. Returns how many. */
  expire(): Promise<number>;
  /** A call's record, with addresses of its recording that work for an hour, where it has one. */
  withAddresses<Shown extends VoiceRecord>(call: Shown): Promise<Shown>;
  /** One part of a recording. @throws ServiceError 404 `no_recording`, 409 `recording_refused` */
  read(callId: string, part: RecordedPart): Promise<{ bytes: number; sound: AsyncIterable<Buffer> }>;
  /**
   * Picture and sound in one file.
   *
   * @throws ServiceError 404 `no_recording`, 409 `recording_pending`, `not_composed`, `recording_refused`
   */
  readVideo(callId: string): ReturnType<VideoStore['read']>;
  /** Stops; the next process makes the videos that are not done yet. */
  close(): Promise<void>;
}

/**
 * Opens the recordings.
 * @trigger private.voice_recordings delete_recording
 * @trigger private.voice_recordings delete_video
 * @trigger private.voice_recordings delete_meeting_recording
 * @trigger storage.objects delete_voice_recording
 * @trigger storage.objects delete_voice_video
 */
export function openRecordingStore(resources: Resources, noteDeletion: NoteDeletion): RecordingStore {
  return new DiskRecordingStore(resources, noteDeletion);
}

class DiskRecordingStore implements RecordingStore {
  readonly #resources: Resources;
  readonly #note: NoteDeletion;
  readonly #folder: string;
  /** The calls whose recordings this process writes or stores. */
  readonly #own = new Set<string>();
  readonly #videos: VideoStore;
  #touching: NodeJS.Timeout | undefined;

  constructor(resources: Resources, note: NoteDeletion) {
    this.#resources = resources;
    this.#note = note;
    this.#folder = path.join(resources.settings.DATA_DIR, 'recordings');
    this.#videos = new VideoStore(resources, this.#folder);
  }

  async begin(
    callId: string,
    { days, video }: { readonly days: number | undefined; readonly video: boolean },
  ): Promise<RecordingFiles> {
    const { database, settings } = this.#resources;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    this.#keep(callId);
    await database.run(
      `insert into private.voice_recordings (call_id, worker, expires_at, video)
       values ($1, $2, now() + make_interval(days => $3), case when $4::boolean then 'recorded' end)`,
      [callId, THIS_PROCESS, daysKept(days, settings), video],
    );
    return recordingFiles(this.#folder, callId);
  }

  async finish(callId: string): Promise<void> {
    try {
      await this.#store(callId);
    } finally {
      this.#own.delete(callId);
    }
  }

  async endPicture(callId: string, seconds: number): Promise<void> {
    await this.#resources.database.run(
      `update private.voice_recordings set picture_seconds = coalesce(picture_seconds, $2) where call_id = $1`,
      [callId, seconds],
    );
  }

  async discard(callId: string): Promise<void> {
    await removeFiles(recordingFiles(this.#folder, callId));
    this.#own.delete(callId);
    await this.#resources.database.transaction(async (queries) => {
      const gone = await queries.run('delete from private.voice_recordings where call_id = $1', [callId]);
      if (gone > 0) await this.#note(queries, callId);
    });
  }

  async recover(): Promise<readonly string[]> {
    const rows = await this.#resources.database.many(
      `select t.call_id, t.worker, t.object_id is not null as sound, t.refused is not null as refused,
              r.kind = 'call' as is_call
         from private.voice_recordings t join private.voice_records r on r.id = t.call_id
        where t.object_id is null or t.video = 'recorded'`,
    );
    const recovered: string[] = [];
    for (const { call_id, worker, sound, refused, is_call } of rows) {
      if (refused === true) continue;
      if (!(await this.#isLost(call_id, worker)) || !(await this.#claim(call_id, worker))) continue;
      if (sound === true) {
        this.#videos.queue(call_id);
        continue;
      }
      this.#keep(call_id);
      // The file is as old as its process's end, and would count as lost again while it is being stored.
      await this.#touch();
      await this.finish(call_id).catch((error: unknown) =>
        this.#resources.log.error({ err: error }, 'a recording could not be closed'),
      );
      if (is_call === true) recovered.push(call_id);
      else
        this.#resources.log.warn(
          { recordingId: call_id },
          'the recording of a meeting ends where its process was killed',
        );
    }
    await this.#removeLeftOvers(new Set(rows.map(({ call_id }) => call_id)));
    return recovered;
  }

  expire(): Promise<number> {
    return expireRecordings(this.#resources.database, this.#note);
  }

  async withAddresses<Shown extends VoiceRecord>(call: Shown): Promise<Shown> {
    const row = await findRecording(this.#resources, call.id);
    if (row === undefined) return call;
    const known = call.artifact as object | undefined;
    if (row.object_id === null) {
      // Either it is still being written, or it will never be stored.
      if (row.refused === null) return call;
      const statuses = {
        recordingStatus: 'refused',
        ...(row.video === null ? {} : { videoRecordingStatus: 'refused' }),
      };
      return { ...call, artifact: { ...known, ...statuses } };
    }
    const url = await signedRecording(this.#resources, call.id, URL_SECONDS);
    if (url === undefined) return call;
    const addresses = { recordingUrl: url, stereoRecordingUrl: url };
    const artifact = { ...addresses, ...(await this.#videos.artifactOf(call, row)) };
    return { ...call, ...addresses, artifact: { ...known, ...artifact } };
  }

  async read(callId: string, part: RecordedPart): Promise<{ bytes: number; sound: AsyncIterable<Buffer> }> {
    const row = await this.#resources.database.maybe(
      `select o.version, r.bytes, r.refused from private.voice_recordings r
         left join storage.objects o on o.id = r.object_id
        where r.call_id = $1`,
      [callId],
    );
    if (row?.version === null && row.refused !== null) throw refusedForGood();
    const stereo: Readable | undefined =
      row?.version == null ? undefined : await this.#resources.objects.read(row.version);
    if (row === undefined || stereo === undefined)
      throw new ServiceError(404, 'no_recording', 'This call has no recording.');
    const bytes = Number(row.bytes);
    const partBytes = part === 'stereo' ? bytes : WAVE_HEADER + (bytes - WAVE_HEADER) / 2;
    return { bytes: partBytes, sound: partOf(stereo, bytes, part) };
  }

  readVideo(callId: string): ReturnType<VideoStore['read']> {
    return this.#videos.read(callId);
  }

  close(): Promise<void> {
    clearInterval(this.#touching);
    this.#touching = undefined;
    return this.#videos.close();
  }

  /** The recording belongs to this process until it is stored or deleted. */
  #keep(callId: string): void {
    this.#own.add(callId);
    this.#touching ??= setInterval(() => void this.#touch(), TOUCH_MS).unref();
  }

  async #touch(): Promise<void> {
    const now = new Date();
    for (const callId of this.#own) {
      const { sound, picture } = recordingFiles(this.#folder, callId);
      // A file that does not exist yet, or any more, cannot be taken by another process.
      for (const file of [sound, picture]) await utimes(file, now, now).catch(() => {});
    }
  }

  /**
   * Moves the sound into the object store together with its row, both or neither; the files are removed last.
   */
  async #store(callId: string): Promise<void> {
    const resources = this.#resources;
    const files = recordingFiles(this.#folder, callId);
    // Each person of a meeting has a file; the sound is mixed from them.
    const voices = await trackNumbers(this.#folder, callId, 'wav');
    if (voices.length > 0)
      await mixTracks(
        voices.map((number) => trackFiles(this.#folder, callId, number).sound),
        files.sound,
      );
    const bytes = await mendStereoFile(files.sound).catch(missing);
    if (bytes === undefined || bytes <= WAVE_HEADER) {
      // Nothing was recorded after the consent, or the file is gone: there is no recording.
      await removeFiles(files);
      await resources.database.run(
        'delete from private.voice_recordings where call_id = $1 and object_id is null',
        [callId],
      );
      return;
    }
    const stored = await storeRecording(
      resources,
      { callId, type: 'wav', path: files.sound, bytes },
      (queries, objectId) =>
        queries.maybe(
          `update private.voice_recordings set object_id = $2, seconds = $3, bytes = $4
            where call_id = $1 returning video`,
          [callId, objectId, secondsOf(bytes), bytes],
        ),
    );
    if (stored === 'refused') return;
    if (stored === 'deleted' || stored.video === null) await removeFiles(files);
    else this.#videos.queue(callId);
  }

  /** Two processes may notice that a third has ended; only one of them continues its work. */
  async #claim(callId: string, from: string): Promise<boolean> {
    const claimed = await this.#resources.database.run(
      `update private.voice_recordings set worker = $3
        where call_id = $1 and worker = $2 and (object_id is null or video = 'recorded')`,
      [callId, from, THIS_PROCESS],
    );
    return claimed > 0;
  }

  /**
   * The process that writes it has ended, or has not written for long. Another host's files are not on this
   * machine.
   */
  async #isLost(callId: string, worker: string): Promise<boolean> {
    const [host, pid] = worker.split(' ');
    if (this.#own.has(callId) || this.#videos.has(callId) || host !== os.hostname()) return false;
    if (Number(pid) === process.pid || !isRunning(Number(pid))) return true;
    const written = await stat(recordingFiles(this.#folder, callId).sound).catch(missing);
    return written === undefined || Date.now() - written.mtimeMs > STALE_MS;
  }

  async #removeLeftOvers(known: ReadonlySet<string>): Promise<void> {
    for (const name of (await readdir(this.#folder).catch(missing)) ?? []) {
      const callId = UUID_FILE.exec(name)?.[1];
      if (callId === undefined || known.has(callId)) continue;
      if (this.#own.has(callId) || this.#videos.has(callId)) continue;
      const file = path.join(this.#folder, name);
      const written = await stat(file).catch(missing);
      if (written !== undefined && Date.now() - written.mtimeMs > LEFT_OVER_MS)
        await rm(file, { force: true });
    }
  }
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
