/// <reference lib="dom" />
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, closeContexts, sharedBrowser } from '../support/browser.ts';
import { signInAtConsole } from '../support/customers/console-browser.ts';
import { newOperator, type TestAccount } from '../support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { simpleEngines } from '../support/voice/simple-engines.ts';
import { voiceApi } from '../support/voice/voice-calls.ts';

/** Where to store pictures for inspection; none are made without it. */
const PICTURES = process.env.OPERATOR_PICTURES;
const LOOKS = [
  ['light', 1440, 900],
  ['dark', 1440, 900],
  ['light', 1280, 800],
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

describe.skipIf(CHROMIUM === undefined)("the console's assistants", () => {
  test('one is made, heard, tried in a call before it is saved, changed, restored and deleted', async () => {
    await voiceApi(app, 'POST', '/tool', { type: 'endCall', name: 'hang up' });
    const { page, complaints, close } = await signInAtConsole(
      { url: app.url, browser },
      operator,
      {},
      '/operator/assistants',
    );
    await page.getByText('What each one says, knows and sounds like.').waitFor();
    await page.getByText('On the site').waitFor();
    await page.getByRole('button', { name: 'New assistant' }).click();
    const panel = page.getByRole('article', { name: 'Assistant' });
    await panel.getByText('Left empty, it answers from your site.').waitFor();
    await panel.getByText('None is kept here yet.').waitFor();
    await panel.getByLabel('Name').fill('Night desk');
    await panel.getByLabel('First message').fill('Good evening from the night desk.');
    await panel.getByLabel('Prompt').fill('You answer at night.');
    await panel.getByText('PDF, Word, text, tables; 10 MB at most.').waitFor();
    const buffer = Buffer.from('We open at nine in the morning.');
    await panel.getByLabel('Add a file').setInputFiles({ name: 'hours.txt', mimeType: 'text/plain', buffer });
    await expect.poll(() => panel.getByRole('checkbox', { name: /hours\.txt/ }).isChecked()).toBe(true);
    await panel.getByRole('checkbox', { name: 'hang up' }).check();
    await panel
      .getByRole('group', { name: 'Voice' })
      .getByLabel('Voice')
      .selectOption('Emma, a woman, British');

    expect(await panel.getByLabel('Words to hear').inputValue()).toBe(
      'Hello, this is how I sound. How can I help you?',
    );
    await panel.getByRole('button', { name: 'Hear this voice' }).click();
    await panel
      .getByLabel('The voice')
      .evaluate(
        (audio: HTMLAudioElement) =>
          audio.duration > 0 || new Promise((resolve) => audio.addEventListener('loadedmetadata', resolve)),
      );

    await panel.getByRole('button', { name: 'Add a word' }).click();
    await panel.getByLabel('Word', { exact: true }).fill('Niamh');
    await panel.getByLabel('Said as').fill('Neev');
    await panel.getByRole('button', { name: 'Try it' }).click();
    await panel.getByLabel('Niamh, as it is said').waitFor();
    await panel.getByText('Save the assistant, and its script stands here.').waitFor();
    await panel.getByText('Such as #1f4f8f.').waitFor();
    await panel.getByText('Such as #8fbcff.').waitFor();

    // The call is with the text on the page, although nothing is saved.
    await panel.getByText('A real call with what stands above, saved or not.').waitFor();
    await panel.getByText('What it books or sends is real.').waitFor();
    await panel.getByRole('button', { name: 'Talk to this draft' }).click();
    const call = page.getByRole('region', { name: 'Your call with the AI assistant' });
    await call.getByText('Good evening from the night desk.').waitFor();
    await call.getByLabel('Type to the assistant').fill('is anybody there');
    await call.getByRole('button', { name: 'Send' }).click();
    await call.getByText('You said is anybody there.').waitFor();
    await call.getByRole('button', { name: 'Hang up' }).click();
    await call.getByRole('button', { name: 'Close' }).click();

    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The assistant is saved.').waitFor();
    await page.getByRole('button', { name: /^Night desk Version 1/ }).waitFor();
    await panel.getByText('No version contains keys or passwords.').waitFor();
    await panel.getByText('What a caller types, and what has to be answered.').waitFor();
    await panel.getByText('In a test nothing is booked or sent, and no server is asked.').waitFor();
    await panel.getByRole('button', { name: 'New test' }).click();
    const editor = panel.getByRole('region', { name: 'Test', exact: true });
    await editor.getByLabel('What is tested').fill('Who is there');
    await editor.getByLabel('The caller types').fill('who is there');
    await editor.getByLabel('Words (empty: not judged)').fill('you said who is there');
    await editor.getByRole('button', { name: 'Save test' }).click();
    await page.getByText('The test is saved.').waitFor();
    await panel.getByRole('button', { name: 'Run all tests' }).click();
    await panel.getByRole('button', { name: 'Who is there, Version 1: Passed' }).click();
    const run = panel.getByRole('region', { name: 'A run' });
    await run.getByText('As it should be').waitFor();
    await run.getByRole('button', { name: 'Close' }).click();
    await panel.getByLabel('Prompt').fill('You answer by day.');
    await panel.getByText('Choose Save or Discard changes before you go back.').waitFor();
    // Looking at another assistant loses nothing.
    await page.getByRole('button', { name: /On the site$/ }).click();
    await panel.getByRole('heading', { name: 'Front office' }).waitFor();
    await page.getByRole('button', { name: /^Night desk/ }).click();
    await expect.poll(() => panel.getByLabel('Prompt').inputValue()).toBe('You answer by day.');
    await panel.getByRole('button', { name: 'Run them with this draft' }).click();
    await panel.getByRole('button', { name: 'Who is there, Draft: Passed' }).waitFor();
    await panel.getByRole('button', { name: 'Who is there', exact: true }).click();
    await editor.getByRole('button', { name: 'Delete test' }).click();
    await editor.getByRole('button', { name: 'Really delete it' }).click();
    await page.getByText('The test is deleted.').waitFor();
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    await panel.getByText(`by ${operator.email}: prompt`).waitFor();
    await panel.getByRole('button', { name: 'Go back to version 1' }).click();
    await page.getByText('The earlier version is back.').waitFor();
    await expect.poll(() => panel.getByLabel('Prompt').inputValue()).toBe('You answer at night.');

    await panel.getByRole('button', { name: 'Delete assistant' }).click();
    await panel.getByRole('button', { name: 'Really delete it' }).click();
    await page.getByText('The assistant is deleted with its versions.').waitFor();
    await page.getByRole('button', { name: /^Night desk/ }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await close();
  });

  test('settings without effect are marked, and the page fits and is accessible in every form', async () => {
    const made = await voiceApi(app, 'POST', '/assistant', {
      name: 'Pizza Roma',
      firstMessage: 'Pizza Roma, good evening.',
      model: {
        provider: 'embedded',
        messages: [{ role: 'system', content: 'A margherita is nine pounds.\n'.repeat(12) }],
      },
      voice: { provider: '11labs', voiceId: 'rosa' },
    });
    await voiceApi(app, 'PATCH', `/assistant/${made.body.id}`, { endCallMessage: 'Ciao.' });
    for (const [name, content] of [
      ['Prices of pizza', 'audit'],
      ['Opening hours of the restaurant on holidays', 'nine in the morning'],
    ])
      await voiceApi(app, 'POST', '/eval', {
        ...{ type: 'chat.mockConversation', name, assistantId: made.body.id },
        messages: [
          { role: 'system', content: 'The caller is in a hurry.' },
          { role: 'user', content: 'How much is a margherita?' },
          { role: 'assistant', judgePlan: { type: 'regex', content } },
        ],
      });
    const { page, complaints, close } = await signInAtConsole(
      { url: app.url, browser },
      operator,
      {},
      '/operator/assistants',
    );
    const panel = page.getByRole('article', { name: 'Assistant' });
    await page.getByRole('button', { name: /^Pizza Roma/ }).waitFor();
    await look(page, 'assistants-list');
    await page.getByRole('button', { name: /^Pizza Roma/ }).click();
    await panel.getByText('by a program: other settings').waitFor();
    await panel.getByRole('group', { name: 'Who answers' }).getByLabel('By').selectOption('mistral');
    await panel.getByRole('button', { name: 'Save', exact: true }).click();
    await panel.getByText(/model\.provider: is kept and does not act/).waitFor();
    await page.getByText('The assistant is saved.').waitFor({ state: 'detached' });
    await panel.getByRole('button', { name: 'Run all tests' }).click();
    await panel.getByRole('button', { name: /^Prices of pizza, Version 3: Passed/ }).waitFor();
    await panel.getByRole('button', { name: /^Opening hours .* Version 3: Failed/ }).click();
    await panel.getByText('Nothing in the words is matched by nine in the morning').waitFor();
    await look(page, 'assistants-run');
    await panel.getByRole('button', { name: 'Prices of pizza', exact: true }).click();
    await panel.getByText("This test was written by the platform's API and is changed there.").waitFor();
    await panel.getByRole('button', { name: 'New test' }).click();
    for (const [colorScheme, width, height] of LOOKS) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await look(page, `assistants-${width}-${colorScheme}`);
    }
    expect(complaints).toEqual([]);
    await close();
  });
});
