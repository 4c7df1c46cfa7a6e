/// <reference lib="dom" />
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, closeContexts, sharedBrowser } from '../support/browser.ts';
import { type ConsolePage, signInAtConsole } from '../support/customers/console-browser.ts';
import { newOperator, type TestAccount } from '../support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { simpleEngines } from '../support/voice/simple-engines.ts';
import { greetedCall, type TestCall } from '../support/voice/voice-calls.ts';
import { tone, until } from '../support/voice/voice-peer.ts';

/** Where to store pictures for inspection; none are made without it. */
const PICTURES = process.env.OPERATOR_PICTURES;
const LOOKS = [
  ['light', 1440, 900],
  ['dark', 1440, 900],
  ['light', 390, 844],
  ['dark', 390, 844],
] as const;

let app: TestApp;
let browser: Browser;
let operator: TestAccount;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  app = await startTestApp({ voiceEngines: simpleEngines() });
  operator = await newOperator(app);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeContexts();
  await app?.close();
});

/** Calls of the last weeks, inserted as records. */
async function fill(): Promise<void> {
  for (let n = 0; n < 40; n += 1) {
    const start = Date.now() - ((n * 17) % 26) * 86_400_000 - n * 60_000;
    const answered = n % 5 !== 0;
    const body = {
      type: n % 3 === 0 ? 'webCall' : 'inboundPhoneCall',
      status: 'ended',
      endedReason: answered
        ? n % 2 === 0
          ? 'customer-ended-call'
          : 'assistant-ended-call'
        : 'customer-busy',
      assistantId: app.resources.keys.voice_assistant_id,
      cost: 0.0123,
      costBreakdown: { stt: 0.004, llm: 0.0063, tts: 0.002, total: 0.0123 },
      ...(n % 3 === 0 ? {} : { customer: { number: `+44207946${String(n).padStart(4, '0')}` } }),
      ...(answered && {
        startedAt: new Date(start).toISOString(),
        endedAt: new Date(start + (40 + n * 9) * 1000).toISOString(),
        transcript: 'User: what does the audit cost\n',
        messages: [
          {
            role: 'bot',
            message: 'Hello, this is the AI assistant. How can I help you?',
            secondsFromStart: 1.2,
          },
          { role: 'user', message: 'What does the audit cost?', secondsFromStart: 4.8, confidence: 0.52 },
          { role: 'bot', message: 'The audit is free, and takes an hour.', secondsFromStart: 6.1 },
        ],
        analysis: {
          summary: 'The caller wanted: "What does the audit cost". Nothing was left open.',
          successEvaluation: String(n % 4 !== 0),
          structuredData: { service: 'audit', callback: false },
        },
        artifact: {
          performanceMetrics: {
            turnLatencies: [
              {
                ...{ turn: 1, endpointingLatency: 300 + n, transcriberLatency: 60, modelLatency: 8 },
                ...{ voiceLatency: 40, playoutLatency: 90, turnLatency: 498 + n * 7 },
              },
            ],
          },
        },
      }),
    };
    await app.resources.database.run(
      `insert into private.voice_records (kind, body, created_at) values ('call', $1, $2)`,
      [JSON.stringify(body), new Date(start)],
    );
  }
}

const openConsole = (path: string, options: BrowserContextOptions = {}): Promise<ConsolePage> =>
  signInAtConsole({ url: app.url, browser }, operator, options, path);
const type = (call: TestCall, content: string): void =>
  call.peer.send(JSON.stringify({ type: 'add-message', message: { role: 'user', content } }));

/** Checks that the page fits and is accessible, and stores a picture of it. */
async function look(page: Page, name: string): Promise<void> {
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
  if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/${name}.png`, fullPage: true });
  expect(
    await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
    name,
  ).toBeLessThanOrEqual(0);
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${name} ${id}: ${nodes[0]?.target}`)).toEqual([]);
}

