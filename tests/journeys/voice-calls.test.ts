/// <reference lib="dom" />
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, FAKE_MEDIA, openBrowser } from '../support/browser.ts';
import { type LiveKitCounterpart, openLiveKit } from '../support/livekit/livekit-counterpart.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { simpleEngines } from '../support/voice/simple-engines.ts';
import { voiceApi } from '../support/voice/voice-calls.ts';
import { buildVoicePage, type VoicePage, writeWav } from '../support/voice/voice-page.ts';
import { tone } from '../support/voice/voice-peer.ts';

type Heard = [event: string, value: unknown][];
declare global {
  interface Window {
    heard: Heard;
    client: { stop(): void; setMuted(muted: boolean): void; send(message: object): void };
    begin(name: string, key: string, assistant: string): Promise<string | null>;
  }
}

const silence = (seconds: number): Int16Array => new Int16Array(16_000 * seconds);

const CARRIERS = ['this process', 'LiveKit'] as const;
const LIVEKIT = { key: 'northline', secret: 'a secret of more than thirty-two characters' };

describe.skipIf(CHROMIUM === undefined).each(CARRIERS)('calls of a browser through %s', (carrier) => {
  let livekit: LiveKitCounterpart | undefined;
  let app: TestApp;
  /** The last test stops the server. */
  let stopped = false;
  let browser: Browser;
  let voicePage: VoicePage;
  let folder: string;

  beforeAll(async () => {
    if (carrier === 'LiveKit') livekit = await openLiveKit(LIVEKIT.key, LIVEKIT.secret);
    const settings =
      livekit === undefined
        ? {}
        : { LIVEKIT_URL: livekit.url, LIVEKIT_API_KEY: LIVEKIT.key, LIVEKIT_API_SECRET: LIVEKIT.secret };
    app = await startTestApp({ voiceEngines: simpleEngines(), settings });
    voicePage = await buildVoicePage();
    folder = mkdtempSync(path.join(os.tmpdir(), 'northline-microphone-'));
    const wav = path.join(folder, 'caller.wav');
    writeWav(wav, [silence(5), tone(500, 0.9), silence(5)]);
    browser = await openBrowser([
      ...FAKE_MEDIA,
      `--use-file-for-fake-audio-capture=${wav}`,
      '--autoplay-policy=no-user-gesture-required',
    ]);
  });
  afterAll(async () => {
    await browser?.close();
    voicePage?.remove();
    rmSync(folder, { recursive: true, force: true });
    if (!stopped) await app?.close();
    await livekit?.close();
  });

  /** A page in a call; the caller's tone comes every eleven seconds until it is answered. */
  async function call(
    client: string,
    microphone: 'there' | 'none' = 'there',
  ): Promise<{ page: Page; id: string }> {
    const context = await browser.newContext();
    await voicePage.serve(context, app.url);
    const page = await context.newPage();
    await page.addInitScript((there) => {
      const { mediaDevices } = navigator;
      const open = mediaDevices.getUserMedia.bind(mediaDevices);
      mediaDevices.getUserMedia = (wanted) =>
        there
          ? // A tone is noise to the browser's own processing.
            open({
              ...wanted,
              audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false },
            })
          : Promise.reject(new DOMException('Requested device not found', 'NotFoundError'));
    }, microphone === 'there');
    await page.goto(`${app.url}/voice-test.html`);
    const { voice_public_key: key, voice_assistant_id: assistant } = app.resources.keys;
    const id = await page.evaluate(
      ([...given]) => window.begin(...(given as [string, string, string])),
      [client, key, assistant],
    );
    if (id === null) throw new Error(`no call: ${JSON.stringify(await page.evaluate(() => window.heard))}`);
    return { page, id };
  }
  const heard = (page: Page): Promise<Heard> => page.evaluate(() => window.heard);
  const names = (all: Heard): string[] => all.map(([name]) => name).filter((name) => name !== 'volume-level');
  const loudest = (all: Heard): number =>
    Math.max(...all.filter(([name]) => name === 'volume-level').map(([, value]) => Number(value)));
  const waitFor = (page: Page, text: string) =>
    page.waitForFunction((wanted) => JSON.stringify(window.heard).includes(wanted), text);

  test.each(['own', 'specified', 'newest'])(
    'a spoken call with the client "%s": start, question, answer, one end',
    async (client) => {
      const { page, id } = await call(client);
      await waitFor(page, 'call-start');
      await waitFor(page, 'You said what does the audit cost');
      await waitFor(page, 'speech-start');
      // The sound is where it should be: in a room of LiveKit, or not.
      expect(livekit?.identities(`call-${id}`)).toEqual(livekit && ['assistant', 'caller']);
      const during = await heard(page);
      expect(names(during)).not.toContain('error');
      expect(loudest(during)).toBeGreaterThan(0.3);
      await page.evaluate(() => window.client.stop());
      await waitFor(page, 'call-end');
      await expect
        .poll(async () => (await voiceApi(app, 'GET', `/call/${id}`)).body)
        .toMatchObject({ status: 'ended', endedReason: 'customer-ended-call' });
      const all = names(await heard(page));
      expect(all.filter((name) => name === 'call-end')).toHaveLength(1);
      expect(all.filter((name) => name === 'call-start')).toHaveLength(1);
      await page.context().close();
    },
  );

  test('without a microphone the visitor learns why, and types', async () => {
    const { page } = await call('own', 'none');
    await waitFor(page, 'call-start');
    await waitFor(page, 'not-found');
    await page.evaluate(() =>
      window.client.send({ type: 'add-message', message: { role: 'user', content: 'thank you goodbye' } }),
    );
    await waitFor(page, 'call-end');
    expect(JSON.stringify(await heard(page))).toContain('assistant-ended-call');
    await page.context().close();
  });

  test('a page that is closed ends its call', async () => {
    const { page, id } = await call('own');
    await waitFor(page, 'call-start');
    await page.context().close();
    await expect
      .poll(async () => (await voiceApi(app, 'GET', `/call/${id}`)).body)
      .toMatchObject({ status: 'ended', endedReason: 'customer-ended-call' });
  });

  test('a server that stops during a call ends it once on the page, with its reason', async () => {
    const { page } = await call('own');
    await waitFor(page, 'call-start');
    await app.close();
    stopped = true;
    await waitFor(page, 'call-end');
    const all = await heard(page);
    expect(names(all).filter((name) => name === 'call-end')).toHaveLength(1);
    expect(JSON.stringify(all)).toContain('worker-shutdown');
    await page.context().close();
  });
});
