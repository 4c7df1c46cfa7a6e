import type { CallAssistant, CallContext } from '../engines/engines.server.ts';
import type { MediaSession } from '../media/media-transport.server.ts';
import { CallRecorder } from './call-recorder.server.ts';
import { recordingPlan } from './recording-plan.server.ts';
import type { RecordingStore } from './recording-store.server.ts';
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
  #wanted = false;
  #began = false;
  /** What is done to file and row, one after another. */
  #last: Promise<void> = Promise.resolve();

  private constructor(store: RecordingStore, call: RecordedCall, days: number | undefined) {
    this.#store = store;
    this.#call = call;
    this.#days = days;
    this.#recorder = new CallRecorder(call.session, (error) => this.#failed('written on', error));
  }

  /** Undefined where the assistant is not to be recorded: then no sound of the call is even looked at. */
  static prepare(store: RecordingStore, call: RecordedCall): CallRecording | undefined {
    const plan = recordingPlan(call.assistant);
    return plan === undefined ? undefined : new CallRecording(store, call, plan.days);
  }

  /** The caller agreed, or took it back. */
  consent(given: boolean): void {
    if (given === this.#wanted) return;
    this.#wanted = given;
    this.#then(given ? 'begun' : 'deleted', () => (given ? this.#begin() : this.#discard()));
  }

  /** The call is over: what was recorded is stored. */
  async close(): Promise<void> {
    this.#then('stored', async () => {
      if (!this.#began) return;
      await this.#recorder.stop();
      await this.#store.finish(this.#call.callId);
    });
    await this.#last;
  }

  async #begin(): Promise<void> {
    const { callId, log } = this.#call;
    const file = await this.#store.begin(callId, this.#days);
    this.#began = true;
    this.#recorder.start(await StereoFile.create(file));
    log('INFO', 'the call is recorded from now on');
  }

  async #discard(): Promise<void> {
    if (!this.#began) return;
    this.#began = false;
    await this.#recorder.stop();
    await this.#store.discard(this.#call.callId);
    this.#call.log('INFO', 'the recording was stopped and deleted');
  }

  #then(what: string, work: () => Promise<void>): void {
    this.#last = this.#last.then(work).catch((error: unknown) => this.#failed(what, error));
  }

  #failed(what: string, error: unknown): void {
    this.#call.log('ERROR', `the recording could not be ${what}: ${String(error)}`);
  }
}
