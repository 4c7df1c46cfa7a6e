/// <reference lib="dom" />
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findRecogniser } from '../../src/features/voice/recognition/find-recogniser.server.ts';
import { createSpeaker } from '../../src/features/voice/speech/open-voice.server.ts';
import { writeWave } from '../../src/features/voice/speech/wave-file.server.ts';
import { CHROMIUM, openBrowser } from '../support/open-browser.ts';
import { startTestApp, type TestApp } from '../support/start-test-app.ts';

const PATIENCE_MS = 20_000;
const RATE = 16_000;
let microphones = 0;
let app: TestApp;
let folder = '';

beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  app = await startTestApp();
  folder = await mkdtemp(path.join(os.tmpdir(), 'calls-'));
});
afterAll(async () => {
  await app?.close();
  if (folder !== '') await rm(folder, { recursive: true });
});

/** Speech of somebody else than the assistant, a pause before each sentence. */
async function microphoneOf(sentences: readonly { after: number; say: string }[]): Promise<string> {
  const speaker = createSpeaker();
  const parts: Int16Array[] = [];
  for (const { after, say } of sentences) {
    parts.push(new Int16Array(after * RATE));
    for await (const pcm of speaker.open('rms').speak(say, new AbortController().signal)) parts.push(pcm);
  }
  await speaker.close();
  parts.push(new Int16Array(60 * RATE));
  const file = path.join(folder, `microphone-${++microphones}.wav`);
  await writeFile(file, writeWave(parts));
  return file;
}

/** Opens the home page at the phone section, with a microphone or without one. */
async function callFrom(microphone: string | null, visit: (page: Page) => Promise<void>): Promise<void> {
  const fake = ['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream'];
  const browser = await openBrowser(
    microphone === null ? [] : [...fake, `--use-file-for-fake-audio-capture=${microphone}%noloop`],
  );
  try {
    const context = await browser.newContext({ baseURL: app.url, reducedMotion: 'reduce' });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto('/#phone');
    await visit(page);
    expect(errors).toEqual([]);
  } finally {
    await browser.close();
  }
}

const captions = (page: Page) => page.getByRole('log');

describe.skipIf(CHROMIUM === undefined)('Test Now', () => {
  test('without a microphone, by keyboard: typed questions, an enquiry that is stored, hang up, delete', async () => {
    await callFrom(null, async (page) => {
      await page.getByRole('button', { name: 'Test Now' }).press('Enter');
      await page.getByText('Call initiated successfully').waitFor();
      await page.getByText('You are talking to a machine.').waitFor();
      const box = page.getByLabel('Type to the assistant');
      const ask = async (words: string, answer: RegExp | string) => {
        await box.fill(words);
        await box.press('Enter');
        await captions(page).getByText(answer).last().waitFor();
      };
      await ask('How much is the pro plan?', '£49');
      const { violations } = await new AxeBuilder({ page }).include('.call-panel').analyze();
      expect(violations.map(({ id }) => id)).toEqual([]);
      await ask('I would like to send an enquiry', /What is it about/);
      await ask('We need a new website for our bakery', /your name/);
      await ask('Sarah Miller', /e-mail address/);
      await ask('sarah@example.com', /May I send it/);
      await ask('Yes', /within 24 hours/);
      const stored = await app.resources.database.many(
        'select name, email, additional_notes from public.enquiries',
      );
      expect(stored).toEqual([
        {
          name: 'Sarah Miller',
          email: 'sarah@example.com',
          additional_notes: 'We need a new website for our bakery',
        },
      ]);
      await page.getByRole('button', { name: 'Hang up' }).press('Enter');
      await page.getByRole('button', { name: 'Delete what was said' }).press('Enter');
      await page.getByText('The words of this call have been deleted.').waitFor();
      await page.getByRole('button', { name: 'Test Now' }).waitFor();
    });
    const calls = await app.resources.database.many<{ body: Record<string, unknown> }>(
      `select body from private.voice_records where kind = 'call'`,
    );
    expect(calls).toHaveLength(1);
    expect(calls[0]?.body).toMatchObject({
      status: 'ended',
      endedReason: 'customer-ended-call',
      erased: true,
    });
    expect(JSON.stringify(calls[0]?.body)).not.toContain('bakery');
  });

  test.skipIf(!findRecogniser())(
    'spoken: a price is asked for, understood and answered',
    async () => {
      // By the browser's own fake device, which plays by the clock: three times, as a busy machine swallows
      // words. Whole conversations are in spoken-calls.test.ts.
      const question = { after: 9, say: 'How much is the pro plan?' };
      const microphone = await microphoneOf([question, question, question]);
      await callFrom(microphone, async (page) => {
        await page.getByRole('button', { name: 'Test Now' }).click();
        await page.getByRole('button', { name: 'Processing...' }).waitFor();
        await page.getByRole('button', { name: 'AI Speaking...' }).waitFor();
        await captions(page).getByText('how much is the pro plan').first().waitFor({ timeout: 60_000 });
        await captions(page)
          .getByText(/£49 a month/)
          .first()
          .waitFor();
        await page.getByRole('button', { name: 'Hang up' }).click();
        await page.getByText('The call is over.').waitFor();
      });
    },
    120_000,
  );
});
