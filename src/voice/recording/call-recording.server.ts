import type { CallAssistant, CallContext } from '../engines/engines.server.ts';
import type { MediaSession, RecordingNotice } from '../media/media-transport.server.ts';
import { CallRecorder } from './call-recorder.server.ts';
import { PictureFile } from './picture-file.server.ts';
import { PictureRecorder } from './picture-recorder.server.ts';
import { type RecordingPlan, recordingPlan } from './recording-plan.server.ts';
import type { RecordingStore } from './recording-store.server.ts';
import { type RecordingWish, readRecordingWish } from './recording-wish.contract.ts';
import { StereoFile } from './stereo-file.server.ts';

/** A call that may be recorded. */
export interface RecordedCall {
  readonly callId: string;
  readonly assistant: CallAssistant;
  readonly session: MediaSession;
  readonly log: CallContext['log'];
}

const NOT_AGREED = 'The caller did not agree to be recorded.';
const STOPPED = 'A recording that was stopped is not begun again in the same call.';
const NO_PICTURE = 'The picture cannot be recorded; the sound is.';
const PICTURE_ENDED = 'The picture is not recorded any more; the sound is.';

/**
 * The recording of one call. It begins with the caller's consent, is deleted when the consent is withdrawn,
 * and is stored at the end. Where it cannot be written, the call continues, its log says so, and for a
 * recording with a picture the caller's client is told (docs/contracts/voice.md §8).
 */
export class CallRecording {
  /** What the caller is asked, and what is recorded after a yes. */
  readonly plan: RecordingPlan;
  readonly #store: RecordingStore;
  readonly #call: RecordedCall;
  readonly #recorder: CallRecorder;
  /** Undefined where only the sound is recorded. */
  readonly #pictures: PictureRecorder | undefined;
  #wanted = false;
  /** Whether the store has begun it, so that it has to be stored or deleted. */
  #began = false;
  /** Whether sound is being written. */
  #writes = false;
  /** The caller's client stopped it: what is recorded stays, and nothing is added. */
  #stopped = false;
  /** Why nothing is recorded, or nothing more. */
  #refused: string | undefined;
  /** Why the recording has no picture. */
  #blind: string | undefined;
  /** Whether the caller's client asked for a recording, and so is told why there is none. */
  #asked = false;
  /** Changes to the files and the row happen one after another. */
  #last: Promise<void> = Promise.resolve();

