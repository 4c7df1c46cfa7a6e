import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { waveHeader, writeWave } from '@northline/speech/wave-file';
import { VapiClient } from '@vapi-ai/server-sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { joined } from '../../../../packages/telephone-audio/src/sounds.fixture.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../../tests/support/voice/simple-engines.ts';
import { voiceApi } from '../../../../tests/support/voice/voice-calls.ts';
import { shareOfTone, tone } from '../../../../tests/support/voice/voice-peer.ts';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';
import type { CallAssistant } from '../../engines/engines.server.ts';
import type { MediaSession } from '../../media/media-transport.server.ts';
import { openBackgroundSounds } from './background-sound.server.ts';
import { fetchSound, playLooped } from './fetched-sound.server.ts';

/** What the test's server serves at an address. */
interface Kept {
  readonly status?: number;
  readonly type?: string;
  readonly bytes?: Buffer;
}

/** The same samples with another rate in the header. */
function waveOf(pcm: Int16Array, rate: number, channels: 1 | 2 = 1): Buffer {
  const header = waveHeader(channels, pcm.length * 2);
  header.writeUInt32LE(rate, 24);
  return Buffer.concat([header, Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength)]);
}

const HUM = 1000;
const FILES: Readonly<Record<string, Kept>> = {
  '/hum.wav': { bytes: writeWave([tone(HUM, 3, 9000)]) },
  // 1 000 Hz at 44 100 samples a second.
  '/fast.wav': { bytes: waveOf(tone((HUM * 16_000) / 44_100, 6, 9000), 44_100) },
  // Half as many samples a second, and quieter than the target level.
  '/thin.wav': { bytes: waveOf(tone(HUM * 2, 2, 100), 8000) },
  '/stereo.wav': { bytes: waveOf(tone(HUM, 3), 16_000, 2) },
  '/slow.wav': { bytes: waveOf(tone(HUM, 3), 4000) },
  '/short.wav': { bytes: writeWave([tone(HUM, 0.5)]) },
  '/long.wav': { bytes: Buffer.alloc(6 * 1024 * 1024) },
  '/song.mp3': { bytes: Buffer.from('ID3 is no sound of ours'), type: 'audio/mpeg' },
  '/noise.ogg': { bytes: Buffer.concat([Buffer.from('OggS'), randomBytes(4000)]) },
  '/text.wav': { bytes: Buffer.from('Words and no sound.') },
  ...Object.fromEntries(
    ['hum.mp3', 'hum.opus', 'hum.aac', 'vorbis.ogg'].map((name) => [
      `/${name}`,
      { bytes: readFileSync(path.join(PROJECT_ROOT, 'tests/support/voice/sounds', name)) },
    ]),
  ),
  '/cut.wav': { bytes: Buffer.concat([waveHeader(1, 0).subarray(0, 18)]) },
  '/moved.wav': { status: 302 },
};

