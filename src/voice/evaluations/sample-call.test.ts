import { readWave } from '@northline/speech/wave-file';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { claims } from '../../../tests/support/claims.ts';
import { startVoiceProviders } from '../../../tests/support/servers/voice-provider-servers.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { voiceApi } from '../../../tests/support/voice/voice-calls.ts';
import { SPECIFIED_PLANS } from '../../kernel/contract/plans.ts';
import type { SampleCall } from '../site/sample-call.contract.ts';
import { keepFresh } from './sample-call.server.ts';

const ask = ({ url, anonKey }: TestApp) =>
  fetch(`${url}/functions/v1/sample-call`, { headers: { apikey: anonKey } });

describe('the sample call', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app?.close());

  test('a made-up caller asks, and the site’s own assistant answers as it does today; nothing is kept of it', async () => {
    claims('The caller is made up by a computer; the answers are what this assistant says today.');
    const config = (await (await fetch(`${app.url}/config.json`)).json()) as { voiceAssistantId: string };
    const firstMessage = 'Good morning, this is the agency of today.';
    await voiceApi(app, 'PATCH', `/assistant/${config.voiceAssistantId}`, { firstMessage });
    const replies = await Promise.all([ask(app), ask(app)]);
    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    const [call, same] = (await Promise.all(replies.map((reply) => reply.json()))) as SampleCall[];
    // It was made once for everybody.
    expect(same).toEqual(call);
    const [greeting, question, answer] = call?.lines ?? [];
    expect(greeting).toEqual({ who: 'assistant', text: firstMessage, at: 0 });
    expect(question).toMatchObject({ who: 'caller', text: `How much is the ${SPECIFIED_PLANS[0]?.name}?` });
    expect(answer).toMatchObject({ who: 'assistant', text: expect.stringMatching(/pounds|£/) });
    // Every line is heard at its time, and the sound is as long as stated.
    const { pcm, samplesPerSecond } = readWave(Buffer.from(call?.sound ?? '', 'base64'));
    expect(pcm.length / samplesPerSecond).toBeCloseTo(call?.seconds ?? 0, 2);
    for (const { at } of call?.lines ?? []) {
      const second = pcm.subarray(Math.round(at * samplesPerSecond), Math.round((at + 1) * samplesPerSecond));
      expect(second.some((sample) => Math.abs(sample) > 1000)).toBe(true);
    }
    const { count } = await app.resources.database.one('select count(*) from public.enquiries');
    expect(Number(count)).toBe(0);
    expect((await voiceApi(app, 'GET', '/call')).body).toEqual([]);
  });
});

test('where a provider would make it, also one without a price, there is no sample call, and a sentence says so', async () => {
  claims('There is no sample call to play at the moment: press Test Now and ask the assistant yourself.');
  const providers = await startVoiceProviders();
  onTestFinished(() => providers.close());
  for (const setting of ['VOICE_LLM_URL', 'VOICE_TTS_URL']) {
    const app = await startTestApp({ settings: { [setting]: providers.address('http', '/v1') } });
    try {
      const reply = await ask(app);
      expect([reply.status, await reply.json()], setting).toEqual([
        404,
        expect.objectContaining({ code: 'no_sample_call', error: 'There is no sample call to play.' }),
      ]);
    } finally {
      await app.close();
    }
  }
  expect(providers.requests).toEqual([]);
});

test('it is made again after ten minutes, and after one where it failed', async () => {
  let [now, made] = [0, 0];
  const sample = keepFresh(
    async () => {
      made += 1;
      if (made === 2) throw new Error('hoarse');
      return made;
    },
    () => now,
  );
  expect([await sample(), await sample()]).toEqual([1, 1]);
  now += 10 * 60_000;
  await expect(sample()).rejects.toThrow('hoarse');
  now += 59_999;
  await expect(sample()).rejects.toThrow('hoarse');
  now += 1;
  expect([await sample(), made]).toEqual([3, 3]);
});
