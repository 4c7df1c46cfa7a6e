import { readdir, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { VoiceRecord } from '../records/voice-records.server.ts';
import { planComposition } from './meeting/composition-plan.server.ts';
import { composeMeeting } from './meeting/meeting-composition.server.ts';
import type { MeetingRecord } from './meeting/meeting-record.contract.ts';
import { trackFiles, trackNumbers } from './meeting/track-files.server.ts';
import {
  mediaTypeOf,
  type RecordingType,
  signedRecording,
  storeRecording,
} from './recording-object.server.ts';
import { composeVideo } from './video-composition.server.ts';

/** How long the addresses in a record work, seconds. */
export const URL_SECONDS = 3600;
/**
 * How often the files of waiting recordings are touched, so that other processes do not take them for lost.
 */
const TOUCH_MS = 10_000;

/**
 * The stored form of a picture by its state: composed with its sound, or kept as a file of its own. Until
 * then its state is `recorded`.
 */
const TYPE_OF = { composed: 'mp4', separate: 'webm' } as const satisfies Record<string, RecordingType>;

/** Files of one recording on this machine. */
export interface RecordingFiles {
  readonly sound: string;
  readonly picture: string;
  readonly video: string;
}

/** The files of a recording that is made in `folder`. */
export function recordingFiles(folder: string, callId: string): RecordingFiles {
  const file = (type: RecordingType): string => path.join(folder, `${callId}.${type}`);
  return { sound: file('wav'), picture: file('webm'), video: file('mp4') };
}

/** Removes all files of a recording from this machine, also the tracks of a meeting's people. */
export async function removeFiles({ sound }: RecordingFiles): Promise<void> {
  const { dir, name } = path.parse(sound);
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return [];
  });
  for (const one of names) if (one.startsWith(`${name}.`)) await rm(path.join(dir, one), { force: true });
}

/** The row of a call's recording, with the object of its video; undefined where it has none. */
export function findRecording({ database }: Pick<Resources, 'database'>, callId: string) {
  return database.maybe(
    `select r.object_id, r.refused, r.video, r.video_bytes, r.picture_seconds, r.started_at, o.version
       from private.voice_recordings r left join storage.objects o on o.id = r.video_object_id
      where r.call_id = $1`,
    [callId],
  );
}
type RecordingRow = NonNullable<Awaited<ReturnType<typeof findRecording>>>;

interface ComposedRecording {
  readonly callId: string;
  readonly files: RecordingFiles;
  readonly cameras: readonly number[];
  readonly seconds: number;
}

/**
 * The videos of recordings. When a call has ended, its picture and sound are composed, one call at a time,
 * while other calls go on. A process begins again what an earlier one did not finish.
 */
export class VideoStore {
  readonly #resources: Resources;
  readonly #folder: string;
  readonly #waiting = new Set<string>();
  readonly #closing = new AbortController();
  #last: Promise<void> = Promise.resolve();
  #touching: NodeJS.Timeout | undefined;

  constructor(resources: Resources, folder: string) {
    this.#resources = resources;
    this.#folder = folder;
  }

  /** Whether this process composes a call's video, now or later. */
  has(callId: string): boolean {
    return this.#waiting.has(callId);
  }

