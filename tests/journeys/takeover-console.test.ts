/// <reference lib="dom" />
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { joined } from '../../packages/telephone-audio/src/sounds.fixture.ts';
import { openEvidence } from '../../src/voice/calls/record/evidence.server.ts';
import { GROUND_FRAME } from '../../src/voice/recording/ground-frame.server.ts';
import { CHROMIUM, FAKE_MEDIA, openBrowser } from '../support/browser.ts';
import { signInAtConsole } from '../support/customers/console-browser.ts';
import { newOperator, type TestAccount } from '../support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { HAS_FFMPEG } from '../support/voice/recordings/ffmpeg.ts';
import {
  ELSEWHERE,
  GONE,
  leaveRecording,
  openOtherStore,
} from '../support/voice/recordings/left-recording.ts';
import { readWebm } from '../support/voice/recordings/webm-reading.ts';
import { simpleEngines } from '../support/voice/simple-engines.ts';
import { greetedCall, type TestCall, voiceApi } from '../support/voice/voice-calls.ts';
import { buildVoicePage, type VoicePage } from '../support/voice/voice-page.ts';
import { tone, until } from '../support/voice/voice-peer.ts';

declare global {
  interface Window {
    heard: [event: string, value: unknown][];
    client: { stop(): void; setMuted(muted: boolean): void; send(message: object): void };
    begin(name: string, key: string, assistant: string): Promise<string | null>;
  }
}

/** Where to store pictures for inspection; none are made without it. */
const PICTURES = process.env.OPERATOR_PICTURES;
const LOOKS = [
  ['light', 1440, 900],
  ['dark', 1440, 900],
  ['light', 390, 844],
  ['dark', 390, 844],
] as const;
const RECORDED = { name: 'Reception', artifactPlan: { videoRecordingEnabled: true } };

