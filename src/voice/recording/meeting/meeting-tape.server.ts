import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { CameraStream } from '../../media/media-transport.server.ts';
import type { VoiceRecords } from '../../records/voice-records.server.ts';
import type { RecordingStore } from '../recording-store.server.ts';
import { StereoFile } from '../stereo-file.server.ts';
import type { MeetingRecord, Scene } from './meeting-record.contract.ts';
import { MeetingRecorder } from './meeting-recorder.server.ts';
import { trackFiles } from './track-files.server.ts';

/** Somebody who can be recorded. */
export interface TapedPerson {
  /** Their session in the room. */
  readonly id: string;
  readonly userId: string;
  readonly userName: string;
  /** They are heard only, and get no tile. */
  readonly isVoice?: boolean;
}

/** What the evidence of a recording records. */
export interface TapeNote {
  readonly kind: 'begun' | 'consent' | 'ended' | 'deleted';
  readonly data: Readonly<Record<string, string | boolean>>;
}

/** What a tape reports. */
export interface TapeListener {
  /**
   * The recording cannot continue and has to be stopped; the recorded part stays. A sentence for everybody.
   */
  broken(sentence: string): void;
  /** A person's picture cannot be recorded any more. A sentence for everybody. */
  blinded(sentence: string): void;
}

/** What a tape needs. */
export interface TapeParts {
  readonly records: Pick<VoiceRecords, 'create' | 'change' | 'remove'>;
  readonly recordings: Pick<RecordingStore, 'begin' | 'finish' | 'discard'>;
  readonly room: { readonly id: string; readonly name: string };
  readonly startedBy: string;
  readonly video: boolean;
  readonly listener: TapeListener;
  note(recordingId: string, note: TapeNote): Promise<void>;
  /** Called once when nothing is written any more. */
  stopped(): void;
  failed(what: string, error: unknown): void;
}

/**
 * Most tracks of one recording: composing reads all of them at once. Somebody who comes back gets another
 * track.
 */
const MOST_TRACKS = 64;
/** Most changes of the scene; an hour of people who take turns has 1800. */
const MOST_SCENES = 2000;

const NOT_WRITTEN = 'The recording could not be written on, and ends here.';
const NO_PICTURE = 'The picture of somebody is not recorded any more; the sound is.';

/**
 * The recording of one meeting while it is made. Nothing is written to the disk before the first person is
 * recorded. Each person has tracks of their own, which can be deleted without the others'. Requests are
 * carried out in order.
 */
