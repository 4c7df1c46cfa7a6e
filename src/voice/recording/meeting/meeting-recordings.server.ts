import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { diskSpace } from '../../../kernel/http/health.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import type { VoiceRecords } from '../../records/voice-records.server.ts';
import type { RecordingStore } from '../recording-store.server.ts';
import type { Scene } from './meeting-record.contract.ts';
import { MeetingTape, type TapeListener, type TapeNote, type TapeParts } from './meeting-tape.server.ts';

/** Most meetings that this process records at once: each writes up to eight people's files. */
const MOST_AT_ONCE = 2;
/** Longest recording of a meeting, minutes: the video of a longer one would exceed the store's limit. */
export const LONGEST_MINUTES = 60;
/** Megabytes that have to be free beyond `DISK_MIN_FREE_MB`: about what eight cameras send in ten minutes. */
const ROOM_MB = 1024;
const MB = 1024 * 1024;
/** How often the free space of the disk is checked. */
const LOOK_MS = 10_000;

const TOO_LONG = `The recording has ${LONGEST_MINUTES} minutes, and ends here: a new one may be begun.`;
const NO_ROOM = 'The disk of this server has no room for a recording.';
const DISK_FULL = 'The disk of this server has no room for more of the recording: it ends here.';

/** What a new recording should have. */
export interface TapeWish extends Pick<TapeParts, 'room' | 'startedBy' | 'video'> {
  readonly scene: Omit<Scene, 'at'>;
}

/** The recordings of meetings that this process is making (docs/contracts/voice.md §8). */
export interface MeetingRecordings {
  /**
   * Prepares the recording of a meeting; nothing is written before the first person is recorded.
   *
   * @throws ServiceError 503 `too_many_recordings`, 507 `disk_full`, with sentences for the person who asked
   */
  open(wish: TapeWish, listener: TapeListener): Promise<MeetingTape>;
  /**
   * Stores the files of a tape that was stopped. If that fails, the search for lost recordings finds them
   * later.
   */
  store(tape: MeetingTape): Promise<void>;
  /** Ends all recordings and stores them. */
  close(): Promise<void>;
}

interface RecordingsParts {
  readonly resources: Pick<Resources, 'database' | 'log' | 'settings'>;
  readonly records: VoiceRecords;
  readonly recordings: RecordingStore;
  /** Adds to the evidence of a recording. */
  readonly note: (queries: Queries, recordingId: string, note: TapeNote) => Promise<void>;
}

/** Opens this process's recordings of meetings. */
export function openMeetingRecordings(parts: RecordingsParts): MeetingRecordings {
  return new ProcessRecordings(parts);
}

class ProcessRecordings implements MeetingRecordings {
  readonly #parts: RecordingsParts;
  readonly #tapes = new Map<MeetingTape, NodeJS.Timeout[]>();
  readonly #stores = new Map<MeetingTape, Promise<void>>();
  /** Recordings in progress, and those that are being prepared. */
  #places = 0;

  constructor(parts: RecordingsParts) {
    this.#parts = parts;
  }

  async open({ scene, ...wish }: TapeWish, listener: TapeListener): Promise<MeetingTape> {
    if (this.#places >= MOST_AT_ONCE)
      throw new ServiceError(
        503,
        'too_many_recordings',
        'Too many meetings are recorded now. Please try again later.',
      );
    this.#places += 1;
    try {
      if (!(await this.#hasRoom())) throw new ServiceError(507, 'disk_full', NO_ROOM);
      const tape: MeetingTape = new MeetingTape(
        this.#tapeParts(wish, listener, () => this.#stopped(tape)),
        scene,
      );
      await this.#note(tape.id, { kind: 'begun', data: { recording: true, room: wish.room.id } });
      this.#watch(tape, listener);
      return tape;
    } catch (error) {
      this.#places -= 1;
      throw error;
    }
  }

  /** Runs once for each tape, whether the meeting asks first or the end of this process. */
  store(tape: MeetingTape): Promise<void> {
    const known = this.#stores.get(tape);
    const storing =
      known ??
      tape
        .store()
        .catch((error: unknown) => this.#failed('stored', error))
        .finally(() => setTimeout(() => this.#stores.delete(tape), LOOK_MS).unref());
    this.#stores.set(tape, storing);
    return storing;
  }

  async close(): Promise<void> {
    for (const tape of [...this.#tapes.keys()]) {
      await tape.stop().catch((error: unknown) => this.#failed('ended', error));
      await this.store(tape);
    }
    await Promise.all(this.#stores.values());
  }

  #tapeParts(wish: Omit<TapeWish, 'scene'>, listener: TapeListener, stopped: () => void): TapeParts {
    const { records, recordings } = this.#parts;
    return {
      ...{ ...wish, records, recordings, listener, stopped },
      note: (recordingId, note) => this.#note(recordingId, note),
      failed: (what, error) => this.#failed(what, error),
    };
  }

  /** Ends the recording when it is too long or the disk is full. */
  #watch(tape: MeetingTape, listener: TapeListener): void {
    const end = setTimeout(() => listener.broken(TOO_LONG), LONGEST_MINUTES * 60_000);
    const look = setInterval(() => {
      this.#hasRoom()
        .then((hasRoom) => hasRoom || listener.broken(DISK_FULL))
        .catch((error: unknown) => this.#failed('watched', error));
    }, LOOK_MS);
    this.#tapes.set(tape, [end.unref(), look.unref()]);
  }

  #stopped(tape: MeetingTape): void {
    const timers = this.#tapes.get(tape);
    if (timers === undefined) return;
    for (const timer of timers) clearTimeout(timer);
    this.#tapes.delete(tape);
    this.#places -= 1;
  }

  async #hasRoom(): Promise<boolean> {
    const { DATA_DIR, DISK_MIN_FREE_MB } = this.#parts.resources.settings;
    const space = await diskSpace(DATA_DIR);
    return space === undefined || space.free / MB >= DISK_MIN_FREE_MB + ROOM_MB;
  }

  #note(recordingId: string, note: TapeNote): Promise<void> {
    const { resources, note: add } = this.#parts;
    return resources.database.transaction((queries) => add(queries, recordingId, note));
  }

  #failed(what: string, error: unknown): void {
    this.#parts.resources.log.error({ err: error }, `the recording of a meeting could not be ${what}`);
  }
}
