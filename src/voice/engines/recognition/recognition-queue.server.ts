import { setImmediate } from 'node:timers/promises';
import type { ExpectedWords, Recognised } from '../engines.server.ts';
import type { LanguageModel } from './language-model-lookup.server.ts';
import type { MoonshineModel } from './moonshine-model.server.ts';
import type { RecogniserReply, RecogniserRequest } from './recogniser-messages.server.ts';
import { unfinishedText } from './spoken-words.server.ts';
import { READING_WIDTH, readUtterance } from './utterance-reading.server.ts';
import { createWordBias } from './word-bias.server.ts';

/** A partial text is read again after this many new samples. */
const PARTIAL_SAMPLES = 6400;
/**
 * After a partial text the queue rests this many times as long as reading it took: partial texts get a share
 * of one core.
 */
const PARTIAL_REST = 1.5;
/** The turn rules end an utterance after 30 s; sound beyond this is not kept. */
const MOST_SAMPLES = 32 * 16_000;

interface OpenUtterance {
  readonly id: number;
  readonly expected: ExpectedWords | undefined;
  readonly sound: Int16Array;
  samples: number;
  /** Samples of the utterance when its partial text was last read. */
  readAt: number;
  partial: string;
  /** Samples when the caller paused, while the pause lasts. */
  pausedAt: number | undefined;
  /** What was understood up to the pause. */
  atPause: Recognised | undefined;
  endedAt: number | undefined;
}

interface Stream {
  readonly id: number;
  readonly language: LanguageModel;
  readonly phrases: readonly string[];
  /** The open utterance is the last; those before it wait for their text. */
  utterances: OpenUtterance[];
}

type Work = { readonly stream: Stream; readonly utterance: OpenUtterance };

/**
 * Reads the utterances of all calls one after another: first those that have ended, the longest waiting
 * first; then those whose caller is quiet, so that the text is there when the turn ends; then partial texts,
 * as far as there is time. A partial text that is late is dropped.
 */
export class RecognitionQueue {
  readonly #model: MoonshineModel;
  readonly #language: (file: string) => LanguageModel;
  readonly #reply: (message: RecogniserReply) => void;
  readonly #streams = new Map<number, Stream>();
  #working = false;
  #restUntil = 0;
  #wake: NodeJS.Timeout | undefined;

  constructor(
    model: MoonshineModel,
    language: (file: string) => LanguageModel,
    reply: (message: RecogniserReply) => void,
  ) {
    this.#model = model;
    this.#language = language;
    this.#reply = reply;
  }

  take(request: RecogniserRequest): void {
    if (request.kind === 'open') {
      const { stream: id, ownModel, phrases } = request;
      this.#streams.set(id, { id, language: this.#language(ownModel), phrases, utterances: [] });
      return;
    }
    const stream = this.#streams.get(request.stream);
    if (!stream) return;
    if (request.kind === 'close') this.#streams.delete(stream.id);
    else if (request.kind === 'begin') begin(stream, request.utterance, request.expected);
    else change(stream, request);
    void this.#work();
  }

  async #work(): Promise<void> {
    if (this.#working) return;
    this.#working = true;
    clearTimeout(this.#wake);
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) await next();
    } finally {
      this.#working = false;
    }
    const rest = this.#restUntil - performance.now();
    if (rest > 0 && this.#streams.size > 0) this.#wake = setTimeout(() => void this.#work(), rest);
  }

  #next(): (() => Promise<void>) | undefined {
    const all = [...this.#streams.values()].flatMap((stream) =>
      stream.utterances.map((utterance): Work => ({ stream, utterance })),
    );
    const [ended] = all
      .filter(({ utterance }) => utterance.endedAt !== undefined)
      .sort((one, other) => (one.utterance.endedAt ?? 0) - (other.utterance.endedAt ?? 0));
    if (ended) return () => this.#finish(ended);
    const paused = all.find(({ utterance: { pausedAt, atPause } }) => pausedAt !== undefined && !atPause);
    if (paused) return () => this.#readPause(paused);
    if (performance.now() < this.#restUntil) return undefined;
    const [longest] = all
      .filter(
        ({ utterance: { samples, readAt, pausedAt } }) =>
          pausedAt === undefined && samples - readAt >= PARTIAL_SAMPLES,
      )
      .sort((one, other) => unread(other) - unread(one));
    return longest && (() => this.#readPartial(longest));
  }

  async #finish({ stream, utterance }: Work): Promise<void> {
    const heard = utterance.atPause ?? (await this.#read({ stream, utterance }, READING_WIDTH.whole));
    stream.utterances = stream.utterances.filter((one) => one !== utterance);
    if (!this.#streams.has(stream.id)) return;
    this.#reply({
      kind: 'heard',
      stream: stream.id,
      utterance: utterance.id,
      text: heard?.text ?? '',
      confidence: heard?.confidence ?? 0,
    });
  }

