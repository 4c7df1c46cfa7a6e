import { Downsampler } from '../providers/sound-resampling.server.ts';
import { AnswerSound } from './answer-sound.server.ts';
import { ProviderArrival } from './provider-arrival.server.ts';
import type { AnswerEvent } from './realtime-events.server.ts';

/** A part of an answer as it is made. */
export type AnswerPiece =
  /** Words, the sound that they belong to, and the samples of it that had arrived with them. */
  | { readonly kind: 'words'; readonly text: string; readonly sound: AnswerSound; readonly upTo: number }
  /** No more words follow for that sound. */
  | { readonly kind: 'words-end'; readonly sound: AnswerSound; readonly upTo: number }
  /** A tool is called; `text` is JSON. */
  | { readonly kind: 'call'; readonly id: string; readonly name: string; readonly text: string };

/** An item of the provider's conversation: words that were spoken, or a call of a tool. */
export interface AnswerItem {
  readonly id: string;
  readonly spoken: boolean;
}

/** Most tool calls of one answer; a model that makes more has lost its way. */
const MOST_CALLS = 6;
/** Most messages of one answer. */
const MOST_ITEMS = 12;
/** Most characters of one answer, also of one that nobody reads. */
const MOST_LETTERS = 20_000;
const ENDLESS = 'its answer has no end';

/** One answer of the provider, as it arrives. */
export class RealtimeResponse {
  /** Our own mark for it, which the provider sends back. */
  readonly key: string;
  /** Whether it becomes part of the provider's conversation. */
  readonly counts: boolean;
  /** The provider's id for it, once it has begun. */
  id: string | undefined;
  /** Whether it is to be cancelled as soon as it has begun. */
  unwanted = false;
  /** Resolves when the provider no longer works on it. */
  readonly left = Promise.withResolvers<void>();
  readonly #sounds = new Map<string, { readonly sound: AnswerSound; readonly resampling: Downsampler }>();
  readonly #items = new Map<string, AnswerItem>();
  readonly #names = new Map<string, string>();
  readonly #calls = new Set<string>();
  readonly #pieces: AnswerPiece[] = [];
  /** All the sound of an answer that is spoken outside the conversation. */
  readonly whole = new AnswerSound();
  #letters = 0;
  #over = false;
  #error: Error | undefined;
  readonly #arrival = new ProviderArrival();

  constructor(key: string, counts: boolean) {
    this.key = key;
    this.counts = counts;
  }

  /** No further words follow for any of its sounds. */
  settle(): void {
    for (const { sound } of this.#sounds.values()) sound.settle();
  }

  /** The items that it has added to the provider's conversation. */
  get items(): readonly AnswerItem[] {
    return [...this.#items.values()];
  }

  handle(event: AnswerEvent): void {
    if (this.#over) return;
    switch (event.type) {
      case 'response.output_item.added':
      case 'response.output_item.done':
        this.#handleItem(event);
        break;
      case 'response.output_audio.delta':
      case 'response.audio.delta':
        this.#addSound(event.item_id, event.delta);
        break;
      case 'response.output_audio.done':
      case 'response.audio.done':
        this.#sounds.get(event.item_id)?.sound.end();
        break;
      case 'response.function_call_arguments.done':
        this.#addItem(event.item_id, false);
        this.#addCall(event.call_id, event.name ?? this.#names.get(event.item_id), event.arguments);
        break;
      case 'response.output_audio_transcript.done':
      case 'response.audio_transcript.done':
      case 'response.output_text.done':
      case 'response.text.done':
        this.#emit({ kind: 'words-end', ...this.#getSoFar(event.item_id) });
        break;
      default:
        this.#addItem(event.item_id, true);
        this.#letters += event.delta.length;
        if (this.#letters > MOST_LETTERS) this.fail(ENDLESS);
        this.#emit({ kind: 'words', text: event.delta, ...this.#getSoFar(event.item_id) });
    }
    this.#arrival.notify();
  }

  /** The answer is complete, or was cancelled. */
  end(): void {
    if (this.#over) return;
    for (const { sound } of this.#sounds.values()) sound.end();
    this.whole.end();
    this.#finish();
  }

  /** The answer breaks off. */
  fail(why: string): void {
    if (this.#over) return;
    this.#error = new Error(why);
    for (const { sound } of this.#sounds.values()) sound.fail();
    this.whole.fail();
    this.#finish();
  }

  /**
   * The answer's pieces as they arrive. An aborted signal ends it. @throws Error where it breaks off or is
   * late
   */
  async *pieces(signal: AbortSignal): AsyncGenerator<AnswerPiece, void> {
    while (!signal.aborted) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) yield piece;
      else if (this.#error !== undefined) throw this.#error;
      else if (this.#over) return;
      else await this.#arrival.wait(signal, () => this.fail('it did not answer in time'));
    }
  }

  #finish(): void {
    this.#over = true;
    this.#arrival.notify();
  }

  #emit(piece: AnswerPiece): void {
    this.#pieces.push(piece);
  }

  #addItem(id: string, spoken: boolean): void {
    if (this.#items.size >= MOST_ITEMS && !this.#items.has(id)) this.fail(ENDLESS);
    else if (!this.#items.has(id)) this.#items.set(id, { id, spoken });
  }

  #handleItem({ type, item }: Extract<AnswerEvent, { readonly item: unknown }>): void {
    const called = item.type === 'function_call';
    if (called || item.type === 'message') this.#addItem(item.id, !called);
    if (!called) return;
    if (item.name !== undefined) this.#names.set(item.id, item.name);
    if (type === 'response.output_item.done' && item.call_id !== undefined)
      this.#addCall(item.call_id, item.name, item.arguments ?? '');
  }

  /**
   * Both the end of the arguments and the end of the item announce a call; in older versions only the item
   * has the name.
   */
  #addCall(id: string, name: string | undefined, text: string): void {
    if (name === undefined || this.#calls.has(id) || this.#calls.size >= MOST_CALLS) return;
    this.#calls.add(id);
    this.#emit({ kind: 'call', id, name, text });
  }

  #addSound(item: string, base64: string): void {
    this.#addItem(item, true);
    const { sound, resampling } = this.#getSound(item);
    const pcm = resampling.push(Buffer.from(base64, 'base64'));
    const fits = this.counts ? sound.push(pcm) : this.whole.push(pcm);
    if (!fits) this.fail(ENDLESS);
  }

  #getSoFar(item: string): { readonly sound: AnswerSound; readonly upTo: number } {
    const { sound } = this.#getSound(item);
    return { sound, upTo: sound.received };
  }

  #getSound(item: string): { readonly sound: AnswerSound; readonly resampling: Downsampler } {
    const there = this.#sounds.get(item) ?? { sound: new AnswerSound(), resampling: new Downsampler() };
    this.#sounds.set(item, there);
    return there;
  }
}
