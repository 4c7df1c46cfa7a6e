import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';
import { newRealtimeProvider, type RealtimeProvider, serveRealtime } from './realtime-provider.ts';

/** The language model's answer to a request in a test. */
export type ModelAnswer = { readonly text: string } | { readonly call: string; readonly given: object };

/**
 * A server for the APIs of OpenAI (chat, speech, transcriptions, realtime), Anthropic, Deepgram, ElevenLabs
 * and Cartesia.
 */
export interface VoiceProviders {
  /** The address with key and model, in the form of a setting; `path` comes before the query. */
  address(protocol: 'http' | 'ws', path: string): string;
  /** The address without key and query; `host` is for OUTBOUND_ALLOW_HOSTS. */
  readonly host: string;
  readonly key: string;
  /** Answers of the model, in order. */
  readonly answers: ModelAnswer[];
  /** Texts that recognition returns, in order. */
  readonly heard: string[];
  /** Bodies of the requests: JSON, or the bytes of a form. */
  readonly requests: { readonly path: string; readonly key: string; readonly body: string }[];
  /** From now on every request is refused, or breaks off after its first words. */
  mode: 'well' | 'refusing' | 'breaking';
  /** Its realtime sessions. */
  readonly realtime: RealtimeProvider;
  /** Milliseconds of sound for each word that live recognition shows before the end; with 0 it shows none. */
  wordMs: number;
  close(): Promise<void>;
}

const KEY = 'sk-test-key';
/** 16-bit sound of 16 000 samples a second. */
const BYTES_PER_MS = 32;
const TONE = Buffer.alloc(24_000 * 2 * 0.2);
for (let at = 0; at < TONE.length / 2; at++) TONE.writeInt16LE(Math.round(9000 * Math.sin(at / 10)), at * 2);