describe.skipIf(CHROMIUM === undefined)('a call in the hands of an operator', () => {
  let app: TestApp;
  let browser: Browser;
  let operator: TestAccount;
  let voicePage: VoicePage;
  beforeAll(async () => {
    app = await startTestApp({ voiceEngines: simpleEngines({ followsInstructions: true }) });
    voicePage = await buildVoicePage();
    operator = await newOperator(app);
    browser = await openBrowser([...FAKE_MEDIA, '--autoplay-policy=no-user-gesture-required']);
  });
  afterAll(async () => {
    await browser?.close();
    voicePage?.remove();
    await app?.close();
  });

  const openConsole = (account = operator, options = {}) =>
    signInAtConsole({ url: app.url, browser }, account, options, '/operator/calls');
  const begin = (): Promise<TestCall> =>
    greetedCall(app, {
      // The checks of a page may take longer on a slow machine than a caller is usually silent.
      assistant: { name: 'Reception', firstMessage: 'Hello.', silenceTimeoutSeconds: 600 },
    });
  const loudest = (pieces: readonly Int16Array[]): number =>
    joined(pieces).reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  const said = (call: TestCall, words: string) => () =>
    call
      .messages('transcript')
      .some(({ role, transcript }) => role === 'assistant' && transcript.includes(words));

  /** Checks the page as it is, wide and narrow, for whether it fits. */
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
  /** Checks accessibility. The page does nothing else during the check, so nobody speaks through it then. */
  async function lookThrough(page: Page): Promise<void> {
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.target}`)).toEqual([]);
  }

  test('is listened to, spoken in, taken over, given back, and continues when the page is closed', async () => {
    // Opened first: while a page loads on a slow machine, another sends no sound and would lose its call.
    const other = await openConsole(await newOperator(app));
    const { page, complaints, close } = await openConsole();
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
    // The browser's fake microphone beeps once a second.
    await until('the caller hears the operator', () => loudest(call.peer.heard.slice(-100)) > 1000);
    await look(page, 'takeover-speaking');
    const spoken = other.page.getByText(`${operator.email} speaks with the caller.`);
    await spoken.waitFor();
    // Nothing that appears and disappears is above the buttons.
    const topOf = async (what: Locator): Promise<number> => (await what.boundingBox())?.y ?? Number.NaN;
    const buttons = await topOf(other.page.getByRole('button', { name: 'Listen in on the call of Browser' }));
    expect(await topOf(spoken)).toBeGreaterThan(buttons);
    expect(await topOf(other.page.getByRole('log'))).toBeGreaterThan(buttons);
    expect(await other.page.getByRole('button', { name: /^Take over/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Give back the call of Browser' }).click();
    await until('the assistant goes on', said(call, 'AI assistant again'));
    await page.getByRole('button', { name: 'Stop listening to the call of Browser' }).click();
    await page.getByRole('button', { name: 'Listen in on the call of Browser' }).waitFor();

    await page.getByRole('button', { name: 'Take over the call of Browser' }).click();
    await page.getByText('You speak with the caller.').waitFor();
    await spoken.waitFor();
    // Only now, as the check takes the processor from the page whose sound has to come.
    await lookThrough(other.page);
    await other.close();
    expect(complaints).toEqual([]);
    await close();
    await until('the assistant goes on by itself', said(call, 'broken off'));
    await call.peer.close();
    expect((await call.over()).endedReason).toBe('customer-ended-call');
  });

  /** The camera pictures that the recorder has written so far. */
  const pictures = (id: string): number => {
    const file = path.join(app.resources.settings.DATA_DIR, 'recordings', `${id}.webm`);
    const frames = existsSync(file) ? readWebm(readFileSync(file)).frames : [];
    return frames.filter(({ bytes }) => !bytes.equals(GROUND_FRAME)).length;
  };

  /** A visitor whose browser has a camera agrees to be recorded, hears the first message and hangs up. */
  async function beRecorded(firstMessage: string): Promise<string> {
    const { body: assistant } = await voiceApi(app, 'POST', '/assistant', { ...RECORDED, firstMessage });
    const context = await browser.newContext();
    await voicePage.serve(context, app.url);
    const page = await context.newPage();
    await page.goto(`${app.url}/voice-test.html`);
    const given = ['own', app.resources.keys.voice_private_key, assistant.id] as const;
    const id = await page.evaluate(async ([client, key, name]) => {
      const begun = await window.begin(client, key, name);
      // The browser's fake microphone beeps, which would interrupt.
      window.client.setMuted(true);
      return begun;
    }, given);
    if (id === null) throw new Error(`no call: ${JSON.stringify(await page.evaluate(() => window.heard))}`);
    /** Waits until the caller has heard these words completely. */
    const heard = (words: string) =>
      page.waitForFunction(
        (wanted) =>
          window.heard.some(([, message]) => {
            const text = JSON.stringify(message ?? '');
            return text.includes('"conversation-update"') && text.includes(wanted);
          }),
        words,
      );
    await heard('picture of your camera? Please say yes or no.');
    await page.evaluate(() =>
      window.client.send({ type: 'add-message', message: { role: 'user', content: 'yes' } }),
    );
    await heard(firstMessage);
    await expect.poll(() => pictures(id)).toBeGreaterThan(5);
    await page.evaluate(() => window.client.stop());
    await context.close();
    return id;
  }

  /** Holds a player at a second, so that the shown picture stays. */
  const holdAt = (player: Locator, second: number): Promise<void> =>
    player.evaluate((media: HTMLMediaElement, at) => {
      media.pause();
      media.currentTime = at;
    }, second);
  const isReady = (player: Locator) =>
    expect
      .poll(() => player.evaluate(({ readyState, error }: HTMLMediaElement) => error?.message ?? readyState))
      .toBeGreaterThanOrEqual(2);

  test.skipIf(!HAS_FFMPEG)(
    'recorded with the camera it is watched, with its words running along (skipped without ffmpeg)',
    async () => {
      const first = 'Good morning, this is the reception of the harbour office.';
      const id = await beRecorded(first);
      const { page, complaints, close } = await openConsole();
      await page.getByRole('button', { name: /Browser.*Reception · recorded/ }).click();
      const panel = page.getByRole('article', { name: 'Call' });
      // The page finds out by itself when picture and sound have been joined.
      await panel.getByRole('button', { name: /^Watch, 0:/ }).click();
      const player = panel.getByLabel('Video of the call');
      await isReady(player);
      const { duration, width } = await player.evaluate((video: HTMLVideoElement) => ({
        ...{ duration: video.duration, width: video.videoWidth },
      }));
      expect([duration > 2, width]).toEqual([true, 1280]);
      const greeting = panel.locator('.call-lines li').filter({ hasText: first });
      await greeting.getByRole('button', { name: /^Play from/ }).press('Enter');
      await expect
        .poll(() => player.evaluate((video: HTMLVideoElement) => video.currentTime))
        .toBeGreaterThan(0);
      await holdAt(player, 0.2);
      await panel.locator('.call-lines li[data-heard]').filter({ hasText: first }).waitFor();
      expect(await panel.locator('.call-lines li[data-heard]').count()).toBe(1);
      await greeting.getByText(first).click();
      await expect.poll(() => player.evaluate((video: HTMLVideoElement) => video.paused)).toBe(false);
      const shown = await player.evaluate(async (video: HTMLVideoElement) => {
        video.pause();
        const [track] = video.textTracks;
        if (track === undefined) return 'no captions';
        track.mode = 'showing';
        while (track.cues === null || track.cues.length === 0)
          await new Promise((resolve) => setTimeout(resolve, 50));
        return Array.from(track.cues, (cue) => (cue as VTTCue).text).join(' ');
      });
      expect(shown).toContain('this is the reception');
      // In the last second the camera's picture is shown, which is not of one colour as the background is.
      await holdAt(player, Math.max(0, duration - 1));
      await expect
        .poll(() =>
          player.evaluate((video: HTMLVideoElement) => {
            const canvas = new OffscreenCanvas(64, 36);
            const pen = canvas.getContext('2d');
            pen?.drawImage(video, 0, 0, 64, 36);
            const { data = [] } = pen?.getImageData(0, 0, 64, 36) ?? {};
            return new Set(Array.from(data, (value) => value >> 4)).size;
          }),
        )
        .toBeGreaterThan(5);
      await look(page, 'watched');
      await lookThrough(page);
      await panel.getByRole('button', { name: 'Delete call and recording' }).click();
      await panel.getByRole('button', { name: 'Really delete it' }).click();
      await page.getByText('The call is deleted. Its evidence stays.').waitFor();
      expect((await voiceApi(app, 'GET', `/call/${id}`)).status).toBe(404);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test('a recording without its picture yet, with it beside, or gone says so; the picture follows its sound', async () => {
    const id = await leaveRecording(app, ELSEWHERE, { ...RECORDED, name: 'Evening reception' });
    const now = Date.now();
    const messages = ['Good evening.', 'Is that you?'].map((message, line) => ({
      ...{ role: line === 0 ? 'bot' : 'user', message, secondsFromStart: line },
      ...{ time: now, endTime: now + (line + 1) * 1000 },
    }));
    await app.resources.database.run('update private.voice_records set body = body || $2 where id = $1', [
      id,
      JSON.stringify({ status: 'ended', endedReason: 'customer-ended-call', messages }),
    ]);
    await app.resources.database.run(
      'update private.voice_recordings set started_at = to_timestamp($2::float8 / 1000) where call_id = $1',
      [id, now],
    );
    const ending = openOtherStore(app, 'off');
    await ending.close();
    await ending.finish(id);
    const { page, complaints, close } = await openConsole();
    onTestFinished(close);
    await page.getByRole('button', { name: /Browser.*Evening reception · recorded/ }).click();
    const panel = page.getByRole('article', { name: 'Call' });
    await panel
      .getByText('Picture and sound are still being put together. Until then there is the sound alone.')
      .waitFor();
    await panel.getByRole('button', { name: 'Listen, 0:02' }).click();
    const sound = panel.getByLabel('Recording of the call');
    await isReady(sound);

    await app.resources.database.run('update private.voice_recordings set worker = $2 where call_id = $1', [
      id,
      GONE,
    ]);
    const other = openOtherStore(app, 'off');
    await other.recover();
    await panel
      .getByText(
        'Picture and sound are two files, as this server could not put them together (it needs ffmpeg). They are played together here.',
      )
      .waitFor();
    await panel.getByRole('button', { name: 'Watch, 0:02' }).click();
    const picture = panel.getByLabel('Picture of the call');
    await isReady(picture);
    await isReady(sound);
    await holdAt(sound, 1.5);
    await expect
      .poll(() => picture.evaluate((video: HTMLVideoElement) => (video.paused ? video.currentTime : -1)))
      .toBeGreaterThan(1.2);
    await panel.locator('.call-lines li[data-heard]').filter({ hasText: 'Is that you?' }).waitFor();
    await look(page, 'watched-apart');
    await lookThrough(page);

    await app.resources.database.run(
      "update private.voice_recordings set expires_at = now() - interval '1 s' where call_id = $1",
      [id],
    );
    await app.resources.database.transaction((queries) =>
      openEvidence(app.resources).add(queries, id, {
        ...{ kind: 'consent', data: { to: 'recording', given: true } },
      }),
    );
    expect(await other.expire()).toBe(1);
    // Its address keeps the call open.
    await page.reload();
    await panel.getByText('The recording was deleted when its time was over.').waitFor();
    expect(await panel.getByRole('button', { name: /^(Watch|Listen)/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
