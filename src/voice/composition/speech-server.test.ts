import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeWave } from '@northline/speech/wave-file';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { joined } from '../../../packages/telephone-audio/src/sounds.fixture.ts';
import { ASSISTANT_HERTZ, simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { shareOfTone, tone } from '../../../tests/support/voice/voice-peer.ts';
import { withProviders } from './provider-engines.server.ts';

/** The voice of the server: raw samples, 24 000 a second. */
const SERVER_HERTZ = 900;
const SAID = tone((SERVER_HERTZ * 16_000) / 24_000, 1.5);
const BYTES = Buffer.from(SAID.buffer, SAID.byteOffset, SAID.byteLength);
const HALF = BYTES.length / 2;
/** The first half is heard before the rest is sent. */
let heardHalf = Promise.withResolvers<void>();

/** What the server does with a sentence, by its words. */
const WAYS: Readonly<Record<string, (reply: ServerResponse) => unknown>> = {
  'All at once.': (reply) => reply.end(BYTES),
  async 'In pieces.'(reply) {
    // A piece may end within a sample.
    reply.write(BYTES.subarray(0, HALF + 1));
    await heardHalf.promise;
    reply.end(BYTES.subarray(HALF + 1));
  },
  'Breaks off.': (reply) => reply.write(BYTES.subarray(0, HALF), () => reply.destroy()),
  'Refuses.': (reply) => reply.writeHead(500).end('{"error":{"message":"no voice"}}'),
  'Says why.': (reply) =>
    reply.writeHead(200, { 'content-type': 'application/json' }).end('{"error":"no voice"}'),
  'Another form.': (reply) => reply.writeHead(200, { 'content-type': 'audio/mpeg' }).end(BYTES),
  'A file.': (reply) =>
    reply.writeHead(200, { 'content-type': 'application/octet-stream' }).end(writeWave([SAID])),
  'Nothing.': (reply) => reply.end(),
  'Never answers.': () => {},
  'Never begins.': (reply) => reply.flushHeaders(),
  'Never ends.': (reply) => reply.write(BYTES.subarray(0, HALF)),
};
const asked: { url: string; key: string; body: Record<string, unknown> }[] = [];
const server = createServer(async (request: IncomingMessage, reply) => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const body = JSON.parse(Buffer.concat(pieces).toString());
  asked.push({ url: request.url ?? '', key: request.headers.authorization ?? '', body });
  await WAYS[body.input]?.(reply);
});

let address: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  address = `http://:sk-ours@127.0.0.1:${port}/v1?model=any-voice&voice=anna`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** Speaks a sentence as a call does. @param heard called with each piece */
async function speak(sentence: string, heard: (pcm: Int16Array) => void = () => {}) {
  const briefing = { system: () => '', tools: () => ({}), context: () => undefined };
  const settings = { VOICE_LLM_URL: '', VOICE_STT_URL: '', VOICE_TTS_URL: address };
  const warnings: string[] = [];
  const voice = await withProviders(settings, simpleEngines(), briefing).openVoice({
    ...{ callId: 'c1', assistant: {}, log: (_level, line) => void warnings.push(line) },
  });
  const pieces: Int16Array[] = [];
  for await (const pcm of voice.speak(sentence, new AbortController().signal)) {
    pieces.push(pcm);
    heard(pcm);
  }
  voice.close();
  const pcm = joined(pieces);
  const own = shareOfTone(pcm, ASSISTANT_HERTZ) > 0.5;
  return { by: own ? 'this server' : 'the provider', seconds: pcm.length / 16_000, warnings, pcm };
}

test('a speech server is asked in the words of OpenAI’s interface, and its sound is brought to 16 000 samples a second', async () => {
  const { by, seconds, warnings, pcm } = await speak('All at once.');
  expect([by, warnings]).toEqual(['the provider', []]);
  expect(seconds).toBeCloseTo(1, 1);
  expect(shareOfTone(pcm, SERVER_HERTZ)).toBeGreaterThan(0.9);
  expect(asked.at(-1)).toEqual({
    ...{ url: '/v1/audio/speech', key: 'Bearer sk-ours' },
    body: { model: 'any-voice', voice: 'anna', input: 'All at once.', response_format: 'pcm' },
  });
});

test('sound is heard while the server still makes the rest, however slow it is', async () => {
  heardHalf = Promise.withResolvers();
  // The server sends the rest only once the first half was heard.
  const { by, seconds, warnings, pcm } = await speak('In pieces.', () => heardHalf.resolve());
  expect([by, warnings]).toEqual(['the provider', []]);
  expect(seconds).toBeCloseTo(1, 1);
  expect(shareOfTone(pcm, SERVER_HERTZ)).toBeGreaterThan(0.9);
});

test('a server that breaks, refuses, or sends what is no raw sound never leaves the caller in silence', async () => {
  const cut = await speak('Breaks off.');
  expect([cut.by, cut.warnings.length]).toEqual(['the provider', 1]);
  expect(cut.seconds).toBeLessThan(0.6);
  for (const [sentence, why] of [
    ['Refuses.', '500'],
    ['Says why.', 'it sent application/json in place of raw samples'],
    ['Another form.', 'it sent audio/mpeg in place of raw samples'],
    ['A file.', 'it sent a WAVE file in place of raw samples'],
    ['Nothing.', 'it sent no sound'],
  ] as const) {
    const { by, warnings } = await speak(sentence);
    expect([sentence, by, warnings]).toEqual([sentence, 'this server', [expect.stringContaining(why)]]);
    expect(warnings.join()).not.toContain('sk-ours');
  }
});

test('a server that falls silent, before its answer or within it, is given up, and the call goes on', async () => {
  const [never, unbegun, unended] = await Promise.all(
    ['Never answers.', 'Never begins.', 'Never ends.'].map((sentence) => speak(sentence)),
  );
  const silent = [expect.stringContaining('it sent nothing for 4 s')];
  expect([never?.by, never?.warnings]).toEqual(['this server', silent]);
  expect([unbegun?.by, unbegun?.warnings]).toEqual(['this server', silent]);
  expect([unended?.by, unended?.warnings]).toEqual(['the provider', silent]);
  expect(unended?.seconds).toBeCloseTo(0.5, 1);
});