  /**
   * Reads the whole text so far. It becomes the final text if the pause lasts, and is the best partial text
   * until then.
   */
  async #readPause(work: Work): Promise<void> {
    const { utterance } = work;
    const { pausedAt } = utterance;
    const heard = await this.#read(work, READING_WIDTH.whole, async () => {
      await setImmediate();
      return utterance.pausedAt === pausedAt && (utterance.endedAt !== undefined || !this.#somethingEnded());
    });
    if (heard === null) return;
    if (utterance.pausedAt === pausedAt) utterance.atPause = heard;
    this.#tellPartial(work, heard.text);
  }

  async #readPartial(work: Work): Promise<void> {
    const { utterance } = work;
    const begun = performance.now();
    utterance.readAt = utterance.samples;
    const heard = await this.#read(work, READING_WIDTH.partial, async () => {
      await setImmediate();
      return utterance.pausedAt === undefined && !this.#somethingEnded();
    });
    const ended = performance.now();
    this.#restUntil = ended + (ended - begun) * PARTIAL_REST;
    if (heard !== null) this.#tellPartial(work, heard.text);
  }

  #tellPartial({ stream, utterance }: Work, whole: string): void {
    const text = unfinishedText(whole);
    const late = utterance.endedAt !== undefined || stream.utterances.at(-1) !== utterance;
    if (late || text === utterance.partial || !this.#streams.has(stream.id)) return;
    utterance.partial = text;
    this.#reply({ kind: 'partial', stream: stream.id, utterance: utterance.id, text });
  }

  #somethingEnded(): boolean {
    return [...this.#streams.values()].some(({ utterances }) =>
      utterances.some(({ endedAt }) => endedAt !== undefined),
    );
  }

  #read(
    { stream, utterance }: Work,
    width: number,
    goOn?: () => Promise<boolean>,
  ): Promise<Recognised | null> {
    const bias = createWordBias(stream.language, stream.phrases, utterance.expected);
    const sound = utterance.sound.subarray(0, utterance.pausedAt ?? utterance.samples);
    return readUtterance(this.#model, sound, { bias, width, ...(goOn ? { goOn } : {}) });
  }
}

const unread = ({ utterance: { samples, readAt } }: Work): number => samples - readAt;

function begin(stream: Stream, id: number, expected: ExpectedWords | undefined): void {
  // An utterance that was never ended has been given up.
  stream.utterances = stream.utterances.filter(({ endedAt }) => endedAt !== undefined);
  stream.utterances.push({
    id,
    expected,
    sound: new Int16Array(MOST_SAMPLES),
    samples: 0,
    readAt: 0,
    partial: '',
    pausedAt: undefined,
    atPause: undefined,
    endedAt: undefined,
  });
}

function change(
  stream: Stream,
  request: Exclude<RecogniserRequest, { kind: 'open' | 'begin' | 'close' }>,
): void {
  const utterance = stream.utterances.at(-1);
  if (!utterance || utterance.endedAt !== undefined) return;
  if (request.kind === 'sound') {
    const room = request.pcm.subarray(0, utterance.sound.length - utterance.samples);
    utterance.sound.set(room, utterance.samples);
    utterance.samples += room.length;
  } else if (request.kind === 'pause') {
    utterance.pausedAt = utterance.samples;
  } else if (request.kind === 'resume') {
    utterance.pausedAt = undefined;
    utterance.atPause = undefined;
  } else utterance.endedAt = performance.now();
}
