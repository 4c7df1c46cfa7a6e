import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { joined } from '../../../../packages/telephone-audio/src/sounds.fixture.ts';
import { showsSettings } from '../../../../tests/support/claims.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { ASSISTANT_HERTZ, simpleEngines } from '../../../../tests/support/voice/simple-engines.ts';
import { openTelephone } from '../../../../tests/support/voice/sip-telephone.ts';
import { eventually, greetedCall, voiceApi } from '../../../../tests/support/voice/voice-calls.ts';
import { shareOfTone, tone, until } from '../../../../tests/support/voice/voice-peer.ts';
import { writeWave } from '../../engines/speech/wave-file.server.ts';

const HUM = 1000;
const HUM_FILE = writeWave([tone(HUM, 3, 9000)]);

let app: TestApp;
let host: string;
const files = createServer((request, reply) => {
  if (request.url === '/hum.wav') reply.writeHead(200, { 'content-type': 'audio/wav' }).end(HUM_FILE);
  else reply.writeHead(404).end();
});
beforeAll(async () => {
  await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(files.address() as AddressInfo).port}`;
  app = await startTestApp({
    voiceEngines: simpleEngines(),
    settings: { OUTBOUND_ALLOW_HOSTS: host, SIP_LISTEN: 'udp://127.0.0.1:0' },
  });
});
afterAll(async () => {
  await app?.close();
  files.closeAllConnections();
  files.close();
});

const at = (name: string): string => `http://${host}${name}`;
const levelOf = (pcm: Int16Array): number =>
  Math.sqrt(pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length);
const called = (backgroundSound: string) =>
  greetedCall(app, { assistant: { firstMessage: 'Hello there.', backgroundSound } });
/** The sound of the next second in which nobody speaks. */
async function nextSecond(heard: readonly Int16Array[]): Promise<Int16Array> {
  // The last words may still be on their way.
  const from = heard.length + 15;
  await until('a second was heard', () => heard.length > from + 50);
  return joined(heard.slice(from, from + 50));
}
/** How loud the assistant's words are in what was heard. */
const wordsIn = (heard: readonly Int16Array[]): number => shareOfTone(joined([...heard]), ASSISTANT_HERTZ);

test('an assistant’s office is heard under its words and its silence, and is not taken for its voice', async () => {
  showsSettings('assistant', 'backgroundSound');
  const call = await called('office');
  onTestFinished(() => call.peer.close());
  expect(wordsIn(call.peer.heard)).toBeGreaterThan(0.3);
  const level = levelOf(await nextSecond(call.peer.heard));
  expect(level).toBeGreaterThan(40);
  expect(level).toBeLessThan(500);
  // A caller who is hardly louder than the office is still heard.
  await call.peer.speak(tone(500, 0.8, 600));
  await call.peer.speak(new Int16Array(16_000));
  await until('the caller was answered', () =>
    call.messages('transcript').some(({ transcript }) => transcript.includes('You said what does the audit')),
  );
});

test('on the telephone too; without a word about it nothing is heard', async () => {
  const telephone = await openTelephone();
  onTestFinished(() => telephone.close());
  const level = async (more: object): Promise<number> => {
    const made = await voiceApi(app, 'POST', '/assistant', { firstMessage: 'Hello there.', ...more });
    const { body } = await voiceApi(app, 'POST', '/phone-number/buy', {
      ...{ areaCode: '202', assistantId: made.body.id },
    });
    const call = await telephone.dial(body.sipUri);
    await until('the greeting is heard', () => wordsIn(call.heard) > 0.3);
    await until('the greeting is over', () => wordsIn(call.heard.slice(-10)) < 0.05);
    const quiet = levelOf(await nextSecond(call.heard));
    call.call.hangUp();
    return quiet;
  };
  const heard = await level({ backgroundSound: 'office' });
  expect(heard).toBeGreaterThan(40);
  expect(heard).toBeLessThan(500);
  expect(await level({})).toBeLessThan(20);
});

test('a sound of one’s own is heard as loud as a room, over and over; one that is not there is a line of the log', async () => {
  const call = await called(at('/hum.wav'));
  onTestFinished(() => call.peer.close());
  const isHumming = (): boolean => {
    const pcm = joined(call.peer.heard.slice(-25));
    return shareOfTone(pcm, HUM) > 0.5 && levelOf(pcm) > 80 && levelOf(pcm) < 350;
  };
  await until('the hum is heard', isHumming);
  // Longer than the file, so that it plays again.
  const from = call.peer.heard.length;
  await until('the hum went on', () => call.peer.heard.length > from + 175);
  await until('the hum is heard still', isHumming);
  const other = await called(at('/none.wav'));
  onTestFinished(() => other.peer.close());
  const line = await eventually('the log says so', async () => {
    const { body } = await voiceApi(app, 'GET', `/log?callId=${other.id}`);
    return body.results.find(({ log }: { log: string }) => log.startsWith('backgroundSound:'));
  });
  expect(line).toMatchObject({ level: 'WARN', log: expect.stringContaining('the call goes on without it') });
});

test('in a squad the sound of whoever has the call is heard', async () => {
  const night = { type: 'assistant', assistantName: 'Night service' };
  const call = await greetedCall(app, {
    squad: {
      members: [
        { assistant: { name: 'Reception', firstMessage: 'Hello there.' }, assistantDestinations: [night] },
        { assistant: { name: 'Night service', firstMessage: 'Good evening.', backgroundSound: 'office' } },
      ],
    },
  });
  onTestFinished(() => call.peer.close());
  expect(levelOf(await nextSecond(call.peer.heard))).toBeLessThan(20);
  const content = 'put me through to the night service';
  call.peer.send(JSON.stringify({ type: 'add-message', message: { role: 'user', content } }));
  const isOffice = (): boolean => {
    const pcm = joined(call.peer.heard.slice(-25));
    return shareOfTone(pcm, ASSISTANT_HERTZ) < 0.05 && levelOf(pcm) > 40 && levelOf(pcm) < 500;
  };
  await until('the office of the night service is heard', isOffice);
});
