import type { ChildProcess } from 'node:child_process';
import type { ModelRuntime } from '@northline/speech/model-runtime';
import { RuntimeChoice } from '@northline/speech/runtime-choice';
import { startProgram } from '../../../kernel/concurrency/child-program.ts';
import { programFile } from '../../../kernel/concurrency/program-file.ts';
import type { SpeechReply, SpeechRequest } from './speech-messages.server.ts';

/** A text to say, and who gets its sound. */
export interface SpeechOrder {
  readonly folder: string;
  readonly text: string;
  readonly speed: number;
  readonly pronunciations: Readonly<Record<string, string>>;
  readonly idle: boolean;
  sound(pcm: Int16Array): void;
  /** Called once: without an error when everything was said. */
  ended(error?: Error): void;
}

export interface SpeechHostOptions {
  /** The folder of the voice that is loaded with the process. */
  readonly usualFolder: string;
  /** The runtime to use; without it the native one, where there is one. */
  readonly runtime?: ModelRuntime | undefined;
  /** The module that the process runs; only tests name another one. */
  readonly entry?: string | undefined;
  /** A piece that takes longer means that the process hangs; the process is ended. */
  readonly patienceMs?: number | undefined;
  /** After this time without a text the process ends, and its memory is freed. */
  readonly idleMs?: number | undefined;
}

interface Open {
  readonly order: SpeechOrder;
  /** Samples that came. */
  sent: number;
  /** Whether a process has ended while this was being said. */
  again: boolean;
}

interface Process {
  readonly child: ChildProcess;
  ready: boolean;
}

const ENTRY = programFile('src/voice/engines/speech/speech-process.server.ts');
const PATIENCE_MS = 10_000;
const IDLE_MS = 10 * 60_000;

/**
 * The process of the voices. It starts with the first text. When it ends in the middle of a text, the next one
 * says the rest: the same words are the same sound. A text that ends a second process too fails.
 */
export class SpeechHost {
  readonly #options: SpeechHostOptions;
  readonly #open = new Map<number, Open>();
  readonly #runtime: RuntimeChoice;
  #running: Process | null = null;
  #lastId = 0;
  #idle: NodeJS.Timeout | undefined;
  #patience: NodeJS.Timeout | undefined;

  constructor(options: SpeechHostOptions) {
    this.#options = options;
    this.#runtime = new RuntimeChoice(options.runtime);
  }

  /** Starts the process, if it does not run. */
  warm(): void {
    if (!this.#running) this.#start();
    this.#watch();
  }

  /** Says a text. @returns a function that stops it; its order then hears nothing more */
  say(order: SpeechOrder): () => void {
    const id = ++this.#lastId;
    this.#open.set(id, { order, sent: 0, again: false });
    if (this.#running) this.#request(id);
    else this.#start();
    this.#watch();
    return () => {
      if (!this.#open.delete(id)) return;
      this.#tell({ kind: 'stop', speech: id });
      this.#watch();
    };
  }

  close(): void {
    this.#stop();
    for (const id of [...this.#open.keys()]) this.#end(id, new Error('The voice was closed.'));
  }

  #start(): void {
    const child = startProgram(this.#options.entry ?? ENTRY, {
      words: [this.#options.usualFolder, ...this.#runtime.words],
      flags: ['--max-old-space-size=128', '--expose-gc'],
      failed: (error) => this.#lose(begun, error.message, true),
    });
    const begun: Process = { child, ready: false };
    child.on('message', (message: SpeechReply) => {
      if (this.#running === begun) this.#take(begun, message);
    });
    child.on('exit', (code, signal) => {
      this.#runtime.ended(signal, begun.ready);
      this.#lose(begun, `The voice's process ended (${signal ?? code}).`, true);
    });
    this.#running = begun;
    for (const id of this.#open.keys()) this.#request(id);
  }

  #take(from: Process, message: SpeechReply): void {
    if (message.kind === 'ready') from.ready = true;
    else if (message.kind === 'unusable') this.#lose(from, message.why, false);
    else if (message.kind === 'said') this.#end(message.speech);
    else if (message.kind === 'failed') this.#end(message.speech, new Error(message.why));
    else this.#hear(message.speech, message.pcm);
    this.#watch();
  }

  #hear(id: number, pcm: Int16Array): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    open.sent += pcm.length;
    open.order.sound(pcm);
  }

  #end(id: number, error?: Error): void {
    const open = this.#open.get(id);
    this.#open.delete(id);
    open?.order.ended(error);
  }

  /** @param again whether another process may say the rest */
  #lose(which: Process, why: string, again: boolean): void {
    if (this.#running !== which) return;
    this.#running = null;
    which.child.kill('SIGKILL');
    for (const [id, open] of [...this.#open]) {
      if (open.again || !again) this.#end(id, new Error(why));
      open.again = true;
    }
    if (this.#open.size > 0) this.#start();
    this.#watch();
  }

  #request(id: number): void {
    const open = this.#open.get(id);
    if (open === undefined) return;
    const { folder, text, speed, pronunciations, idle } = open.order;
    this.#tell({ kind: 'say', speech: id, folder, text, speed, pronunciations, idle, skip: open.sent });
  }

  #tell(request: SpeechRequest): void {
    if (this.#running?.child.connected) this.#running.child.send(request, () => {});
  }

  /** A process that is silent while texts are open hangs; one without texts is ended after a while. */
  #watch(): void {
    clearTimeout(this.#patience);
    clearTimeout(this.#idle);
    const current = this.#running;
    if (current === null) return;
    if (this.#open.size === 0) {
      this.#idle = setTimeout(() => this.#stop(), this.#options.idleMs ?? IDLE_MS).unref();
      return;
    }
    // Loading the models takes time, which does not count as hanging.
    const patience = (this.#options.patienceMs ?? PATIENCE_MS) * (current.ready ? 1 : 6);
    this.#patience = setTimeout(
      () => this.#lose(current, 'The voice did not answer.', true),
      patience,
    ).unref();
  }

  #stop(): void {
    const ending = this.#running;
    this.#running = null;
    clearTimeout(this.#idle);
    clearTimeout(this.#patience);
    ending?.child.kill('SIGTERM');
  }
}
