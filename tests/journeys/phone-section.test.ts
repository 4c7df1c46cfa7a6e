/// <reference lib="dom" />

import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { expectOneEnd, openPhoneVisits, type PhoneVisits, testNow } from '../support/voice/phone-visit.ts';
import { simpleEngines } from '../support/voice/simple-engines.ts';
import { type CallRecord, voiceApi } from '../support/voice/voice-calls.ts';

const HANDHELD = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;

let app: TestApp;
let visits: PhoneVisits;

beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  // This tests the page, so engines without models answer at once.
  app = await startTestApp({ voiceEngines: simpleEngines(), settings: { VOICE_MAX_CALLS: '2' } });
  // As on a phone: nothing is played that a gesture did not ask for.
  visits = await openPhoneVisits(['--autoplay-policy=user-gesture-required']);
});
afterAll(async () => {
  await visits?.close();
  await app?.close();
});

const hangUp = (page: Page) => page.getByRole('button', { name: 'Hang up' });
const calls = async (): Promise<CallRecord[]> => (await voiceApi(app, 'GET', '/call?limit=1000')).body;
async function expectNoFault(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).include('#phone').analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
}
/** Waits until nobody is in a call; returns how the newest one ended. */
const lastEnd = async (): Promise<string> => {
  const all = await calls();
  return all.every(({ status }) => status === 'ended') ? all[0]?.endedReason : 'not all have ended';
};