  private constructor(store: RecordingStore, call: RecordedCall, plan: RecordingPlan) {
    this.plan = plan;
    this.#store = store;
    this.#call = call;
    this.#recorder = new CallRecorder(call.session, {
      failed: (error) => {
        this.#giveUp('written on', error);
        this.#pictures?.stop().catch((unclosed: unknown) => this.#failed('closed', unclosed));
      },
      second: () => this.#pictures?.tick(),
    });
    const { camera } = call.session;
    if (!plan.video || camera === undefined) return;
    this.#pictures = new PictureRecorder(
      camera,
      () => this.#recorder.milliseconds,
      (error) => this.#endPicture(error),
    );
    call.session.onRoomText?.((text) => this.#hear(text));
  }

  /** Undefined where the assistant's calls are not recorded: then the call's sound is not touched. */
  static prepare(store: RecordingStore, call: RecordedCall): CallRecording | undefined {
    const plan = recordingPlan(call.assistant, { camera: call.session.camera !== undefined });
    if (plan === undefined) return undefined;
    if (!plan.video && call.assistant.artifactPlan?.videoRecordingEnabled === true)
      call.log('INFO', 'a call without a camera: its sound alone is recorded');
    return new CallRecording(store, call, plan);
  }

  /** The caller gave or withdrew consent. */
  consent(given: boolean): void {
    if (!given) this.#refuse();
    if (given === this.#wanted) return;
    this.#wanted = given;
    if (given) this.#refused = this.#stopped ? STOPPED : undefined;
    this.#then(given ? 'begun' : 'deleted', () => (given ? this.#begin() : this.#discard()));
  }

  /** The call has ended: what was recorded is stored. */
  async close(): Promise<void> {
    this.#then('stored', async () => {
      if (!this.#began) return;
      await this.#stop();
      await this.#store.finish(this.#call.callId);
    });
    await this.#last;
  }

  #hear(text: string): void {
    const wish = readRecordingWish(text);
    if (wish === undefined) return;
    if (typeof wish === 'object') this.#tellError(wish.refused);
    else this.#obey(wish);
  }

  /**
   * Carries out a wish of the caller's client. It may start what the caller has agreed to, or stop it; it
   * cannot agree for the caller.
   */
  #obey(wish: RecordingWish): void {
    if (wish === 'start') {
      this.#asked = true;
      const why = this.#refused ?? this.#blind;
      if (why !== undefined) this.#tellError(why);
      else if (this.#writes) this.#tell('recording-started');
    } else if (!this.#wanted || this.#refused !== undefined) this.#tellError('Nothing is recorded now.');
    else {
      // A recording that is just being begun is begun first and then stopped.
      this.#stopped = true;
      this.#refused = STOPPED;
      this.#then('stopped', async () => {
        await this.#stop();
        this.#call.log('INFO', 'the recording was stopped by the caller’s end');
        this.#tell('recording-stopped');
      });
    }
  }

  #refuse(): void {
    if (this.#refused === NOT_AGREED) return;
    this.#refused = NOT_AGREED;
    if (this.#asked && !this.#began) this.#tellError(NOT_AGREED);
  }

  async #begin(): Promise<void> {
    if (this.#stopped) return;
    const { callId, log } = this.#call;
    const files = await this.#store.begin(callId, {
      days: this.plan.days,
      video: this.#pictures !== undefined,
    });
    this.#began = true;
    this.#recorder.start(await StereoFile.create(files.sound));
    this.#writes = true;
    log('INFO', 'the call is recorded from now on');
    await this.#beginPicture(files.picture);
  }

  /** A fault of the picture leaves the sound alone. */
  async #beginPicture(path: string): Promise<void> {
    const pictures = this.#pictures;
    if (pictures === undefined) return;
    this.#blind = undefined;
    try {
      const file = await PictureFile.create(path);
      // The sound may have failed meanwhile; a picture alone is not recorded.
      if (!this.#writes) return await file.close();
      pictures.start(file);
    } catch (error) {
      return this.#loseSight(NO_PICTURE, error);
    }
    if (this.#refused === undefined) this.#tell('recording-started');
  }

  async #stop(): Promise<void> {
    this.#writes = false;
    await this.#pictures?.stop();
    await this.#recorder.stop();
  }

  async #discard(): Promise<void> {
    if (!this.#began) return;
    this.#began = false;
    await this.#stop();
    await this.#store.discard(this.#call.callId);
    this.#call.log('INFO', 'the recording was stopped and deleted');
    this.#tell('recording-stopped');
  }

  #tell(action: 'recording-started' | 'recording-stopped'): void {
    this.#send({ action, type: 'cloud', recordingId: this.#call.callId });
  }

  #tellError(errorMsg: string): void {
    this.#send({ action: 'recording-error', type: 'cloud', errorMsg });
  }

  /**
   * A client that misses the notice has left or does not listen; the recording does not depend on it. Without
   * a picture the client is told nothing, since it cannot ask for a recording either.
   */
  #send(notice: RecordingNotice): void {
    if (this.#pictures !== undefined) this.#call.session.sendNotice?.(notice);
  }

  #then(what: 'begun' | 'deleted' | 'noted' | 'stopped' | 'stored', work: () => Promise<void>): void {
    this.#last = this.#last
      .then(work)
      .catch((error: unknown) => (what === 'begun' ? this.#giveUp(what, error) : this.#failed(what, error)));
  }

  /** Records nothing from now on; the recorded part stays. */
  #giveUp(what: 'begun' | 'written on', error: unknown): void {
    this.#writes = false;
    this.#refused = `The recording could not be ${what}.`;
    this.#failed(what, error);
  }

  /** Stores when the picture ended. */
  #endPicture(error: unknown): void {
    const seconds = this.#recorder.milliseconds / 1000;
    this.#then('noted', () => this.#store.endPicture(this.#call.callId, seconds));
    this.#loseSight(PICTURE_ENDED, error);
  }

  /** Continues with the sound alone, and tells the caller's client so once. */
  #loseSight(why: string, error: unknown): void {
    this.#log('written on with its picture', error);
    if (this.#blind !== undefined) return;
    this.#blind = why;
    this.#tellError(why);
  }

  #failed(what: string, error: unknown): void {
    this.#log(what, error);
    this.#tellError(`The recording could not be ${what}.`);
  }

  #log(what: string, error: unknown): void {
    this.#call.log('ERROR', `the recording could not be ${what}: ${String(error)}`);
  }
}
