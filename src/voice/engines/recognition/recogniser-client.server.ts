import type { ChildProcess } from 'node:child_process';
import type { ModelRuntime } from '@northline/speech/model-runtime';
import { RuntimeChoice } from '@northline/speech/runtime-choice';
import { startProgram } from '../../../kernel/concurrency/child-program.ts';
import { programFile } from '../../../kernel/concurrency/program-file.ts';
import type { SttStream } from '../engines.server.ts';
import type { PreparedModels } from './model-preparation.server.ts';
import type { RecogniserReply, RecogniserRequest } from './recogniser-messages.server.ts';
import { RecogniserStream, type TellLog } from './recogniser-stream.server.ts';

/** The recogniser of all calls, in one process. */
export interface Recogniser {
  /** Loads the process for a call that is about to be joined. */
  warm(): void;
  /** Opens a call's own stream at once; its models may come later. `tell` writes to the call's log. */
  open(models: PreparedModels | Promise<PreparedModels>, tell: TellLog): SttStream;
  close(): void;
}

export interface RecogniserOptions {
  /** The runtime to use; without it the native one, where there is one. */
  readonly runtime?: ModelRuntime;
  /** The module that the process runs; only tests name another one. */
  readonly entry?: string;
  /** An answer that takes longer means that the process hangs; the process is ended. */
  readonly patienceMs?: number;
  /** After this time without a call the process ends, and its memory is freed. */
  readonly idleMs?: number;
}

interface Process {
  readonly child: ChildProcess;
  /** The line for the call's log about the loaded model; set by the process's first message. */
  ready: string | undefined;
}

const ENTRY = programFile('src/voice/engines/recognition/recogniser-process.server.ts');
const PATIENCE_MS = 8000;
const IDLE_MS = 60_000;

/**
 * Nothing runs before the first `warm` or `open`. A process that ends during a call is started again and is
 * sent the open utterances once more, so that no word is lost. An utterance that ends a second process too
 * gets an empty text.
 */
export function createRecogniser(options: RecogniserOptions = {}): Recogniser {
  return new RecogniserHost(options);
}

class RecogniserHost implements Recogniser {
  readonly #entry: string;
  readonly #patienceMs: number;
  readonly #idleMs: number;
  readonly #streams = new Map<number, RecogniserStream>();
  readonly #runtime: RuntimeChoice;
  #running: Process | null = null;
  #lastId = 0;
  #idle: NodeJS.Timeout | undefined;
  #patience: NodeJS.Timeout | undefined;

  constructor({ runtime, entry = ENTRY, patienceMs = PATIENCE_MS, idleMs = IDLE_MS }: RecogniserOptions) {
    this.#runtime = new RuntimeChoice(runtime);
    this.#entry = entry;
    this.#patienceMs = patienceMs;
    this.#idleMs = idleMs;
  }

  warm(): void {
    if (!this.#running) this.#start();
    this.#stayWhileUsed();
  }

  open(models: PreparedModels | Promise<PreparedModels>, tell: TellLog): SttStream {
    const stream = new RecogniserStream(++this.#lastId, Promise.resolve(models), tell, {
      tell: (request) => this.#tell(request),
      start: () => {
        if (!this.#running) this.#start();
      },
      waits: () => this.#watch(),
      closed: () => {
        this.#streams.delete(stream.id);
        this.#stayWhileUsed();
      },
    });
    this.#streams.set(stream.id, stream);
    this.#stayWhileUsed();
    if (!this.#running) this.#start();
    else stream.introduce();
    if (this.#running?.ready) tell('INFO', this.#running.ready);
    return stream;
  }

  close(): void {
    for (const { sent } of this.#streams.values()) sent.lose(false);
    this.#streams.clear();
    this.#stop();
  }

  #start(): void {
    const child = startProgram(this.#entry, {
      words: this.#runtime.words,
      flags: ['--max-old-space-size=256'],
      failed: (error) => this.#lose(begun, error.message, true),
    });
    const begun: Process = { child, ready: undefined };
    child.on('message', (message: RecogniserReply) => {
      if (this.#running === begun) this.#take(begun, message);
    });
    child.on('exit', (code, signal) => {
      this.#runtime.ended(signal, begun.ready !== undefined);
      this.#lose(begun, `The recogniser ended (${signal ?? code}).`, true);
    });
    this.#running = begun;
    for (const stream of this.#streams.values()) stream.introduce();
  }

  #take(from: Process, message: RecogniserReply): void {
    if (message.kind === 'unusable') this.#lose(from, message.why, false);
    else if (message.kind === 'ready') {
      from.ready = `recogniser loaded: ${message.runtime}, ${message.megabytes} MB`;
      for (const stream of this.#streams.values()) stream.log('INFO', from.ready);
    } else this.#streams.get(message.stream)?.take(message);
    this.#watch();
  }

  /** @param again whether another process may be sent the utterances that this one had */
  #lose(which: Process, why: string, again: boolean): void {
    if (this.#running !== which) return;
    this.#running = null;
    which.child.kill('SIGKILL');
    clearTimeout(this.#patience);
    for (const { log, sent } of this.#streams.values()) {
      log('WARN', why);
      sent.lose(again);
    }
    if ([...this.#streams.values()].some(({ sent }) => sent.any)) this.#start();
  }

  /** Somebody waits for an answer: if it does not come in time, the process is taken to hang. */
  #watch(): void {
    clearTimeout(this.#patience);
    const current = this.#running;
    const waited = [...this.#streams.values()].some(({ sent }) => sent.waits);
    // Loading the model takes time, which does not count as hanging.
    if (!waited || current?.ready === undefined) return;
    const hangs = () => this.#lose(current, 'The recogniser did not answer.', true);
    this.#patience = setTimeout(hangs, this.#patienceMs).unref();
  }

  #tell(request: RecogniserRequest): boolean {
    if (!this.#running?.child.connected) return false;
    this.#running.child.send(request, () => {});
    return true;
  }

  #stayWhileUsed(): void {
    clearTimeout(this.#idle);
    if (this.#streams.size === 0) this.#idle = setTimeout(() => this.#stop(), this.#idleMs).unref();
  }

  #stop(): void {
    const ending = this.#running;
    this.#running = null;
    clearTimeout(this.#idle);
    clearTimeout(this.#patience);
    ending?.child.kill('SIGTERM');
  }
}