describe.skipIf(CHROMIUM === undefined)('the phone section', () => {
  test('on a phone: the first tap calls, the assistant is heard, and the call outlives the background', async () => {
    claims('Your browser holds the sound back.', 'Tap anywhere to hear the assistant.');
    await visits.visit(
      app.url,
      async (visit) => {
        const { page, visitor } = visit;
        await testNow(page).tap();
        await visitor.heard('this is the AI assistant');
        await page.getByText('Tap anywhere to hear').waitFor({ state: 'detached' });
        await expect
          .poll(() => page.locator('audio').evaluate((player: HTMLAudioElement) => !player.paused))
          .toBe(true);
        const width = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(width).toBe(390);
        // The button was visible, and so is the one that ends the call.
        const isInSight = () =>
          hangUp(page).evaluate((button) => button.getBoundingClientRect().bottom <= innerHeight);
        await expect.poll(isInSight).toBe(true);
        await expectNoFault(page);
        // Another application in front, then the screen is locked and unlocked.
        await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
        await page.getByLabel('Type to the assistant').fill('are you there');
        await page.getByRole('button', { name: 'Send' }).tap();
        await visitor.heard('You said are you there.');
        await hangUp(page).tap();
        await expectOneEnd(visit);
        await expectNoFault(page);
      },
      { ...HANDHELD, colorScheme: 'dark' },
    );
  });

  test.each([
    ['NotAllowedError', 'Allow it in the address bar'],
    ['NotFoundError', 'Plug one in'],
    ['NotReadableError', 'Another program is using your microphone.'],
  ] as const)('without a microphone (%s) it says what to do, and one types', async (microphone, words) => {
    await visits.visit(
      app.url,
      async (visit) => {
        const { page, visitor } = visit;
        await testNow(page).click();
        await page.getByRole('alert').getByText(words).waitFor();
        await visitor.heard('this is the AI assistant');
        await expectNoFault(page);
        await page.getByLabel('Type to the assistant').fill('goodbye');
        await page.keyboard.press('Enter');
        await expectOneEnd(visit);
      },
      { microphone },
    );
    await expect.poll(lastEnd).toBe('assistant-ended-call');
  });

  test('a question for the microphone that nobody answers: the visitor types instead, or hangs up', async () => {
    claims('Your browser asks whether this page may use your microphone.', 'Allow it, and the call begins.');
    await visits.visit(
      app.url,
      async ({ page, visitor }) => {
        const before = (await calls()).length;
        await testNow(page).dblclick();
        await page.getByText('Your browser asks').waitFor();
        expect(await page.getByRole('button', { name: 'Processing...' }).isDisabled()).toBe(true);
        await expectNoFault(page);
        await hangUp(page).click();
        await page.locator('.call-panel').waitFor({ state: 'detached' });
        expect([visitor.ends, (await calls()).length]).toEqual([0, before]);
        await testNow(page).click();
        await page.getByRole('button', { name: 'Type instead' }).click();
        await visitor.heard('this is the AI assistant');
        await hangUp(page).click();
        await page.getByText('The call is over.').waitFor();
        expect(visitor.ends).toBe(1);
        // Pressed twice quickly, also after a first call: starts one call.
        await testNow(page).dblclick();
        await page.getByRole('button', { name: 'Type instead' }).click();
        await visitor.heard('this is the AI assistant');
        expect((await calls()).length).toBe(before + 2);
        await hangUp(page).click();
        await page.getByText('The call is over.').waitFor();
      },
      { microphone: 'never' },
    );
  });

  test('on a phone the call’s messages cover none of its controls', async () => {
    await visits.visit(
      app.url,
      async ({ page }) => {
        await testNow(page).tap();
        await page.locator('.toast').waitFor();
        for (const control of [hangUp(page), page.getByRole('button', { name: 'Type instead' })]) {
          const isOnTop = () =>
            control.evaluate((button) => {
              const { left, top, width, height } = button.getBoundingClientRect();
              const found = document.elementFromPoint(left + width / 2, top + height / 2);
              return found !== null && button.contains(found);
            });
          await expect.poll(isOnTop).toBe(true);
        }
        // The browser asks for the microphone until somebody answers, and the message stays as long.
        expect(await page.locator('.toast').isVisible()).toBe(true);
        await hangUp(page).tap();
        await page.locator('.call-panel').waitFor({ state: 'detached' });
      },
      { ...HANDHELD, microphone: 'never' },
    );
  });

  test('a microphone that is unplugged, a page that is left, and a second visitor', async () => {
    await visits.visit(app.url, async (visit) => {
      const { page, visitor, context } = visit;
      await testNow(page).click();
      await visitor.heard('this is the AI assistant');
      await page.evaluate(() => window.microphoneTrack?.dispatchEvent(new Event('ended')));
      await page.getByText('Your microphone was disconnected.').waitFor();

      const other = await context.newPage();
      await other.goto('/#phone');
      await testNow(other).click();
      await visitor.begun('this is the AI assistant');
      const third = await context.newPage();
      await third.goto('/#phone');
      await testNow(third).click();
      await third.getByText('All our lines are busy.').waitFor();
      await expectNoFault(third);

      // By opening another page of the site, and by closing the tab.
      await page.getByRole('link', { name: 'Sign Up' }).first().click();
      await page.waitForURL('**/signup');
      await expect.poll(() => visitor.ends).toBe(2);
      await other.close({ runBeforeUnload: true });
      await expect.poll(lastEnd).toBe('customer-ended-call');
      await third.getByRole('button', { name: 'Close' }).click();
      await testNow(third).click();
      await visitor.begun('this is the AI assistant');
      await hangUp(third).click();
      await third.getByText('The call is over.').waitFor();
    });
  });

  test('its cards change every seven seconds, stop when paused, and have a dot each', async () => {
    await visits.visit(
      app.url,
      async ({ page }) => {
        const carousel = page.getByRole('group', { name: 'What the phone system does' });
        const current = carousel.locator('.dot[aria-current="true"]');
        const shown = () => current.getAttribute('aria-label');
        await page.clock.install();
        await page.reload();
        // A reload may show another part of the page: the application loads at the first sign of a visitor.
        await page.mouse.move(10, 10);
        await page.mouse.move(20, 20);
        await page.locator('html[data-ready]').waitFor({ state: 'attached' });
        expect(await carousel.locator('.dot').count()).toBe(3);
        for (const name of ['Show Smart Scheduling', 'Show Custom Solutions', 'Show 24/7 Availability']) {
          await page.clock.runFor(7000);
          await expect.poll(shown).toBe(name);
        }
        await carousel.getByRole('button', { name: 'Pause the slides' }).press('Enter');
        await page.clock.runFor(15_000);
        expect(await shown()).toBe('Show 24/7 Availability');
        await carousel.getByRole('button', { name: 'Show Custom Solutions' }).press('Enter');
        await expect.poll(shown).toBe('Show Custom Solutions');
      },
      { reducedMotion: 'no-preference' },
    );
  });
});
