import type { ExpectedWords, Recognised, SttStream } from '../engines.server.ts';
import { Upsampler } from '../providers/sound-resampling.server.ts';
import type { HeardUtterance, RealtimeSession } from './realtime-session.server.ts';

/**
 * How long the provider's text of an utterance is waited for, ms; after that the embedded recogniser's text
 * counts.
 */
const PATIENCE_MS = 2500;
/** An utterance, and the connection that its sound was sent on. */
type CommittedUtterance = HeardUtterance & { readonly connection: number | undefined };

const NOTHING: Recognised = { text: '', confidence: 0 };

/**
 * Sends the caller's sound to a realtime session, utterance by utterance, and answers with the provider's
 * text. The embedded recogniser listens as well: it shows what is understood so far, and answers when the
 * provider does not.
 */
export class RealtimeRecogniser implements SttStream {
  readonly name: string;
  readonly #session: RealtimeSession;
  readonly #fallback: SttStream | null;
  #sound = new Upsampler();
  /**
   * The connection that the whole open utterance was sent on; undefined where no connection has all of it.
   */
  #connection: number | undefined;
  /** Whether the provider may hold sound that belongs to no utterance. */
  #unclosed = false;
  /** The utterance before: utterances join the conversation in the order in which they were said. */
  #before: Promise<unknown> = Promise.resolve();

  constructor(name: string, session: RealtimeSession, fallback: SttStream | null) {
    this.name = name;
    this.#session = session;
    this.#fallback = fallback;
    session.attach();
  }

  beginUtterance(expected?: ExpectedWords): void {
    // The session writes a refusal into the call's log.
    this.#session.open().catch(() => {});
    if (this.#unclosed) this.#session.send({ type: 'input_audio_buffer.clear' });
    this.#unclosed = true;
    this.#sound = new Upsampler();
    this.#connection = this.#session.connection;
    this.#fallback?.beginUtterance(expected);
  }

  push(pcm: Int16Array): void {
    this.#fallback?.push(pcm);
    this.#append(this.#sound.push(pcm));
  }

  pauseUtterance(): void {
    this.#fallback?.pauseUtterance?.();
  }

  resumeUtterance(): void {
    this.#fallback?.resumeUtterance?.();
  }

  onPartial(listener: (partial: Recognised) => void): void {
    this.#fallback?.onPartial(listener);
  }

  endUtterance(): Promise<Recognised> {
    const own = this.#fallback?.endUtterance() ?? Promise.resolve(NOTHING);
    const heard = this.#commit();
    const done = this.#addToConversation(own, heard, this.#before);
    this.#before = done.catch(() => {});
    return done;
  }

  close(): void {
    this.#session.release();
    this.#fallback?.close();
  }

  #append(sound: Buffer): void {
    if (this.#connection !== this.#session.connection || sound.length === 0) return;
    const sent = this.#session.send({ type: 'input_audio_buffer.append', audio: sound.toString('base64') });
    // With a gap in its sound the utterance cannot be used.
    if (!sent) this.#connection = undefined;
  }

  async #commit(): Promise<CommittedUtterance> {
    const connection = this.#connection;
    if (connection === undefined || connection !== this.#session.connection)
      return { item: undefined, text: undefined, connection };
    this.#unclosed = false;
    return { ...(await this.#session.commit(PATIENCE_MS)), connection };
  }

  async #addToConversation(
    own: Promise<Recognised>,
    committing: Promise<CommittedUtterance>,
    before: Promise<unknown>,
  ): Promise<Recognised> {
    const [{ item, text, connection }] = await Promise.all([committing, before]);
    const recognised = text === undefined || text === '' ? await own : { text, confidence: 1 };
    if (item !== undefined && connection === this.#session.connection) {
      if (recognised.text.trim() === '') this.#session.deleteItem(item);
      else this.#session.conversation.addUtterance(item, recognised.text);
    }
    return recognised;
  }
}
