/// <reference lib="dom" />
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, FAKE_MEDIA, openBrowser } from '../support/browser.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createRoom, tokenFor } from '../support/voice/meeting-visit.ts';
import { colourAt, HAS_FFMPEG, probe } from '../support/voice/recordings/ffmpeg.ts';
import { readWebm } from '../support/voice/recordings/webm-reading.ts';
import { simpleEngines } from '../support/voice/simple-engines.ts';
import { eventually, voiceApi } from '../support/voice/voice-calls.ts';
import { buildVoicePage, type VoicePage } from '../support/voice/voice-page.ts';

type Version = 'specified' | 'newest';
/** The events that a page has received from its library. */
interface Told {
  readonly action: string;
  // biome-ignore lint/suspicious/noExplicitAny: events of every shape are looked into
  readonly [member: string]: any;
}
declare global {
  interface Window {
    told: Told[];
  }
}

/** Where to store the videos for inspection; none are stored without it. */
const PICTURES = process.env.OPERATOR_PICTURES;
const EVENTS = ['recording-started', 'recording-stopped', 'recording-error', 'app-message', 'nonfatal-error'];
/** The options of the published client (docs/contracts/voice.md §1). */
const FORM = { width: 1280, height: 720, backgroundColor: '#FF1F2D3D', layout: { preset: 'default' } };
/** The background colour of recordings. */
const GROUND = [31, 45, 61];

describe.skipIf(CHROMIUM === undefined || !HAS_FFMPEG)(
  'a recorded meeting in the published call library',
  () => {
    let app: TestApp;
    let browser: Browser;
    let voicePage: VoicePage;
    const pages: Page[] = [];

    beforeAll(async () => {
      app = await startTestApp({ voiceEngines: simpleEngines() });
      voicePage = await buildVoicePage();
      browser = await openBrowser([...FAKE_MEDIA, '--autoplay-policy=no-user-gesture-required']);
    });
    afterEach(async () => {
      await Promise.all(pages.splice(0).map((page) => page.context().close()));
    });
    afterAll(async () => {
      await browser?.close();
      voicePage?.remove();
      await app?.close();
    });

    async function join(version: Version, properties: object): Promise<Page> {
      const context = await browser.newContext();
      await voicePage.serve(context, app.url);
      const page = await context.newPage();
      pages.push(page);
      await page.goto(`${app.url}/voice-test.html`);
      await page.evaluate(
        async ([wanted, given, names]) => {
          window.told = [];
          window.library = window.libraries[wanted].createCallObject({
            dailyConfig: {
              avoidEval: true,
              callObjectBundleUrlOverride: `${location.origin}/voice/call-machine.js`,
            },
          });
          for (const name of names)
            window.library.on?.(name, (event: object) => window.told.push(JSON.parse(JSON.stringify(event))));
          await window.library.join?.(given);
        },
        [version, properties, EVENTS] as const,
      );
      return page;
    }
    const told = (page: Page, action: string): Promise<Told[]> =>
      page.evaluate((name) => window.told.filter((event) => event.action === name), action);
    const comes = (page: Page, action: string) =>
      eventually(`${action} comes`, async () => (await told(page, action))[0]);

    test.each(['specified', 'newest'] as const)(
      'two people agree, are told, and are seen in one file; version %s',
      async (version) => {
        const room = await createRoom(app, { enable_recording: 'cloud' });
        const { url } = room;
        const token = await tokenFor(app, room.name, { is_owner: true, user_name: 'Ann' });
        const ann = await join(version, { url, token });
        const bob = await join(version, { url, userName: 'Bob' });
        await bob.evaluate((form) => void window.library.startRecording?.(form), FORM);
        expect((await comes(bob, 'recording-error')).errorMsg).toBe(
          'Only owners of the meeting have it recorded.',
        );
        await ann.evaluate((form) => void window.library.startRecording?.(form), FORM);
        const { recordingId } = await comes(ann, 'recording-started');
        expect(await comes(bob, 'recording-started')).toMatchObject({ recordingId });
        const question = await comes(bob, 'app-message');
        expect(question).toMatchObject({
          data: { type: 'recording-consent-request', recordingId },
          fromId: 'recorder',
        });
        await bob.evaluate(
          (to) => void window.library.sendAppMessage?.({ type: 'recording-consent', given: true }, to),
          question.fromId,
        );
        const people = async () =>
          (await voiceApi(app, 'GET', `/recordings/${recordingId}`)).body.participants.length;
        await expect.poll(people).toBe(2);
        // Both cameras are recorded for some time.
        const folder = path.join(app.resources.settings.DATA_DIR, 'recordings');
        const frames = (number: number): number =>
          readWebm(readFileSync(path.join(folder, `${recordingId}.${number}.webm`))).frames.length;
        for (const number of [1, 2]) await expect.poll(() => frames(number)).toBeGreaterThan(60);
        await ann.evaluate(() => void window.library.stopRecording?.());
        for (const page of [ann, bob]) await comes(page, 'recording-stopped');
        const link = await eventually('it is composed', async () => {
          const { body } = await voiceApi(app, 'GET', `/recordings/${recordingId}/access-link`);
          return body.video === true ? body : undefined;
        });
        const { streams, seconds } = await probe(link.download_link);
        expect(streams).toEqual(['h264 1280x720', 'aac']);
        expect(seconds).toBeGreaterThan(2);
        if (PICTURES !== undefined)
          writeFileSync(
            `${PICTURES}/meeting-${version}.mp4`,
            Buffer.from(await (await fetch(link.download_link)).arrayBuffer()),
          );
        const isGround = async (place: readonly [number, number]): Promise<boolean> => {
          const colour = await colourAt(link.download_link, seconds - 1, place);
          return colour.every((value, at) => Math.abs(value - (GROUND[at] ?? 0)) < 24);
        };
        // Two tiles side by side, with the background above and below them.
        expect(await Promise.all([isGround([100, 300]), isGround([740, 300])])).toEqual([false, false]);
        expect(await Promise.all([isGround([320, 60]), isGround([960, 660])])).toEqual([true, true]);
        expect(await told(ann, 'nonfatal-error')).toEqual([]);
        await voiceApi(app, 'DELETE', `/recordings/${recordingId}`);
      },
    );
  },
);
