import { createReadStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { createScan } from '../../platform/storage/content/content-scan.server.ts';
import { signedObjectUrl } from '../../platform/storage/objects/object-signing.server.ts';
import { storeOwnFile } from '../../platform/storage/uploads/own-file.server.ts';
import { WAVE_HEADER } from '../engines/speech/wave-file.server.ts';
import type { VoiceRecord } from '../records/voice-records.server.ts';
import { mendStereoFile, partOf, type RecordedPart, secondsOf } from './stereo-file.server.ts';

const BUCKET = 'voice-recordings';
/** Life of the addresses in a record, seconds. */
const URL_SECONDS = 3600;
/** A file that nobody wrote to for this long has lost its process: a second is written each second. */
const STALE_MS = 30_000;
/** What is left over after a crash between storing and removing is removed after this. */
const LEFT_OVER_MS = 60_000;
const UUID_FILE = /^([\da-f-]{36})\.wav$/;
/** Our own sound needs no check of its type. */
const CHECK = { mimeType: 'audio/wav', inspect: () => {}, finish: async () => {} };

/** Notes in the evidence of a call that its recording was deleted, in the transaction of the deletion. */
export type NoteDeletion = (queries: Queries, callId: string) => Promise<void>;

/** The recordings of an installation: while they are written, in the object store, and until they expire. */
export interface RecordingStore {
  /** The path of the file that a call is to be written to. */
  begin(callId: string, days: number | undefined): Promise<string>;
  /** Stores what was written; nothing where the call was deleted meanwhile. */
  finish(callId: string): Promise<void>;
  /** Deletes a recording, whether it is being written or stored. */
  discard(callId: string): Promise<void>;
  /** Stores recordings whose process was killed, up to where it was killed. Returns the calls. */
  recover(): Promise<readonly string[]>;
  /** Deletes those whose time has come. Returns how many. */
  expire(): Promise<number>;
  /** A call's record with addresses that work for an hour, where it was recorded. */
  withAddresses<Shown extends VoiceRecord>(call: Shown): Promise<Shown>;
  /** One part of a recording. @throws ServiceError 404 `no_recording` */
  read(callId: string, part: RecordedPart): Promise<{ bytes: number; sound: AsyncIterable<Buffer> }>;
}

/**
 * Opens the recordings.
 * @trigger private.voice_recordings delete_recording
 * @trigger storage.objects delete_voice_recording
 */
export function openRecordingStore(resources: Resources, noteDeletion: NoteDeletion): RecordingStore {
  return new DiskRecordingStore(resources, noteDeletion);
}

class DiskRecordingStore implements RecordingStore {
  readonly #resources: Resources;
  readonly #note: NoteDeletion;
  readonly #folder: string;
  /** Calls that this process writes. */
  readonly #own = new Set<string>();

  constructor(resources: Resources, note: NoteDeletion) {
    this.#resources = resources;
    this.#note = note;
    this.#folder = path.join(resources.settings.DATA_DIR, 'recordings');
  }

  async begin(callId: string, days: number | undefined): Promise<string> {
    const { database, settings } = this.#resources;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    this.#own.add(callId);
    await database.run(
      `insert into private.voice_recordings (call_id, worker, expires_at)
       values ($1, $2, now() + make_interval(days => $3))`,
      [callId, `${os.hostname()} ${process.pid}`, days ?? settings.VOICE_RECORDING_DAYS],
    );
    return this.#fileOf(callId);
  }

  async finish(callId: string): Promise<void> {
    try {
      await this.#store(callId);
    } finally {
      this.#own.delete(callId);
    }
  }

  async discard(callId: string): Promise<void> {
    await rm(this.#fileOf(callId), { force: true });
    this.#own.delete(callId);
    await this.#resources.database.transaction(async (queries) => {
      const gone = await queries.run('delete from private.voice_recordings where call_id = $1', [callId]);
      if (gone > 0) await this.#note(queries, callId);
    });
  }

  async recover(): Promise<readonly string[]> {
    const rows = await this.#resources.database.many(
      'select call_id, worker from private.voice_recordings where object_id is null',
    );
    const recovered: string[] = [];
    for (const { call_id, worker } of rows) {
      if (!(await this.#isLost(call_id, worker))) continue;
      await this.#store(call_id).catch((error: unknown) =>
        this.#resources.log.error({ err: error }, 'a recording could not be closed'),
      );
      recovered.push(call_id);
    }
    await this.#removeLeftOvers(new Set(rows.map(({ call_id }) => call_id)));
    return recovered;
  }

  async expire(): Promise<number> {
    return this.#resources.database.transaction(async (queries) => {
      const gone = await queries.many(
        `delete from private.voice_recordings where expires_at <= now() and object_id is not null returning call_id`,
      );
      for (const { call_id } of gone) await this.#note(queries, call_id);
      return gone.length;
    });
  }

  async withAddresses<Shown extends VoiceRecord>(call: Shown): Promise<Shown> {
    const url = await signedRecording(this.#resources, call.id, URL_SECONDS);
    if (url === undefined) return call;
    const addresses = { recordingUrl: url, stereoRecordingUrl: url };
    return { ...call, ...addresses, artifact: { ...(call.artifact as object | undefined), ...addresses } };
  }

  async read(callId: string, part: RecordedPart): Promise<{ bytes: number; sound: AsyncIterable<Buffer> }> {
    const row = await this.#resources.database.maybe(
      `select o.version, r.bytes from private.voice_recordings r join storage.objects o on o.id = r.object_id
        where r.call_id = $1`,
      [callId],
    );
    const stereo: Readable | undefined =
      row?.version == null ? undefined : await this.#resources.objects.read(row.version);
    if (row === undefined || stereo === undefined)
      throw new ServiceError(404, 'no_recording', 'This call has no recording.');
    const bytes = Number(row.bytes);
    const partBytes = part === 'stereo' ? bytes : WAVE_HEADER + (bytes - WAVE_HEADER) / 2;
    return { bytes: partBytes, sound: partOf(stereo, bytes, part) };
  }

  #fileOf(callId: string): string {
    return path.join(this.#folder, `${callId}.wav`);
  }

  /** From the file into the object store, with its row, both or neither; the file goes last. */
  async #store(callId: string): Promise<void> {
    const { resources, file } = { resources: this.#resources, file: this.#fileOf(callId) };
    const bytes = await mendStereoFile(file).catch(missing);
    if (bytes === undefined || bytes <= WAVE_HEADER) {
      // Nothing was said after the consent, or the file is gone: there is no recording.
      await rm(file, { force: true });
      await resources.database.run(
        'delete from private.voice_recordings where call_id = $1 and object_id is null',
        [callId],
      );
      return;
    }
    const scan = createScan(resources.settings, resources.log);
    const source = createReadStream(file);
    try {
      await storeOwnFile(
        { resources, scan },
        { bucketId: BUCKET, name: nameOf(callId), declared: bytes, overhead: 0, source, check: CHECK },
        async (queries, objectId) => {
          const there = await queries.run(
            'update private.voice_recordings set object_id = $2, seconds = $3, bytes = $4 where call_id = $1',
            [callId, objectId, secondsOf(bytes), bytes],
          );
          if (there === 0) throw new DeletedMeanwhile();
        },
      );
    } catch (error) {
      if (!(error instanceof DeletedMeanwhile)) throw error;
    }
    await rm(file, { force: true });
  }

  /** The process that writes it is gone, or has not written for long. Another host's files are not here. */
  async #isLost(callId: string, worker: string): Promise<boolean> {
    const [host, pid] = worker.split(' ');
    if (this.#own.has(callId) || host !== os.hostname()) return false;
    if (Number(pid) === process.pid || !isRunning(Number(pid))) return true;
    const written = await stat(this.#fileOf(callId)).catch(missing);
    return written === undefined || Date.now() - written.mtimeMs > STALE_MS;
  }

  async #removeLeftOvers(known: ReadonlySet<string>): Promise<void> {
    for (const name of (await readdir(this.#folder).catch(missing)) ?? []) {
      const callId = UUID_FILE.exec(name)?.[1];
      if (callId === undefined || known.has(callId) || this.#own.has(callId)) continue;
      const written = await stat(this.#fileOf(callId)).catch(missing);
      if (written !== undefined && Date.now() - written.mtimeMs > LEFT_OVER_MS)
        await rm(this.#fileOf(callId), { force: true });
    }
  }
}

/** An address of so many seconds that plays a call's recording, in ranges; undefined where it has none. */
export function signedRecording(
  resources: Resources,
  callId: string,
  seconds: number,
): Promise<string | undefined> {
  return signedObjectUrl(resources, BUCKET, nameOf(callId), seconds);
}

/** The call was deleted while its recording was being stored. */
class DeletedMeanwhile extends Error {}

const nameOf = (callId: string): string => `${callId}.wav`;

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