describe.skipIf(CHROMIUM === undefined)("the console's pages about the telephone", () => {
  test('an empty console says so, and a call in another process shows only what can be known of it', async () => {
    const { page, close } = await openConsole('/operator/calls');
    await page.getByText('Who called the assistants, what was said and what came of it.').waitFor();
    await page.getByText('Nobody has called yet.').waitFor();
    await page.getByText('Figures', { exact: true }).click();
    await page.getByText('Nobody called in this time.').waitFor();
    await page.getByRole('radio', { name: 'Calls' }).check();
    await fill();
    // A call in another process, and two that cannot be read.
    const { id } = await app.resources.database.one(
      `insert into private.voice_records (kind, body) values ('call', '{"type": "webCall", "status": "in-progress"}')
       returning id`,
    );
    await app.resources.database.run(
      "insert into private.voice_live_calls (call_id, worker, seen_at) values ($1, 'elsewhere 1 x', now() + interval '1 hour')",
      [id],
    );
    for (const body of [
      { customer: { number: '+15005550001' } },
      { erased: true, customer: { number: '+15005550002' } },
    ])
      await app.resources.database.run("insert into private.voice_records (kind, body) values ('call', $1)", [
        JSON.stringify({ type: 'inboundPhoneCall', status: 'ended', ...body }),
      ]);
    await page.getByText('Nothing can be read of this call yet.').waitFor();
    await page.getByRole('button', { name: /^Hang up/ }).click();
    await page.getByText('The call ends within ten seconds.').waitFor();
    await page.getByRole('button', { name: /15005550001/ }).click();
    await page.getByText('Nothing was said.').waitFor();
    await page.getByRole('button', { name: /15005550002/ }).click();
    await page.getByText('The words were deleted.').waitFor();
    await app.resources.database.run('delete from private.voice_records where id = $1', [id]);
    await close();
  });

  test('a call is followed live, hung up, played with its transcript, and deleted', async () => {
    const { page, complaints, close } = await openConsole('/operator/calls');
    await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor();
    const call = await greetedCall(app, {
      assistant: { name: 'Reception', firstMessage: 'Hello.', artifactPlan: { recordingEnabled: true } },
    });
    await page.getByRole('heading', { name: 'One call goes on' }).waitFor();
    const lines = page.getByRole('log');
    type(call, 'yes');
    await lines.getByText('Caller: yes').waitFor();
    await until('it is recorded', () =>
      JSON.stringify(call.messages('transcript')).includes('recorded from now on'),
    );
    await call.peer.speak(tone(500, 0.6));
    // Only completely recognised sentences are in the transcript.
    await lines.locator('p:not([data-open])', { hasText: 'what does the audit cost' }).waitFor();
    await page.getByRole('button', { name: /^Hang up/ }).click();
    await page.getByText('The call is over.').waitFor();
    expect((await call.over()).endedReason).toBe('manually-canceled');
    await page.getByRole('heading', { name: 'One call goes on' }).waitFor({ state: 'detached' });
    await call.peer.close();

    await page.getByRole('button', { name: /Browser Reception/ }).click();
    const panel = page.getByRole('article', { name: 'Call' });
    await panel.getByRole('button', { name: /^Listen/ }).click();
    await panel.getByText('Caller left, assistant right. Kept until').waitFor();
    const player = panel.getByLabel('Recording of the call');
    await player.evaluate(
      (audio: HTMLAudioElement) =>
        audio.duration > 0 || new Promise((resolve) => audio.addEventListener('loadedmetadata', resolve)),
    );
    const spoken = panel.locator('.call-lines li').filter({ hasText: 'what does the audit cost' });
    await spoken.getByRole('button', { name: /^Play from/ }).click();
    await panel.locator('.call-lines li[data-heard]').waitFor();
    await panel.getByRole('button', { name: 'Delete call and recording' }).click();
    await panel.getByRole('button', { name: 'Really delete it' }).click();
    await page.getByText('The call is deleted. Its evidence stays.').waitFor();
    expect(
      await app.resources.database.many('select id from private.voice_records where id = $1', [call.id]),
    ).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  test.each(LOOKS)('calls and figures fit and are accessible: %s, %d', async (colorScheme, width, height) => {
    const { page, complaints, close } = await openConsole('/operator/calls', {
      colorScheme,
      viewport: { width, height },
    });
    const call = await greetedCall(app, { assistant: { name: 'Reception', firstMessage: 'Hello.' } });
    await page.getByRole('log').getByText('Hello.').first().waitFor();
    const name = `calls-${width}-${colorScheme}`;
    await look(page, name);
    await page
      .getByRole('button', { name: /\+44207946.*Wish met/ })
      .first()
      .click();
    await page.getByText('How fast it answered').click();
    await page.getByText('Milliseconds from the last voice of the caller.').waitFor();
    await look(page, `${name}-open`);
    await page.getByText('Figures', { exact: true }).click();
    await page.getByRole('img', { name: /^Calls a day/ }).waitFor();
    await look(page, `${name}-figures`);
    await call.peer.close();
    await call.over();
    expect(complaints).toEqual([]);
    await close();
  });
});
