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

/**
 * The recording of one call: begins with the consent, is deleted when that is taken back, and is stored at the end.
 * Where it cannot be written the call goes on, and its log says so (docs/contracts/voice.md §8).
 */
export class CallRecording {
  readonly #store: RecordingStore;
  readonly #call: RecordedCall;
  readonly #days: number | undefined;
  readonly #recorder: CallRecorder;
  /** Undefined where the sound alone is recorded. */
  readonly #pictures: PictureRecorder | undefined;
  #wanted = false;
  #began = false;
  /** The caller's end had it stopped: what there is stays, and nothing is added. */
  #stopped = false;
  /** Why nothing is recorded though it was asked for. */
  #refused: string | undefined;
  /** The caller's end has asked for it, so it is told why there is none. */
  #asked = false;
  /** What is done to file and row, one after another. */
  #last: Promise<void> = Promise.resolve();

  private constructor(store: RecordingStore, call: RecordedCall, { days, video }: RecordingPlan) {
    this.#store = store;
    this.#call = call;
    this.#days = days;
    this.#recorder = new CallRecorder(call.session, {
      failed: (error) => {
        this.#failed('written on', error);
        this.#pictures?.stop().catch((unclosed: unknown) => this.#failed('closed', unclosed));
      },
      second: () => this.#pictures?.tick(),
    });
    const { camera } = call.session;
    if (!video) return;
    if (camera === undefined) call.log('INFO', 'a call without a camera: its sound alone is recorded');
    else {
      this.#pictures = new PictureRecorder(
        camera,
        () => this.#recorder.milliseconds,
        (error) => this.#endPicture(error),
      );
      call.session.onRoomText?.((text) => this.#hear(text));
    }
  }

  /** Undefined where the assistant is not to be recorded: then nothing of the call is even looked at. */
  static prepare(store: RecordingStore, call: RecordedCall): CallRecording | undefined {
    const plan = recordingPlan(call.assistant);
    return plan === undefined ? undefined : new CallRecording(store, call, plan);
  }

  /** The caller agreed, or took it back. */
  consent(given: boolean): void {
    if (!given) this.#refuse('The caller did not agree to be recorded.');
    if (given === this.#wanted) return;
    this.#wanted = given;
    this.#then(given ? 'begun' : 'deleted', () => (given ? this.#begin() : this.#discard()));
  }

  /** The call is over: what was recorded is stored. */
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

  /** The caller's end may wish for what the caller has agreed to, and for less; it agrees for nobody. */
  #obey(wish: RecordingWish): void {
    if (wish === 'start') {
      this.#asked = true;
      if (this.#refused !== undefined) this.#tellError(this.#refused);
      else if (this.#began) this.#tell('recording-started');
    } else if (!this.#began || this.#stopped) this.#tellError('Nothing is recorded now.');
    else {
      this.#stopped = true;
      this.#refused = 'A recording that was stopped is not begun again in the same call.';
      this.#then('stopped', async () => {
        await this.#stop();
        this.#call.log('INFO', 'the recording was stopped by the caller’s end');
        this.#tell('recording-stopped');
      });
    }
  }

  #refuse(why: string): void {
    if (this.#refused === why) return;
    this.#refused = why;
    if (this.#asked && !this.#began) this.#tellError(why);
  }

  async #begin(): Promise<void> {
    const { callId, log } = this.#call;
    const files = await this.#store.begin(callId, { days: this.#days, video: this.#pictures !== undefined });
    this.#began = true;
    this.#recorder.start(await StereoFile.create(files.sound));
    if (this.#pictures !== undefined) {
      this.#refused = undefined;
      this.#pictures.start(await PictureFile.create(files.picture));
      this.#tell('recording-started');
    }
    log('INFO', 'the call is recorded from now on');
  }

  async #stop(): Promise<void> {
    await this.#pictures?.stop();
    await this.#recorder.stop();
  }

  async #discard(): Promise<void> {
    if (!this.#began) return;
    this.#began = false;
    await this.#stop();
    await this.#store.discard(this.#call.callId);
    this.#call.log('INFO', 'the recording was stopped and deleted');
    if (this.#pictures !== undefined) this.#tell('recording-stopped');
  }

  /** The sound goes on: the recording says where its picture ends, and so is the caller's end told. */
  #endPicture(error: unknown): void {
    this.#failed('written on with its picture', error);
    const seconds = this.#recorder.milliseconds / 1000;
    this.#then('noted as one whose picture ends', () => this.#store.endPicture(this.#call.callId, seconds));
    this.#tellError('The picture is not recorded any more; the sound is.');
  }

  #tell(action: 'recording-started' | 'recording-stopped'): void {
    this.#send({ action, type: 'cloud', recordingId: this.#call.callId });
  }

  #tellError(errorMsg: string): void {
    this.#send({ action: 'recording-error', type: 'cloud', errorMsg });
  }

  /** Who does not hear it has left, or does not listen: the recording does not depend on it. */
  #send(notice: RecordingNotice): void {
    this.#call.session.sendNotice?.(notice);
  }

  #then(what: string, work: () => Promise<void>): void {
    this.#last = this.#last.then(work).catch((error: unknown) => this.#failed(what, error));
  }

  #failed(what: string, error: unknown): void {
    this.#call.log('ERROR', `the recording could not be ${what}: ${String(error)}`);
  }
}