export class MeetingTape {
  readonly id = randomUUID();
  readonly #parts: TapeParts;
  readonly #recorder: MeetingRecorder;
  readonly #numbers = new Map<string, number>();
  #record: MeetingRecord;
  #folder: string | undefined;
  #next = 1;
  #isStopped = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: TapeParts, scene: Omit<Scene, 'at'>) {
    const { room, startedBy, video, listener } = parts;
    this.#parts = parts;
    this.#recorder = new MeetingRecorder({
      failed: (error) => {
        parts.failed('written on', error);
        listener.broken(NOT_WRITTEN);
      },
      blinded: (error) => {
        parts.failed('written on with a picture', error);
        listener.blinded(NO_PICTURE);
      },
    });
    this.#record = {
      ...{ room_id: room.id, room_name: room.name, started_by: startedBy, video },
      ...{ participants: [], scenes: [{ ...scene, at: 0 }] },
    };
  }

  /** The number of somebody's tracks; undefined while they are not recorded. */
  numberOf(personId: string): number | undefined {
    return this.#numbers.get(personId);
  }

  /**
   * Whose picture can be shown: this person's while they are recorded, otherwise the first recorded person's.
   */
  shownOr(number: number | undefined): number | undefined {
    const recorded = this.#record.participants.filter(
      ({ to, voice_only: isVoice }) => to === null && isVoice !== true,
    );
    return (recorded.find((one) => one.number === number) ?? recorded[0])?.number;
  }

  /** Records in the evidence what somebody answered about being recorded. */
  note(personId: string, given: boolean): Promise<void> {
    const data = { to: 'recording', given, person: personId };
    return this.#then(() => this.#parts.note(this.id, { kind: 'consent', data }));
  }

  /** Records somebody from now on. @throws ServiceError 409 `too_many_tracks`, Error where it cannot begin */
  take(person: TapedPerson, camera: CameraStream | undefined): Promise<void> {
    return this.#then(async () => {
      if (this.#isStopped || this.#numbers.has(person.id)) return;
      if (this.#next > MOST_TRACKS)
        throw new ServiceError(409, 'too_many_tracks', 'Nobody else can be taken into this recording.');
      this.#folder ??= await this.#begin();
      const number = this.#next++;
      const files = trackFiles(this.#folder, this.id, number);
      const from = await this.#recorder.add(number, files, this.#parts.video ? camera : undefined);
      this.#numbers.set(person.id, number);
      const known = { number, session_id: person.id, user_id: person.userId, user_name: person.userName };
      const taken = {
        ...known,
        from: from / 1000,
        to: null,
        ...(person.isVoice ? { voice_only: true } : {}),
      };
      await this.#change({ participants: [...this.#record.participants, taken] });
    });
  }

  /** Takes sound of somebody; ignored while they are not recorded. */
  hear(personId: string, pcm: Int16Array): void {
    const number = this.#numbers.get(personId);
    if (number !== undefined) this.#recorder.hear(number, pcm);
  }

  /** Somebody has left: what was recorded of them stays. */
  release(personId: string): Promise<void> {
    return this.#then(async () => {
      const number = await this.#end(personId);
      if (number !== undefined) await this.#change({ participants: this.#endedAt(number) });
    });
  }

  /** Somebody withdrew their consent: everything that was recorded of them is deleted. */
  withdraw(personId: string): Promise<void> {
    return this.#then(async () => {
      const number = await this.#end(personId);
      if (number === undefined || this.#folder === undefined) return;
      for (const file of Object.values(trackFiles(this.#folder, this.id, number)))
        await rm(file, { force: true });
      await this.#change({
        participants: this.#record.participants.filter((one) => one.number !== number),
        scenes: this.#record.scenes.map((scene) =>
          scene.shown === number ? { ...scene, shown: undefined } : scene,
        ),
      });
      await this.#parts.note(this.id, { kind: 'deleted', data: { what: 'track', person: personId } });
    });
  }

  /** Changes the scene; `sceneOf` is called when the request's turn comes. */
  show(sceneOf: () => Omit<Scene, 'at'>): Promise<void> {
    return this.#then(async () => {
      if (this.#isStopped || this.#record.scenes.length >= MOST_SCENES) return;
      const scene = sceneOf();
      const last = this.#record.scenes.at(-1);
      if (last?.layout === scene.layout && last.shown === scene.shown && last.most === scene.most) return;
      const at = this.#recorder.milliseconds / 1000;
      const before = this.#record.scenes.filter((one) => one.at < at);
      await this.#change({ scenes: [...before, { ...scene, at }] });
    });
  }

  /** Stops writing. The files are complete, and have to be stored. */
  stop(): Promise<void> {
    return this.#then(async () => {
      if (this.#isStopped) return;
      this.#isStopped = true;
      await this.#recorder.close();
      const open = this.#record.participants.filter(({ to }) => to === null);
      this.#numbers.clear();
      for (const { number } of open) await this.#change({ participants: this.#endedAt(number) });
      await this.#parts.note(this.id, { kind: 'ended', data: { what: 'recording' } });
    }).finally(() => this.#parts.stopped());
  }

  /** Stores what was written; a recording that nobody is left in is deleted. */
  store(): Promise<void> {
    return this.#then(async () => {
      if (this.#folder === undefined) return;
      const { recordings, records } = this.#parts;
      if (this.#record.participants.some(({ voice_only }) => voice_only !== true))
        return recordings.finish(this.id);
      await recordings.discard(this.id);
      await records.remove('recording', this.id).catch(isGone);
    });
  }

  /**
   * Writes the row, its record, and a file that shows other processes that this one is at work. Returns the
   * tracks' folder.
   */
  async #begin(): Promise<string> {
    const { records, recordings, video } = this.#parts;
    await records.create('recording', { ...this.#record }, this.id);
    const { sound } = await recordings.begin(this.id, { days: undefined, video });
    await (await StereoFile.create(sound)).close();
    return path.dirname(sound);
  }

  async #end(personId: string): Promise<number | undefined> {
    const number = this.#numbers.get(personId);
    this.#numbers.delete(personId);
    if (number !== undefined) await this.#recorder.end(number);
    return number;
  }

  #endedAt(number: number): MeetingRecord['participants'] {
    const to = this.#recorder.milliseconds / 1000;
    return this.#record.participants.map((one) => (one.number === number ? { ...one, to } : one));
  }

  async #change(change: Partial<Pick<MeetingRecord, 'participants' | 'scenes'>>): Promise<void> {
    this.#record = { ...this.#record, ...change };
    if (this.#folder === undefined) return;
    const body = { ...this.#record };
    await this.#parts.records.change('recording', this.id, () => ({ body, replaced: 'everything' }));
  }

  #then(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}

function isGone(error: { readonly status?: number }): void {
  if (error.status !== 404) throw error;
}
