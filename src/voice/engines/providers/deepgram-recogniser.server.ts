import { WebSocket } from 'ws';
import { z } from 'zod';
import type { ProviderAddress } from '../../../kernel/config/provider-address.ts';
import type { ExpectedWords, Recognised, SttStream } from '../engines.server.ts';
import type { ProviderGuard } from './provider-access.server.ts';

/** What Deepgram's live recognition answers, as far as it is used. */
const results = z.object({
  type: z.literal('Results'),
  is_final: z.boolean(),
  from_finalize: z.boolean().optional(),
  channel: z.object({
    alternatives: z.array(z.object({ transcript: z.string(), confidence: z.number() })),
  }),
});

/** A connection without sound is closed by the provider after 10 s. */
const KEEP_ALIVE_MS = 4000;
/** How long the rest of an utterance is waited for, ms; after that the text so far counts. */
const PATIENCE_MS = 1500;
/** Most pieces of sound that wait for the connection. */
const MOST_WAITING = 500;

/** What an assistant may say about its recognition. */
interface DeepgramOptions {
  /** Further parameters of the address: language, words to listen for. */
  readonly query?: readonly (readonly [name: string, value: string])[];
  readonly socket?: ProviderGuard['socket'];
}

/**
 * Live recognition by Deepgram: sound is sent while the caller speaks, so that the text is there a moment
 * after the end. When the connection is lost the embedded recogniser, which listens as well, answers, and the
 * next utterance opens a new one.
 */
export class DeepgramRecogniser implements SttStream {
  readonly name: string;
  readonly #address: ProviderAddress;
  readonly #options: DeepgramOptions;
  readonly #fallback: SttStream | null;
  readonly #warn: (line: string) => void;
  readonly #keepAlive: NodeJS.Timeout;
  #socket: WebSocket | null = null;
  #broken = false;
  #closed = false;
  #waiting: (Buffer | string)[] = [];
  #parts: Recognised[] = [];
  #listener: (partial: Recognised) => void = () => {};
  #finish: (() => void) | null = null;

  constructor(
    address: ProviderAddress,
    fallback: SttStream | null,
    warn: (line: string) => void,
    options: DeepgramOptions = {},
  ) {
    this.#options = options;
    this.name = address.model === '' ? 'deepgram' : address.model;
    this.#address = address;
    this.#fallback = fallback;
    this.#warn = warn;
    this.#keepAlive = setInterval(() => {
      if (this.#socket?.readyState === WebSocket.OPEN) this.#send('{"type":"KeepAlive"}');
    }, KEEP_ALIVE_MS);
  }

  beginUtterance(expected?: ExpectedWords): void {
    this.#parts = [];
    this.#waiting = [];
    this.#broken = false;
    if (this.#socket === null && !this.#closed) this.#open();
    this.#fallback?.beginUtterance(expected);
  }

  push(pcm: Int16Array): void {
    this.#fallback?.push(pcm);
    this.#send(Buffer.from(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.byteLength)));
  }

  pauseUtterance(): void {
    this.#fallback?.pauseUtterance?.();
  }

  resumeUtterance(): void {
    this.#fallback?.resumeUtterance?.();
  }

  onPartial(listener: (partial: Recognised) => void): void {
    this.#listener = listener;
    this.#fallback?.onPartial((partial) => this.#broken && listener(partial));
  }

  async endUtterance(): Promise<Recognised> {
    const own = this.#fallback?.endUtterance();
    if (!this.#broken) await this.#finalize();
    const recognised = join(this.#parts);
    return recognised.text === '' && own ? own : recognised;
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#keepAlive);
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send('{"type":"CloseStream"}');
    this.#socket?.close();
    this.#fallback?.close();
  }

  #open(): void {
    const { url, key, model } = this.#address;
    const query = new URLSearchParams({
      encoding: 'linear16',
      sample_rate: '16000',
      channels: '1',
      interim_results: 'true',
      smart_format: 'true',
      endpointing: 'false',
      ...(model === '' ? {} : { model }),
    });
    for (const [name, value] of this.#options.query ?? []) query.append(name, value);
    const headers = { authorization: `Token ${key}` };
    const socket = this.#connect(`${url}?${query}`, headers);
    if (socket === null) return;
    this.#socket = socket;
    socket.on('open', () => {
      for (const piece of this.#waiting.splice(0)) socket.send(piece);
    });
    socket.on('message', (data) => this.#onMessage(String(data)));
    socket.on('error', (error) => this.#onLost(socket, error.message));
    socket.on('close', (code) => this.#onLost(socket, `closed with ${code}`));
  }

  /** Null where the address may not be called: then the embedded recogniser answers. */
  #connect(url: string, headers: Record<string, string>): WebSocket | null {
    try {
      return new WebSocket(url, { headers, followRedirects: false, ...this.#options.socket?.(url) });
    } catch (error) {
      this.#broken = true;
      this.#warn(`the recognition provider failed: ${(error as Error).message}`);
      return null;
    }
  }

  #onLost(socket: WebSocket, why: string): void {
    if (this.#socket !== socket) return;
    this.#socket = null;
    this.#broken = true;
    this.#finish?.();
    if (!this.#closed) this.#warn(`the recognition provider failed: ${why}`);
  }

  #send(message: Buffer | string): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(message);
    else if (this.#socket !== null && this.#waiting.length < MOST_WAITING) this.#waiting.push(message);
  }

  #onMessage(text: string): void {
    const outcome = results.safeParse(parse(text));
    if (!outcome.success) return;
    const { is_final, from_finalize, channel } = outcome.data;
    const best = channel.alternatives[0];
    const part = { text: best?.transcript ?? '', confidence: best?.confidence ?? 0 };
    if (is_final && part.text !== '') this.#parts.push(part);
    this.#listener(join(is_final ? this.#parts : [...this.#parts, part]));
    if (from_finalize) this.#finish?.();
  }

  /**
   * Resolves when the provider has answered for the whole utterance, when it is lost, or after `PATIENCE_MS`.
   */
  async #finalize(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const patience = setTimeout(resolve, PATIENCE_MS);
    this.#finish = resolve;
    this.#send('{"type":"Finalize"}');
    await promise;
    clearTimeout(patience);
    this.#finish = null;
  }
}

function join(parts: readonly Recognised[]): Recognised {
  const said = parts.filter((part) => part.text !== '');
  const confidence = said.reduce((least, part) => Math.min(least, part.confidence), 1);
  return { text: said.map((part) => part.text).join(' '), confidence: said.length === 0 ? 0 : confidence };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
