/// <reference lib="dom" />
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, FAKE_MEDIA, openBrowser } from '../support/browser.ts';
import { signInAtDesk } from '../support/customers/desk-browser.ts';
import { newOperator, type TestAccount } from '../support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { simpleEngines } from '../support/voice/simple-engines.ts';
import { joined } from '../support/voice/sound-join.ts';
import { greetedCall, type TestCall } from '../support/voice/voice-calls.ts';
import { tone, until } from '../support/voice/voice-peer.ts';

/** Where pictures go, to be looked at; none without it. */
const PICTURES = process.env.OPERATOR_PICTURES;
const LOOKS = [
  ['light', 1440, 900],
  ['dark', 390, 844],
] as const;

describe.skipIf(CHROMIUM === undefined)('a call in the hands of an operator', () => {
  let app: TestApp;
  let browser: Browser;
  let operator: TestAccount;
  beforeAll(async () => {
    app = await startTestApp({ voiceEngines: simpleEngines({ followsInstructions: true }) });
    operator = await newOperator(app);
    browser = await openBrowser([...FAKE_MEDIA, '--autoplay-policy=no-user-gesture-required']);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  const desk = (account = operator, options = {}) =>
    signInAtDesk({ url: app.url, browser }, account, options, '/operator/calls');
  const begin = (): Promise<TestCall> =>
    greetedCall(app, { assistant: { name: 'Reception', firstMessage: 'Hello.' } });
  const loudest = (pieces: readonly Int16Array[]): number =>
    joined(pieces).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  const said = (call: TestCall, words: string) => () =>
    call
      .messages('transcript')
      .some(({ role, transcript }) => role === 'assistant' && transcript.includes(words));

  /** The page as it is, wide and narrow: it fits. */
  async function look(page: Page, name: string): Promise<void> {
    for (const [colorScheme, width, height] of LOOKS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      if (PICTURES !== undefined)
        await page.screenshot({ path: `${PICTURES}/${name}-${width}-${colorScheme}.png`, fullPage: true });
      expect(
        await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
        `${name} ${width}`,
      ).toBeLessThanOrEqual(0);
    }
  }
  /** It is accessible; a page that is looked through does nothing else meanwhile, so nobody speaks by it then. */
  async function lookThrough(page: Page): Promise<void> {
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.target}`)).toEqual([]);
  }

  test('is listened to, spoken in, taken over, given back, and goes on when the page is closed', async () => {
    const { page, complaints, close } = await desk();
    const call = await begin();
    await page.getByRole('heading', { name: 'One call goes on' }).waitFor();
    await page.getByRole('button', { name: 'Listen in on the call of Browser' }).click();
    await page.getByRole('button', { name: 'Stop listening to the call of Browser' }).waitFor();
    const meter = page.getByRole('meter', { name: 'Loudness of the call of Browser' });
    let heard = false;
    const speaking = (async () => {
      while (!heard) await call.peer.speak(tone(333, 0.5));
    })();
    await expect.poll(async () => Number(await meter.getAttribute('aria-valuenow'))).toBeGreaterThan(0.1);
    heard = true;
    await speaking;

    const words = page.getByLabel('Words for the assistant');
    await words.fill('We open at nine.');
    await page.getByRole('button', { name: 'Say it to Browser' }).click();
    await page.getByRole('log').getByText('We open at nine.').waitFor();
    await words.fill('Offer them the lamp.');
    await page.getByRole('button', { name: 'Whisper it to the assistant of Browser' }).click();
    await page.getByText('The assistant heeds it from its next answer on.').waitFor();
    await look(page, 'takeover-listening');
    await lookThrough(page);

    await page.getByRole('button', { name: 'Take over the call of Browser' }).click();
    await page.getByText('You speak with the caller.').waitFor();
    // The browser's own microphone beeps once a second.
    await until('the caller hears the operator', () => loudest(call.peer.heard.slice(-100)) > 1000);
    await look(page, 'takeover-speaking');
    const other = await desk(await newOperator(app));
    await other.page.getByText(`${operator.email} speaks with the caller.`).waitFor();
    expect(await other.page.getByRole('button', { name: /^Take over/ }).count()).toBe(0);
    await lookThrough(other.page);
    await other.close();
    await page.getByRole('button', { name: 'Give back the call of Browser' }).click();
    await until('the assistant goes on', said(call, 'AI assistant again'));
    // The page knows of it too, and nothing moves under the pointer any more.
    await words.waitFor();
    await page.getByRole('button', { name: 'Stop listening to the call of Browser' }).click();
    await page.getByRole('button', { name: 'Listen in on the call of Browser' }).waitFor();

    await page.getByRole('button', { name: 'Take over the call of Browser' }).click();
    await page.getByText('You speak with the caller.').waitFor();
    expect(complaints).toEqual([]);
    await close();
    await until('the assistant goes on by itself', said(call, 'broken off'));
    await call.peer.close();
    expect((await call.over()).endedReason).toBe('customer-ended-call');
  });
});