/** Starts one on a free port of the loopback. */
export async function startVoiceProviders(): Promise<VoiceProviders> {
  const providers = {
    answers: [] as ModelAnswer[],
    heard: [] as string[],
    requests: [] as VoiceProviders['requests'][number][],
    mode: 'well' as VoiceProviders['mode'],
    wordMs: 0,
    realtime: newRealtimeProvider(),
  };
  const server = createServer((request, response) => void answer(request, response));
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket, request) => {
    const result = (transcript: string, more: object) =>
      socket.send(
        JSON.stringify({
          type: 'Results',
          start: 0,
          duration: 1,
          channel: { alternatives: [{ transcript, confidence: 0.9, words: [] }] },
          ...more,
        }),
      );
    if (request.url?.startsWith('/v1/realtime?') === true) {
      if (request.headers.authorization === `Bearer ${KEY}`) serveRealtime(socket, providers);
      else socket.close(1008, 'no');
      return;
    }
    if (providers.mode === 'refusing' || request.headers.authorization !== `Token ${KEY}`) {
      socket.close(1008, 'no');
      return;
    }
    let bytes = 0;
    let shown = 0;
    const takeSound = (data: Buffer): void => {
      bytes += data.length;
      const count = providers.wordMs === 0 ? 0 : Math.floor(bytes / BYTES_PER_MS / providers.wordMs);
      const words = providers.heard[0]?.split(' ').slice(0, count) ?? [];
      if (words.length > shown) result(words.join(' '), { is_final: false, speech_final: false });
      shown = words.length;
    };
    socket.on('message', (data: Buffer, binary) => {
      if (binary) return takeSound(data);
      const { type } = JSON.parse(String(data)) as { type: string };
      providers.requests.push({ path: request.url ?? '', key: KEY, body: `${type} after ${bytes} bytes` });
      if (type === 'CloseStream') socket.close();
      if (type !== 'Finalize') return;
      const words = (bytes > 0 ? providers.heard.shift() : '') ?? '';
      bytes = 0;
      shown = 0;
      result(words.split(' ')[0] ?? '', { is_final: false, speech_final: false });
      result(words, { is_final: true, speech_final: false, from_finalize: true });
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('latin1');
    const path = request.url ?? '';
    const { authorization = '', 'x-api-key': own = '', 'xi-api-key': voices = '' } = request.headers;
    const key = authorization.replace('Bearer ', '') || String(own || voices);
    providers.requests.push({ path, key, body });
    if (providers.mode === 'refusing' || key !== KEY) {
      response
        .writeHead(503, { 'content-type': 'application/json' })
        .end('{"error":{"message":"overloaded"}}');
      return;
    }
    if (path === '/v1/chat/completions') complete(response, body);
    else if (path === '/v1/messages') messages(response);
    else if (path.startsWith('/v1/text-to-speech/') || path === '/tts/bytes') speak(response);
    else if (path === '/v1/audio/speech') speak(response);
    else if (path === '/v1/audio/transcriptions') {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ text: providers.heard.shift() ?? '' }));
    } else response.writeHead(404).end('{}');
  }

  function complete(response: ServerResponse, body: string): void {
    if (JSON.parse(body).stream !== true) whole(response, body);
    else chat(response, providers.answers.shift() ?? { text: 'I have nothing to say.' });
  }

  function speak(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'audio/pcm' });
    response.write(TONE.subarray(0, 1001));
    if (providers.mode === 'breaking') setTimeout(() => response.destroy(), 20);
    else response.end(TONE.subarray(1001));
  }

  /** A chat completion in one piece; JSON when requested. */
  function whole(response: ServerResponse, body: string): void {
    const said = providers.answers.shift() ?? { text: 'Nothing.' };
    const content = 'text' in said ? said.text : JSON.stringify(said.given);
    const asked = JSON.parse(body).response_format?.type === 'json_object';
    const message = { role: 'assistant', content: asked === 'text' in said ? '{}' : content };
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        id: 'c',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message, finish_reason: 'stop' }],
      }),
    );
  }

  /** Server-sent events as Anthropic's messages stream them. */
  function messages(response: ServerResponse): void {
    const said = providers.answers.shift() ?? { text: 'I have nothing to say.' };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (type: string, more: object) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
    const usage = { input_tokens: 11, output_tokens: 1 };
    send('message_start', {
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        usage,
      },
    });
    const block =
      'text' in said
        ? { type: 'text', text: '' }
        : { type: 'tool_use', id: 'call-1', name: said.call, input: {} };
    send('content_block_start', { index: 0, content_block: block });
    const text = 'text' in said ? said.text : JSON.stringify(said.given);
    for (const part of text.match(/.{1,5}/gs) ?? [])
      send('content_block_delta', {
        index: 0,
        delta:
          'text' in said
            ? { type: 'text_delta', text: part }
            : { type: 'input_json_delta', partial_json: part },
      });
    send('content_block_stop', { index: 0 });
    send('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } });
    send('message_stop', {});
    response.end();
  }

  /** Server-sent events as chat completions stream them, a few letters each. */
  function chat(response: ServerResponse, said: ModelAnswer): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const send = (delta: object, more: object = {}) =>
      response.write(
        `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`,
      );
    if ('text' in said) for (const part of said.text.match(/.{1,5}/gs) ?? []) send({ content: part });
    else {
      const text = JSON.stringify(said.given);
      send({
        tool_calls: [
          { index: 0, id: 'call-1', type: 'function', function: { name: said.call, arguments: '' } },
        ],
      });
      for (const part of text.match(/.{1,9}/gs) ?? [])
        send({ tool_calls: [{ index: 0, function: { arguments: part } }] });
    }
    if (providers.mode === 'breaking') {
      setTimeout(() => response.destroy(), 20);
      return;
    }
    send({}, { choices: [], usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 } });
    response.end('data: [DONE]\n\n');
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Object.assign(providers, {
    host: `127.0.0.1:${port}`,
    key: KEY,
    address: (protocol: 'http' | 'ws', path: string) =>
      `${protocol}://:${KEY}@127.0.0.1:${port}${path}?model=test-model&voice=verse`,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets.clients) socket.terminate();
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  });
}
