import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { writeWave } from '@northline/speech/wave-file';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { joined } from '../../../packages/telephone-audio/src/sounds.fixture.ts';
import { claims, showsSettings } from '../../../tests/support/claims.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import {
  endCall,
  evidenceKinds,
  said,
  typeIn,
} from '../../../tests/support/voice/recordings/recorded-call.ts';
import { ASSISTANT_HERTZ, simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { openTelephone } from '../../../tests/support/voice/sip-telephone.ts';
import { eventually, greetedCall, startCall, voiceApi } from '../../../tests/support/voice/voice-calls.ts';
import { shareOfTone, tone, until } from '../../../tests/support/voice/voice-peer.ts';
import { PROJECT_ROOT } from '../../kernel/config/project-root.ts';
import { FULL_SCALE, gainToVoice, loudness } from '../media/loudness.server.ts';
import { isSoundAddress } from './first-sound.server.ts';

const JINGLE = 1200;
const INSTEAD = 'Hello, this is the AI assistant of Northline. How can I help you?';
const FILES: Readonly<Record<string, Buffer>> = {
  '/jingle.wav': writeWave([tone(JINGLE, 1, 9000)]),
  '/northline.wav': writeWave([tone(JINGLE, 1, 9000)]),
  '/long.wav': writeWave([tone(JINGLE, 30, 9000)]),
  '/large.wav': Buffer.alloc(7 * 1024 * 1024),
  '/song.mp3': Buffer.from('ID3 is no sound of ours'),
  ...Object.fromEntries(
    ['hum.mp3', 'hum.opus'].map((name) => [
      `/${name}`,
      readFileSync(path.join(PROJECT_ROOT, 'tests/support/voice/sounds', name)),
    ]),
  ),
  '/hot.wav': writeWave([tone(JINGLE, 2, 32_767)]),
  // Some 37 dB below full scale, with a pause in it that is no part of its level.
  '/faint.wav': writeWave([tone(JINGLE, 1, 650), new Int16Array(16_000), tone(JINGLE, 1, 650)]),
};
/** The tone of the MP3 file. */
const HUM = 1000;

let app: TestApp;
const asked: string[] = [];
const hosts: string[] = [];
/** The second server stands at an address of our own network that is not allowed. */
const servers = [0, 1].map(() =>
  createServer(({ url = '' }, reply) => {
    asked.push(url);
    const [name = ''] = url.split('?');
    const file = FILES[name];
    // This one accepts the request and never answers it.
    if (name === '/never.wav') return;
    reply.writeHead(file === undefined ? 404 : 200, { 'content-type': 'audio/wav' }).end(file);
  }),
);
beforeAll(async () => {
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    hosts.push(`127.0.0.1:${(server.address() as AddressInfo).port}`);
  }
  app = await startTestApp({
    voiceEngines: simpleEngines(),
    settings: { OUTBOUND_ALLOW_HOSTS: hosts[0] ?? '', SIP_LISTEN: 'udp://127.0.0.1:0' },
  });
});
afterAll(async () => {
  await app?.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

const at = (name: string, host = hosts[0]): string => `http://${host}${name}`;
const jingleIn = (heard: readonly Int16Array[]): number => shareOfTone(joined([...heard]), JINGLE);
const logOf = async (id: string): Promise<string> =>
  JSON.stringify((await voiceApi(app, 'GET', `/log?callId=${id}`)).body.results);

test('a browser hears the sound, and the record names its file, not its address', async () => {
  showsSettings('assistant', 'firstMessage');
  claims('Write words, or the address of a sound file (MP3, Opus or WAVE) that is played instead.');
  const call = await greetedCall(app, { assistant: { firstMessage: at('/jingle.wav?key=secret') } });
  onTestFinished(() => call.peer.close());
  expect(jingleIn(call.peer.heard)).toBeGreaterThan(0.3);
  expect(asked.filter((url) => url.startsWith('/jingle'))).toEqual(['/jingle.wav?key=secret']);
  typeIn(call, 'what does the audit cost');
  await until('it goes on', () => said(call).includes('You said what does the audit cost'));
  const record = await endCall(call);
  expect(record.transcript.split('\n')[0]).toBe('AI: Sound: jingle.wav');
  expect(await logOf(call.id)).not.toContain('firstMessage');
  // A sound is not synthesised, so no voice is paid for it.
  const spoken = [
    'You said what does the audit cost.',
    'The audit is free, and it takes about a week of your time and ours.',
  ];
  expect(record.costBreakdown.ttsCharacters).toBe(spoken.join('').length);
});

test('a telephone hears it, with templates in its path, and each call of a stored assistant anew', async () => {
  const telephone = await openTelephone();
  onTestFinished(() => telephone.close());
  const { status, body } = await voiceApi(app, 'POST', '/assistant', {
    firstMessage: at('/{{ brand | downcase }}.wav'),
  });
  expect([status, body.warnings]).toEqual([201, undefined]);
  const number = await voiceApi(app, 'POST', '/phone-number/buy', { areaCode: '202', assistantId: body.id });
  for (let time = 0; time < 2; time += 1) {
    const call = await telephone.dial(number.body.sipUri);
    await until('the sound is heard', () => jingleIn(call.heard) > 0.3);
    await until('the sound is over', () => jingleIn(call.heard.slice(-10)) < 0.05);
    call.call.hangUp();
  }
});

test('a caller interrupts it as they interrupt a sentence, and it stands in the record', async () => {
  const call = await startCall(app, { assistant: { firstMessage: at('/long.wav') } });
  onTestFinished(() => call.peer.close());
  call.peer.send('playable');
  await until('the sound is heard', () => jingleIn(call.peer.heard) > 0.3);
  await call.peer.speak(tone(500, 0.8));
  await call.peer.speak(new Int16Array(16_000));
  await until('the caller is answered', () => said(call).includes('You said what does the audit cost'));
  expect(jingleIn(call.peer.heard.slice(-20))).toBeLessThan(0.05);
  expect((await endCall(call)).transcript.split('\n').slice(0, 2)).toEqual([
    'AI: Sound: long.wav',
    'User: what does the audit cost',
  ]);
});

test('recording is asked for after the sound, and a yes counts', async () => {
  const call = await startCall(app, {
    assistant: { firstMessage: at('/jingle.wav'), artifactPlan: { recordingEnabled: true } },
  });
  onTestFinished(() => call.peer.close());
  call.peer.send('playable');
  await until('the question was heard', () => said(call).includes('yes or no'));
  expect(jingleIn(call.peer.heard)).toBeGreaterThan(0.1);
  expect(shareOfTone(joined([...call.peer.heard]), ASSISTANT_HERTZ)).toBeGreaterThan(0.1);
  typeIn(call, 'yes');
  await until('it is recorded', () => said(call).includes('recorded from now on'));
  await endCall(call);
  expect(await evidenceKinds(app, call.id)).toContainEqual(['consent', { to: 'recording', given: true }]);
});

test('a sound that cannot be had is a sentence, and the log says why; a stored assistant is warned about', async () => {
  const faults: Readonly<Record<string, string>> = {
    '/none.wav': 'The address answers 404',
    '/large.wav': 'The file is too long.',
    '/song.mp3': 'The MP3 file has no sound.',
    '/never.wav': 'It did not come in time.',
  };
  for (const [name, why] of Object.entries(faults)) {
    const call = await greetedCall(app, { assistant: { firstMessage: at(name) } });
    expect(shareOfTone(joined([...call.peer.heard]), ASSISTANT_HERTZ)).toBeGreaterThan(0.3);
    expect((await endCall(call)).transcript).toBe(`AI: ${INSTEAD}\n`);
    expect(await logOf(call.id)).toContain(`a sentence took the place of the sound. ${why}`);
    await call.peer.close();
  }
  const { status, body } = await voiceApi(app, 'POST', '/assistant', { firstMessage: at('/song.mp3') });
  expect([status, body.warnings]).toEqual([
    201,
    [
      expect.stringMatching(
        /^firstMessage: callers hear a sentence in its place\. The MP3 file has no sound\./,
      ),
    ],
  ]);
});

test('an MP3 file is heard as the first message', async () => {
  const call = await greetedCall(app, { assistant: { firstMessage: at('/hum.mp3') } });
  onTestFinished(() => call.peer.close());
  expect(shareOfTone(joined([...call.peer.heard]), HUM)).toBeGreaterThan(0.3);
  expect(await logOf(call.id)).not.toContain('firstMessage');
});

/** The level of the loudest part of what was heard, dBFS. */
function levelOf(heard: readonly Int16Array[]): number {
  const frames = heard.map(loudness).sort((one, other) => other - one);
  return 20 * Math.log10(frames[Math.floor(heard.length / 8)] ?? 0);
}

test.each(['/hot.wav', '/jingle.wav', '/hum.mp3', '/hum.opus'])(
  'a sound is heard as loud as the voice, and no sample is clipped: %s',
  async (name) => {
    const call = await greetedCall(app, { assistant: { firstMessage: at(name) } });
    onTestFinished(() => call.peer.close());
    // The codec of the call may change it by a little.
    expect(levelOf(call.peer.heard)).toBeCloseTo(-16.5, -0.5);
    expect(Math.max(...call.peer.heard.flatMap((frame) => [...frame]))).toBeLessThan(0.9 * FULL_SCALE);
  },
);

test('a faint sound becomes louder by 12 dB at most, and a peak stops it before that', () => {
  const decibels = (pcm: Int16Array): number => 20 * Math.log10(gainToVoice(pcm, 16_000));
  expect(decibels(tone(JINGLE, 1, 650))).toBeCloseTo(12, 1);
  expect(decibels(joined([tone(JINGLE, 1, 9000), new Int16Array(160_000)]))).toBeCloseTo(-2.3, 0);
  const click = tone(JINGLE, 1, 3000);
  click[8000] = 32_767;
  expect(decibels(click)).toBeCloseTo(-1, 1);
  expect(gainToVoice(new Int16Array(1000), 16_000)).toBe(1);
});

test('attack 36: a sound of our own network is never fetched, and no value of a visitor names one', async () => {
  const before = asked.length;
  const inside = at('/jingle.wav', hosts[1]);
  const call = await greetedCall(app, { assistant: { firstMessage: inside } });
  onTestFinished(() => call.peer.close());
  expect((await endCall(call)).transcript).toBe(`AI: ${INSTEAD}\n`);
  expect(asked).toHaveLength(before);
  const filled = await greetedCall(app, {
    assistant: { firstMessage: '{{ greeting }}' },
    assistantOverrides: { variableValues: { greeting: at('/jingle.wav?filled') } },
  });
  onTestFinished(() => filled.peer.close());
  expect(jingleIn(filled.peer.heard)).toBeLessThan(0.05);
  expect(asked).toHaveLength(before);
  for (const [text, isAddress] of [
    ['https://example.com/a.wav', true],
    [' https://example.com/{{ language }}/a.wav ', true],
    ['https://{{ host }}/a.wav', false],
    ['https://example.com{{ more }}/a.wav', false],
    ['See https://example.com/a.wav', false],
    ['https://example.com/a.wav, or ask me', false],
  ] as const)
    expect([text, isSoundAddress(text)]).toEqual([text, isAddress]);
});

test('after a hand-over the second assistant’s sound is heard; in writing a sentence is read', async () => {
  const member = (name: string, firstMessage: string, more: object = {}) => ({
    assistant: { name, firstMessage },
    ...more,
  });
  const call = await greetedCall(app, {
    squad: {
      members: [
        member('Front', 'Hello there.', {
          assistantDestinations: [{ type: 'assistant', assistantName: 'Sales', message: 'One moment.' }],
        }),
        member('Sales', at('/jingle.wav?signature=secret')),
      ],
    },
  });
  onTestFinished(() => call.peer.close());
  typeIn(call, 'please put me through to sales');
  await until('the second one is heard', () => said(call).includes('Sound: jingle.wav'));
  expect(call.messages('model-output')).toContainEqual(
    expect.objectContaining({ output: 'Sound: jingle.wav' }),
  );
  expect(JSON.stringify(call.peer.messages)).not.toContain('secret');
  expect(jingleIn(call.peer.heard)).toBeGreaterThan(0.05);
  const { body: shop } = await voiceApi(app, 'POST', '/assistant', {
    ...{ name: 'Shop', firstMessage: at('/jingle.wav'), website: { origins: ['https://shop.example'] } },
  });
  const made = await fetch(`${app.url}/voice/v1/website/${shop.id}/call`, {
    method: 'POST',
    headers: { origin: 'https://shop.example', 'content-type': 'application/json' },
    body: JSON.stringify({ written: true }),
  });
  const { webCallUrl } = (await made.json()) as { webCallUrl: string };
  const socket = new WebSocket(`${webCallUrl.replace('http', 'ws')}/words`);
  onTestFinished(() => socket.close());
  const read: string[] = [];
  socket.onmessage = ({ data }) => void read.push(String(data));
  await eventually('the sentence', () => read.find((text) => text.includes(INSTEAD)));
});