let app: TestApp;
let host: string;
const files = createServer((request, reply) => {
  const { status = 200, type = 'audio/wav', bytes } = FILES[request.url ?? ''] ?? { status: 404 };
  reply.writeHead(status, { 'content-type': type, location: '/hum.wav' }).end(bytes);
});
beforeAll(async () => {
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(files.address() as AddressInfo).port}`;
  app = await startTestApp({
    voiceEngines: simpleEngines(),
    settings: { OUTBOUND_ALLOW_HOSTS: host },
  });
});
afterAll(async () => {
  await app?.close();
  files.closeAllConnections();
  files.close();
});

const at = (name: string): string => `http://${host}${name}`;

test('a sound is brought to 16 kHz and to the loudness of a room, and its end fades into its beginning', async () => {
  for (const [name, seconds] of [
    ['/hum.wav', 3],
    ['/fast.wav', (6 * 16_000) / 44_100],
    ['/thin.wav', 4],
  ] as const) {
    const sound = await fetchSound(app.resources.outbound, at(name));
    // The seam takes a tenth of a second.
    expect([name, sound.length / 16_000]).toEqual([name, expect.closeTo(seconds - 0.1, 2)]);
    expect(shareOfTone(sound.subarray(4000, 20_000), HUM)).toBeGreaterThan(0.9);
    const level = Math.sqrt(sound.reduce((sum, sample) => sum + sample * sample, 0) / sound.length);
    expect([name, level]).toEqual([name, expect.closeTo(name === '/thin.wav' ? 71 : 200, -1)]);
    const next = playLooped(sound);
    const frames = joined(Array.from({ length: Math.ceil((2 * sound.length) / 320) }, next));
    // The sound continues smoothly where it starts again: no step is larger than the tone's own.
    const steps = frames.subarray(1).map((sample, before) => Math.abs(sample - (frames[before] ?? 0)));
    expect(steps.reduce((most, step) => Math.max(most, step), 0)).toBeLessThan(150);
  }
});

test('MP3 in stereo and Opus are decoded; their names and types are not asked', async () => {
  for (const name of ['/hum.mp3', '/hum.opus']) {
    const sound = await fetchSound(app.resources.outbound, at(name));
    // An encoder adds up to two of its frames, and the seam takes a tenth of a second.
    expect([name, sound.length / 16_000]).toEqual([name, expect.closeTo(2.95, 1)]);
    expect([name, shareOfTone(sound.subarray(4000, 20_000), HUM)]).toEqual([name, expect.closeTo(1, 1)]);
  }
});

test('what gives no sound is refused with a sentence when it is stored', async () => {
  const refusals = {
    '/stereo.wav': 'Only 16-bit mono sound is read.',
    '/slow.wav': 'It has 4000 samples a second.',
    '/short.wav': 'It lasts 0.5 seconds.',
    '/long.wav': 'The file is too long.',
    '/song.mp3': 'The MP3 file has no sound. It has to be an MP3 file, Opus in Ogg, or a WAVE file',
    '/hum.aac': 'AAC is not read. It has to be an MP3 file, Opus in Ogg, or a WAVE file',
    '/vorbis.ogg': 'Of sounds in Ogg, only Opus is read.',
    '/noise.ogg': 'It has to be an MP3 file, Opus in Ogg, or a WAVE file',
    '/text.wav': 'This is no sound file that we know.',
    '/cut.wav': 'This is no WAVE file.',
    '/none.wav': 'The address answers 404',
    '/moved.wav': 'The address answers 302; redirects are not followed.',
  };
  const kept = await voiceApi(app, 'POST', '/assistant', { name: 'Hum', backgroundSound: at('/hum.wav') });
  expect(kept).toMatchObject({ status: 201, body: { backgroundSound: at('/hum.wav') } });
  expect(kept.body).not.toHaveProperty('warnings');
  for (const [name, says] of Object.entries(refusals))
    expect(
      await voiceApi(app, 'PATCH', `/assistant/${kept.body.id}`, { backgroundSound: at(name) }),
    ).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', message: expect.stringContaining(says) },
    });
});

test('attack 36: a background sound of our own network is never fetched; the server SDK asks why', async () => {
  const client = new VapiClient({
    token: app.resources.keys.voice_private_key,
    baseUrl: `${app.url}/voice/v1`,
    maxRetries: 0,
  });
  const ask = (url: string) => client.assistants.assistantControllerValidateBackgroundSoundUrl({ url });
  expect(await ask(at('/hum.wav'))).toEqual({ valid: true });
  for (const url of [
    'http://127.0.0.1:9/a.wav',
    'https://169.254.169.254/a.wav',
    'https://localhost/a.wav',
  ]) {
    expect(await ask(url)).toMatchObject({ valid: false, reason: 'blocked-address' });
    const { status, body } = await voiceApi(app, 'POST', '/assistant', { name: 'A', backgroundSound: url });
    expect([status, body.code]).toEqual([400, 'validation_failed']);
  }
  expect(await ask('no address')).toMatchObject({ valid: false, reason: 'invalid-url' });
  expect(await ask(at('/none.wav'))).toMatchObject({ valid: false, reason: 'http-error', status: 404 });
  const song = { valid: false, reason: 'not-audio', status: 200, contentType: 'audio/mpeg' };
  expect(await ask(at('/song.mp3'))).toMatchObject(song);
});

test('the sound is that of whoever has the call, also where another one comes late', async () => {
  const late = Promise.withResolvers<never>();
  const sounds = openBackgroundSounds({ request: () => late.promise });
  const under: boolean[] = [];
  const session = {
    playUnder: (sound?: object) => void under.push(sound !== undefined),
  } as unknown as MediaSession;
  const lines: string[] = [];
  const play = (backgroundSound?: 'off' | 'office' | string) =>
    sounds.play({
      assistant: { backgroundSound } as CallAssistant,
      session,
      log: (_level, line) => void lines.push(line),
    });
  await play();
  expect(under).toEqual([]);
  await play('office');
  expect(under).toEqual([true]);
  const fetched = play('https://example.com/late.wav');
  await play('off');
  expect(under).toEqual([true, false]);
  late.reject(new Error('gone'));
  await fetched;
  expect(under).toEqual([true, false]);
  expect(lines).toHaveLength(1);
});
