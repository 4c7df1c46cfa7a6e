import { expect, onTestFinished, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../../tests/support/voice/simple-engines.ts';
import { eventually, voiceApi } from '../../../../tests/support/voice/voice-calls.ts';

/** A process, and the first messages of the assistants whose engines it has loaded. */
async function open(beside?: TestApp): Promise<{ app: TestApp; warmed: (string | undefined)[] }> {
  const warmed: (string | undefined)[] = [];
  const app = await startTestApp({
    voiceEngines: {
      ...simpleEngines(),
      async warm({ firstMessage }) {
        warmed.push(firstMessage);
      },
    },
    settings: { SIP_LISTEN: 'udp://127.0.0.1:0' },
    ...(beside === undefined ? {} : { beside }),
  });
  onTestFinished(() => app.close());
  return { app, warmed };
}

test('the assistant of a number is ready before the first call: with the number, and after a start', async () => {
  const first = await open();
  const api = (at: string, body: object) => voiceApi(first.app, 'POST', at, body);
  const made = await api('/assistant', { name: 'Shop', firstMessage: 'The shop, hello.' });
  expect(first.warmed).toEqual([]);
  await api('/phone-number/buy', { areaCode: '202', assistantId: made.body.id });
  await eventually('it is ready', () => (first.warmed.includes('The shop, hello.') ? true : undefined));
  const second = await open(first.app);
  await eventually('it is ready', () => (second.warmed.includes('The shop, hello.') ? true : undefined));
});