  /** Queues a call for composition; its sound has been stored, and its files are there. */
  queue(callId: string): void {
    if (this.#waiting.has(callId) || this.#closing.signal.aborted) return;
    this.#waiting.add(callId);
    this.#touching ??= setInterval(() => void this.#touch(), TOUCH_MS).unref();
    this.#last = this.#last.then(async () => {
      try {
        if (!this.#closing.signal.aborted) await this.#make(callId);
      } catch (error) {
        // The files stay: the search for lost recordings tries again.
        if (!this.#closing.signal.aborted)
          this.#resources.log.error({ err: error, callId }, 'the video of a call could not be stored');
      } finally {
        this.#waiting.delete(callId);
      }
    });
  }

  /** Aborts the work in progress; the next process begins it again. */
  async close(): Promise<void> {
    clearInterval(this.#touching);
    this.#closing.abort(new Error('this process ends'));
    await this.#last;
  }

  /** What a call's artifact says about its video; empty where none was recorded. */
  async artifactOf(call: VoiceRecord, row: RecordingRow): Promise<Readonly<Record<string, unknown>>> {
    const { video, refused, started_at: startedAt, picture_seconds: ended } = row;
    if (video === null) return {};
    const begun = typeof call.startedAt === 'string' ? Date.parse(call.startedAt) : Number.NaN;
    const delay = Math.max(0, (new Date(startedAt).getTime() - begun) / 1000);
    const url = isStored(video)
      ? await signedRecording(this.#resources, call.id, URL_SECONDS, TYPE_OF[video])
      : undefined;
    return {
      videoRecordingStatus: video === 'recorded' ? (refused === null ? 'composing' : 'refused') : video,
      ...(url === undefined
        ? {}
        : { [video === 'composed' ? 'videoRecordingUrl' : 'pictureRecordingUrl']: url }),
      ...(Number.isNaN(delay) ? {} : { videoRecordingStartDelaySeconds: delay }),
      ...(ended === null ? {} : { videoRecordingEndedSeconds: Number(ended) }),
    };
  }

  /** @throws ServiceError 404 `no_recording`, 409 `recording_pending`, `not_composed`, `recording_refused` */
  async read(callId: string): Promise<{ bytes: number; type: string; video: Readable }> {
    const row = await findRecording(this.#resources, callId);
    if (row?.video != null && row.refused !== null) throw refusedForGood();
    if (row?.object_id == null) throw noVideo();
    if (row.video === 'recorded') throw pending();
    if (row.video === 'separate') throw notComposed();
    const video = row.version === null ? undefined : await this.#resources.objects.read(row.version);
    if (video === undefined) throw noVideo();
    return { bytes: Number(row.video_bytes), type: mediaTypeOf('mp4'), video };
  }

  async #make(callId: string): Promise<void> {
    const { database, log } = this.#resources;
    const files = recordingFiles(this.#folder, callId);
    const row = await database.maybe(
      `select seconds from private.voice_recordings
        where call_id = $1 and video = 'recorded' and object_id is not null`,
      [callId],
    );
    // The recording was deleted, or another process has finished it.
    if (row === undefined) return removeFiles(files);
    const cameras = await trackNumbers(this.#folder, callId, 'webm');
    if (!(await exists(files.picture)) && !(await exists(files.video)) && cameras.length === 0) {
      log.warn({ callId }, 'the picture of a recorded call is not there: its sound is kept alone');
      await database.run(
        "update private.voice_recordings set video = null where call_id = $1 and video = 'recorded'",
        [callId],
      );
      return removeFiles(files);
    }
    const failure = (await exists(files.video))
      ? undefined
      : await this.#compose({ callId, files, cameras, seconds: Number(row.seconds) });
    if (failure !== undefined)
      log.warn({ callId, failure }, 'picture and sound of a recorded call stay two files');
    const kept =
      failure === undefined
        ? await this.#keep(callId, { file: files.video, type: 'mp4' }, 'composed')
        : await this.#keepSeparate(callId, files, cameras);
    if (kept !== 'refused') await removeFiles(files);
  }

  /** @param cameras the numbers of a meeting's people with a picture; empty for a call */
  async #compose({ callId, files, cameras, seconds }: ComposedRecording): Promise<string | undefined> {
    const program = this.#resources.settings.VOICE_FFMPEG;
    if (program === 'off') return 'VOICE_FFMPEG is off';
    if (cameras.length === 0) return composeVideo({ ...files, program, seconds }, this.#closing.signal);
    const row = await this.#resources.database.maybe(
      "select body /* not null */ from private.voice_records where id = $1 and kind = 'recording'",
      [callId],
    );
    if (row === undefined) return 'the list of people in the meeting is missing';
    const { participants, scenes } = row.body as unknown as MeetingRecord;
    const plan = planComposition(participants, scenes, seconds);
    const tracks = new Map(cameras.map((number) => [number, trackFiles(this.#folder, callId, number)]));
    return composeMeeting({ ...files, program, tracks, plan, seconds }, this.#closing.signal);
  }

  /** Stores the picture of a call, or every picture of a meeting; the row names the last of them. */
  async #keepSeparate(
    callId: string,
    files: RecordingFiles,
    cameras: readonly number[],
  ): Promise<object | 'deleted' | 'refused'> {
    const last = cameras.at(-1);
    if (last === undefined) return this.#keep(callId, { file: files.picture, type: 'webm' }, 'separate');
    for (const number of cameras.slice(0, -1)) {
      const kept = await this.#keepTrack(callId, number);
      if (kept === 'refused' || kept === 'deleted') return kept;
    }
    const file = trackFiles(this.#folder, callId, last).picture;
    return this.#keep(callId, { file, type: `${last}.webm` }, 'separate');
  }

  /** Stores the picture of one person of a meeting; only once, also where an earlier process did so. */
  async #keepTrack(callId: string, number: number): Promise<object | 'deleted' | 'refused'> {
    const type = `${number}.webm` as const;
    const known = await this.#resources.database.maybe(
      "select id from storage.objects where bucket_id = 'voice-recordings' and name = $1 || '.' || $2::text",
      [callId, type],
    );
    if (known !== undefined) return known;
    const { picture } = trackFiles(this.#folder, callId, number);
    const { size: bytes } = await stat(picture);
    return storeRecording(this.#resources, { callId, type, path: picture, bytes }, (queries) =>
      queries.maybe('select call_id from private.voice_recordings where call_id = $1 for update', [callId]),
    );
  }

  async #keep(
    callId: string,
    { file, type }: { readonly file: string; readonly type: RecordingType },
    video: keyof typeof TYPE_OF,
  ): Promise<object | 'deleted' | 'refused'> {
    const { size: bytes } = await stat(file);
    return storeRecording(this.#resources, { callId, type, path: file, bytes }, (queries, objectId) =>
      queries.maybe(
        `update private.voice_recordings set video = $2, video_object_id = $3, video_bytes = $4
          where call_id = $1 and video = 'recorded' returning call_id`,
        [callId, video, objectId, bytes],
      ),
    );
  }

  async #touch(): Promise<void> {
    const now = new Date();
    // A recording that has just been removed does not wait any more, and its files may be gone.
    for (const callId of this.#waiting)
      await utimes(recordingFiles(this.#folder, callId).sound, now, now).catch(() => {});
  }
}

const isStored = (video: string): video is keyof typeof TYPE_OF => Object.hasOwn(TYPE_OF, video);

async function exists(file: string): Promise<boolean> {
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
  return found !== undefined;
}

const pending = (): ServiceError =>
  new ServiceError(
    409,
    'recording_pending',
    'Picture and sound of this call are being put together. Please ask again in a minute.',
    { headers: { 'retry-after': '60' } },
  );
const noVideo = (): ServiceError => new ServiceError(404, 'no_recording', 'This call has no video.');
/** The error for a recording that will never be stored. */
export const refusedForGood = (): ServiceError =>
  new ServiceError(
    409,
    'recording_refused',
    'The recording of this call was not stored, as it is too large or was taken for malware: its files are on the server that made it.',
  );
const notComposed = (): ServiceError =>
  new ServiceError(
    409,
    'not_composed',
    'Picture and sound of this call are two files, as this server could not put them together (it needs ffmpeg): artifact.pictureRecordingUrl and artifact.stereoRecordingUrl of the call.',
  );
