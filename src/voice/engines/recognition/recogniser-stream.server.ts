import type { ExpectedWords, Recognised, SttStream } from '../engines.server.ts';
import type { PreparedModels } from './model-preparation.server.ts';
import type { RecogniserReply, RecogniserRequest } from './recogniser-messages.server.ts';
import { SentUtterances } from './sent-utterances.server.ts';

export type TellLog = (level: 'INFO' | 'WARN', line: string) => void;

/** What a stream needs from the process that it shares with other streams. */
export interface RecogniserLine {
  /** @returns false where there is no process */
  tell(request: RecogniserRequest): boolean;
  /** Starts a process, where none runs. */
  start(): void;
  /** Says that an answer is awaited. */
  waits(): void;
  closed(): void;
}

/** One call's side of the recogniser. */
export class RecogniserStream implements SttStream {
  readonly name = 'moonshine';
  readonly id: number;
  readonly log: TellLog;
  readonly sent = new SentUtterances();
  #models: PreparedModels | undefined;
  readonly #line: RecogniserLine;
  #listener: (partial: Recognised) => void = () => {};
  #closed = false;
  /** Whether the models could not be prepared. */
  #failed = false;

  /** @param models what the call's assistant knows; sound that comes before it is sent after it */
  constructor(id: number, models: Promise<PreparedModels>, log: TellLog, line: RecogniserLine) {
    this.id = id;
    this.log = log;
    this.#line = line;
    models.then(
      (prepared) => {
        this.#models = prepared;
        if (!this.#closed) this.introduce();
      },
      (error: unknown) => {
        this.#failed = true;
        log('WARN', `speech is not recognised in this call: ${String(error)}`);
        this.sent.lose(false);
      },
    );
  }

  /** Sends a new process this call's models and the utterances that have no text yet. */
  introduce(): void {
    if (this.#models === undefined) return;
    const { ownModel, phrases } = this.#models;
    this.#line.tell({ kind: 'open', stream: this.id, ownModel, phrases });
    for (const request of this.sent.again()) this.#line.tell(request);
  }

  /** Handles an answer of the process. */
  take(message: Extract<RecogniserReply, { kind: 'partial' | 'heard' }>): void {
    if (message.kind === 'heard')
      this.sent.answer(message.utterance, { text: message.text, confidence: message.confidence });
    else if (this.sent.isOpen(message.utterance)) this.#listener({ text: message.text, confidence: 1 });
  }

  beginUtterance(expected?: ExpectedWords): void {
    if (this.#closed) return;
    this.#line.start();
    this.#send({ kind: 'begin', stream: this.id, utterance: this.sent.next(), expected });
  }

  push(pcm: Int16Array): void {
    this.#send({ kind: 'sound', stream: this.id, pcm });
  }

  pauseUtterance(): void {
    this.#send({ kind: 'pause', stream: this.id });
  }

  resumeUtterance(): void {
    this.#send({ kind: 'resume', stream: this.id });
  }

  onPartial(listener: (partial: Recognised) => void): void {
    this.#listener = listener;
  }

  endUtterance(): Promise<Recognised> {
    const heard = this.sent.ask();
    const isSent = this.#send({ kind: 'end', stream: this.id });
    const isWaiting = this.#models === undefined && !this.#failed;
    if (!isSent && !isWaiting) this.sent.lose(false);
    this.#line.waits();
    return heard;
  }

  close(): void {
    this.#closed = true;
    this.#line.tell({ kind: 'close', stream: this.id });
    this.sent.lose(false);
    this.#line.closed();
  }

  #send(request: RecogniserRequest): boolean {
    this.sent.note(request);
    return this.#models !== undefined && this.#line.tell(request);
  }
}
