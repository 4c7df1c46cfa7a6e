/// <reference lib="dom" />
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FATAL_ERROR_TYPES } from '../../packages/call/src/call-events.ts';
import { CHROMIUM, FAKE_MEDIA, openBrowser } from '../support/browser.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createRoom, enterRoom, tokenFor } from '../support/voice/meeting-visit.ts';
import { simpleEngines } from '../support/voice/simple-engines.ts';
import { voiceApi } from '../support/voice/voice-calls.ts';
import { buildVoicePage, type VoicePage } from '../support/voice/voice-page.ts';

/** What the published library reported about the end of a call. */
interface Ending {
  readonly type: string | undefined;
  readonly on: string | undefined;
  readonly state: string;
}

describe.skipIf(CHROMIUM === undefined)('fatal errors in the published call library', () => {
  let app: TestApp;
  let browser: Browser;
  let voicePage: VoicePage;
  let page: Page;

  beforeAll(async () => {
    app = await startTestApp({ voiceEngines: simpleEngines() });
    voicePage = await buildVoicePage();
    browser = await openBrowser([...FAKE_MEDIA, '--autoplay-policy=no-user-gesture-required']);
    const context = await browser.newContext();
    await voicePage.serve(context, app.url);
    page = await context.newPage();
    await page.goto(`${app.url}/voice-test.html`);
  });
  afterAll(async () => {
    await browser?.close();
    voicePage?.remove();
    await app?.close();
  });

  const now = (): number => Math.floor(Date.now() / 1000);

  /** Joins and waits for the library's `error`; `after` runs as soon as somebody has joined. */
  async function endingOf(
    version: 'specified' | 'newest',
    given: { url: string; token?: string; dailyJsVersion?: string },
    after: (session: string) => Promise<unknown> = async () => {},
  ): Promise<Ending> {
    const ended = page.evaluate(
      ([wanted, properties]) =>
        new Promise<Ending>((resolve) => {
          const library = window.libraries[wanted].createCallObject({
            videoSource: false,
            dailyConfig: {
              avoidEval: true,
              callObjectBundleUrlOverride: `${location.origin}/voice/call-machine.js`,
            },
          });
          Object.assign(window, { inside: undefined });
          library.on?.('joined-meeting', (event: { participants: { local: { session_id: string } } }) => {
            Object.assign(window, { inside: event.participants.local.session_id });
          });
          library.on?.('error', (event: { error?: { type: string; details?: { on: string } } }) => {
            const state = String(library.meetingState?.());
            const ending = { type: event.error?.type, on: event.error?.details?.on, state };
            void Promise.resolve(library.destroy?.()).then(() => resolve(ending));
          });
          Promise.resolve(library.join?.(properties)).catch(() => {});
        }),
      [version, given] as const,
    );
    const inside = await Promise.race([
      ended.then(() => undefined),
      page
        .waitForFunction(() => (window as unknown as { inside?: string }).inside)
        .then((one) => one.jsonValue()),
    ]);
    if (typeof inside === 'string') await after(inside);
    return ended;
  }

  test.each(['specified', 'newest'] as const)(
    'every fatal error of the contract ends a call of the library, version %s',
    async (version) => {
      const open = await createRoom(app);
      const locked = await createRoom(app, {}, { privacy: 'private' });
      const eject = (room: { name: string }) => (session: string) =>
        voiceApi(app, 'POST', `/rooms/${room.name}/eject`, { ids: [session] });
      const early = await createRoom(app, { nbf: now() + 3600 });
      const late = await createRoom(app, { nbf: now() - 60, exp: now() - 30 });
      const url = locked.url;
      const full = await createRoom(app, { max_participants: 1 });
      const first = await enterRoom(app, full.url);
      const types: Record<string, Ending> = {
        'nbf-room': await endingOf(version, { url: early.url }),
        'exp-room': await endingOf(version, { url: late.url }),
        'nbf-token': await endingOf(version, {
          url,
          token: await tokenFor(app, locked.name, { nbf: now() + 3600 }),
        }),
        'exp-token': await endingOf(version, {
          url,
          token: await tokenFor(app, locked.name, { exp: now() - 1 }),
        }),
        'not-allowed': await endingOf(version, { url }),
        'no-room': await endingOf(version, { url: `${url.slice(0, -4)}none` }),
        'meeting-full': await endingOf(version, { url: full.url }),
        'end-of-life': await endingOf(version, { url: open.url, dailyJsVersion: '0.65.0' }),
        ejected: await endingOf(version, { url: open.url }, eject(open)),
        'connection-error': await endingOf(version, { url: 'http://127.0.0.1:9/voice/v1/room/none' }),
      };
      await first.peer.close();
      expect(Object.keys(types).sort()).toEqual([...FATAL_ERROR_TYPES].sort());
      for (const [type, ending] of Object.entries(types))
        expect(ending).toEqual({
          type,
          state: 'error',
          ...(type === 'connection-error' ? { on: 'room-lookup' } : {}),
        });
    },
  );
});
