/// <reference lib="dom" />
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { writeWave } from '@northline/speech/wave-file';
import { expect, onTestFinished, test } from 'vitest';
import { CHROMIUM, FAKE_MEDIA, openBrowser, PAGE_PATIENCE_MS } from '../support/browser.ts';
import { temporaryFolder } from '../support/servers/product-process.ts';
import { startTestApp } from '../support/test-app.ts';
import { openCallers } from '../support/voice/callers/flite-caller.ts';

const RATE = 16_000;
/** Seconds until the greeting has been spoken. */
const AFTER_GREETING = 9;

/** A recording of a voice other than the assistant's, which repeats the sentence until it is answered. */
async function microphoneSaying(folder: string, sentence: string): Promise<string> {
  const callers = openCallers();
  const said = await callers.say(sentence);
  await callers.close();
  const parts = [new Int16Array(AFTER_GREETING * RATE), said, new Int16Array(8 * RATE)];
  const file = path.join(folder, 'microphone.wav');
  await writeFile(file, writeWave(parts));
  return file;
}

test.skipIf(CHROMIUM === undefined)(
  'Test Now: a price is asked for by the browser’s own fake device, understood and answered',
  async () => {
    const app = await startTestApp();
    onTestFinished(() => app.close());
    const folder = temporaryFolder('microphone');
    onTestFinished(() => folder[Symbol.dispose]());
    const microphone = await microphoneSaying(folder.path, 'How much is the pro plan?');
    const browser = await openBrowser([...FAKE_MEDIA, `--use-file-for-fake-audio-capture=${microphone}`]);
    onTestFinished(() => browser.close());
    const context = await browser.newContext({ baseURL: app.url, reducedMotion: 'reduce' });
    context.setDefaultTimeout(PAGE_PATIENCE_MS);
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    await page.goto('/#phone');
    await page.getByRole('button', { name: 'Test Now' }).click();
    await page.getByRole('button', { name: 'AI Speaking...' }).waitFor();
    const captions = page.getByRole('log');
    await captions.getByText('how much is the pro plan').first().waitFor();
    await captions
      .getByText(/£49 a month/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Hang up' }).click();
    await page.getByText('The call is over.').waitFor();
    expect(errors).toEqual([]);
  },
);
