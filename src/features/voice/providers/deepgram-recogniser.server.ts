import { WebSocket } from 'ws';
import { z } from 'zod';
import type { Recognised, SttStream } from '../engines.server.ts';
import type { ProviderAddress } from './provider-address.server.ts';

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
/** The rest of an utterance is answered within this, or what is there counts. */
const PATIENCE_MS = 1500;
/** Sound that waits for the connection, pieces. */
const MOST_WAITING = 500;

/**
 * Live recognition by Deepgram: sound goes up while it is spoken, so that the text is there a moment
 * after its end. When the connection is lost the embedded recogniser, which listens as well, answers,
 * and the next utterance opens a new one.
 */
export function deepgramRecogniser(
  { url, key, model }: ProviderAddress,
  fallback: SttStream | null,
  warn: (line: string) => void,
): SttStream {
  let socket: WebSocket | null = null;
  let broken = false;
  let closed = false;
  let waiting: (Buffer | string)[] = [];
  let parts: Recognised[] = [];
  let listener: (partial: Recognised) => void = () => {};
  let finished: (() => void) | null = null;
  const alive = setInterval(() => {
    if (socket?.readyState === WebSocket.OPEN) send('{"type":"KeepAlive"}');
  }, KEEP_ALIVE_MS);

  function open(): void {
    const query = new URLSearchParams({
      ...{ encoding: 'linear16', sample_rate: '16000', channels: '1', interim_results: 'true' },
      ...{ smart_format: 'true', endpointing: 'false', ...(model === '' ? {} : { model }) },
    });
    const opened = new WebSocket(`${url}?${query}`, { headers: { authorization: `Token ${key}` } });
    socket = opened;
    opened.on('open', () => {
      for (const piece of waiting.splice(0)) opened.send(piece);
    });
    opened.on('message', (data) => hear(String(data)));
    opened.on('error', (error) => lose(opened, error.message));
    opened.on('close', (code) => lose(opened, `closed with ${code}`));
  }

  function lose(which: WebSocket, why: string): void {
    if (socket !== which) return;
    socket = null;
    broken = true;
    finished?.();
    if (!closed) warn(`the recognition provider failed: ${why}`);
  }

  function send(message: Buffer | string): void {
    if (socket?.readyState === WebSocket.OPEN) socket.send(message);
    else if (socket !== null && waiting.length < MOST_WAITING) waiting.push(message);
  }

  function hear(text: string): void {
    const outcome = results.safeParse(parse(text));
    if (!outcome.success) return;
    const { is_final, from_finalize, channel } = outcome.data;
    const best = channel.alternatives[0];
    const heard = { text: best?.transcript ?? '', confidence: best?.confidence ?? 0 };
    if (is_final && heard.text !== '') parts.push(heard);
    listener(join(is_final ? parts : [...parts, heard]));
    if (from_finalize) finished?.();
  }

  return {
    name: model === '' ? 'deepgram' : model,
    beginUtterance() {
      parts = [];
      waiting = [];
      broken = false;
      if (socket === null && !closed) open();
      fallback?.beginUtterance();
    },
    push(pcm) {
      fallback?.push(pcm);
      send(Buffer.from(pcm.buffer.slice(pcm.byteOffset, pcm.byteOffset + pcm.byteLength)));
    },
    onPartial(each) {
      listener = each;
      fallback?.onPartial((partial) => broken && each(partial));
    },
    async endUtterance() {
      const own = fallback?.endUtterance();
      if (!broken) {
        await new Promise<void>((resolve) => {
          const patience = setTimeout(resolve, PATIENCE_MS);
          finished = () => {
            clearTimeout(patience);
            resolve();
          };
          send('{"type":"Finalize"}');
        });
        finished = null;
      }
      const heard = join(parts);
      return heard.text === '' && own ? own : heard;
    },
    close() {
      closed = true;
      clearInterval(alive);
      if (socket?.readyState === WebSocket.OPEN) socket.send('{"type":"CloseStream"}');
      socket?.close();
      fallback?.close();
    },
  };
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
