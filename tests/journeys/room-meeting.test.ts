/// <reference lib="dom" />
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, FAKE_MEDIA, openBrowser } from '../support/browser.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { createRoom, tokenFor } from '../support/voice/meeting-visit.ts';
import { simpleEngines } from '../support/voice/simple-engines.ts';
import { voiceApi } from '../support/voice/voice-calls.ts';
import { buildVoicePage, type VoicePage } from '../support/voice/voice-page.ts';

type Version = 'specified' | 'newest';
/** The events that a page has received from its library. */
interface Heard {
  readonly action: string;
  // biome-ignore lint/suspicious/noExplicitAny: events of every shape are looked into
  readonly [member: string]: any;
}
interface SeenPerson {
  readonly session_id: string;
  readonly user_name: string;
  readonly tracks: Record<string, { state: string; persistentTrack?: MediaStreamTrack }>;
}
declare global {
  interface Window {
    events: Heard[];
    joinRoom(version: Version, properties: object): Promise<string>;
    /** A person as the library describes them. */
    person(id: string): SeenPerson | undefined;
    /** Whether a person's track is playable. */
    trackState(id: string, kind: string): string;
    /** Plays a person's picture, and resolves with its width when frames have arrived. */
    watch(id: string, kind: string): Promise<number>;
    /** Tracks of devices that are open, but that were held back from the page until `openDevices`. */
    delayed: MediaStreamTrack[];
    openDevices(): void;
  }
}

const EVENTS = [
  'joined-meeting',
  'left-meeting',
  'participant-joined',
  'participant-updated',
  'participant-left',
  'participant-counts-updated',
  'track-started',
  'track-stopped',
  'app-message',
  'active-speaker-change',
  'access-state-updated',
  'waiting-participant-added',
  'receive-settings-updated',
  'meeting-session-summary-updated',
  'meeting-session-updated',
  'meeting-session-state-updated',
  'local-screen-share-started',
  'local-screen-share-stopped',
  'error',
  'nonfatal-error',
  'camera-error',
];

/** Runs in the page before anything else. */
function prepare(names: readonly string[]): void {
  window.events = [];
  window.joinRoom = async (version, properties) => {
    const library = window.libraries[version].createCallObject({
      dailyConfig: {
        avoidEval: true,
        callObjectBundleUrlOverride: `${location.origin}/voice/call-machine.js`,
      },
    });
    window.library = library;
    for (const name of names)
      library.on?.(name, (event: object) => {
        // As JSON: participants contain tracks, which are replaced by names.
        const told = JSON.stringify(event, (key, value) =>
          /^(persistentT|t)rack$/.test(key) ? 'a track' : value,
        );
        window.events.push(JSON.parse(told));
      });
    await library.join?.(properties);
    return window.person('local')?.session_id ?? '';
  };
  window.person = (id) => (window.library.participants?.() as Record<string, SeenPerson> | undefined)?.[id];
  const trackOf = (id: string, kind: string) => window.person(id)?.tracks[kind];
  window.trackState = (id, kind) => trackOf(id, kind)?.state ?? 'none';
  window.watch = async (id, kind) => {
    const track = trackOf(id, kind)?.persistentTrack;
    if (track === undefined) return 0;
    const video = document.createElement('video');
    video.muted = true;
    video.srcObject = new MediaStream([track]);
    document.body.append(video);
    await video.play();
    while (video.getVideoPlaybackQuality().totalVideoFrames < 5)
      await new Promise((resolve) => setTimeout(resolve, 50));
    return video.videoWidth;
  };
}

/** Runs in the page: devices open at once, but the page gets them later. */
function delayDevices(): void {
  const { mediaDevices } = navigator;
  const open = mediaDevices.getUserMedia.bind(mediaDevices);
  const told = Promise.withResolvers<void>();
  window.delayed = [];
  window.openDevices = () => told.resolve();
  mediaDevices.getUserMedia = async (wanted) => {
    const stream = await open(wanted);
    window.delayed.push(...stream.getTracks());
    await told.promise;
    return stream;
  };
}

describe.skipIf(CHROMIUM === undefined)('rooms in the published call library', () => {
  let app: TestApp;
  let browser: Browser;
  let voicePage: VoicePage;
  const pages: Page[] = [];

  beforeAll(async () => {
    app = await startTestApp({ voiceEngines: simpleEngines() });
    voicePage = await buildVoicePage();
    browser = await openBrowser([
      ...FAKE_MEDIA,
      '--auto-select-desktop-capture-source=Entire screen',
      '--autoplay-policy=no-user-gesture-required',
    ]);
  });
  afterEach(async () => {
    await Promise.all(pages.splice(0).map((page) => page.context().close()));
  });
  afterAll(async () => {
    await browser?.close();
    voicePage?.remove();
    await app?.close();
  });

  async function openPage(): Promise<Page> {
    const context = await browser.newContext();
    await voicePage.serve(context, app.url);
    const page = await context.newPage();
    pages.push(page);
    await page.goto(`${app.url}/voice-test.html`);
    await page.evaluate(prepare, EVENTS);
    return page;
  }
  async function join(version: Version, properties: object): Promise<{ page: Page; id: string }> {
    const page = await openPage();
    const id = await page.evaluate(([wanted, given]) => window.joinRoom(wanted, given), [
      version,
      properties,
    ] as const);
    return { page, id };
  }
  const heard = (page: Page, action: string): Promise<Heard[]> =>
    page.evaluate((name) => window.events.filter((event) => event.action === name), action);
  const until = (page: Page, look: (...given: string[]) => unknown, given: string[]) =>
    expect.poll(() => page.evaluate(`(${look.toString()})(...${JSON.stringify(given)})`)).toBeTruthy();
  const playable = (page: Page, id: string, kind: string) =>
    until(page, (who = '', what = '') => window.trackState(who, what) === 'playable', [id, kind]);

  test.each(['specified', 'newest'] as const)(
    'two people see and hear each other, share a screen, write, and one puts the other out, version %s',
    async (version) => {
      const room = await createRoom(app);
      const { url } = room;
      const ann = await join(version, {
        url,
        token: await tokenFor(app, room.name, { is_owner: true, user_name: 'Ann' }),
      });
      const bob = await join(version, { url, userName: 'Bob', userData: { seat: 4 } });
      for (const [one, other] of [
        [ann, bob],
        [bob, ann],
      ] as const)
        for (const kind of ['audio', 'video']) await playable(one.page, other.id, kind);
      expect(await ann.page.evaluate((id) => window.watch(id, 'video'), bob.id)).toBeGreaterThan(0);
      // The camera sends three sizes: by default the largest is received, then the smallest.
      const width = () => ann.page.evaluate((id) => window.watch(id, 'video'), bob.id);
      // The fake camera has 1280 pixels; its smallest size has 320.
      await expect.poll(width).toBeGreaterThan(320);
      const wish = { [bob.id]: { video: { layer: 0 } } };
      await ann.page.evaluate((settings) => window.library.updateReceiveSettings?.(settings), wish);
      // A busy machine sends a smaller picture, and so smaller sizes of it.
      await expect.poll(width).toSatisfy((pixels: number) => pixels > 0 && pixels <= 320);
      expect((await heard(ann.page, 'receive-settings-updated')).at(-1)).toMatchObject({
        receiveSettings: wish,
      });
      const seen = await ann.page.evaluate((id) => window.person(id), bob.id);
      expect(seen).toMatchObject({ user_name: 'Bob', userData: { seat: 4 }, owner: false, local: false });
      await expect
        .poll(() => ann.page.evaluate(() => window.library.participantCounts?.()))
        .toEqual({ present: 2, hidden: 0 });

      await bob.page.evaluate(() => window.library.sendAppMessage?.({ hello: 'all' }));
      await expect
        .poll(() => heard(ann.page, 'app-message'))
        .toMatchObject([{ data: { hello: 'all' }, fromId: bob.id }]);
      // The fake microphone beeps, so somebody is the active speaker.
      await expect
        .poll(async () => (await heard(ann.page, 'active-speaker-change')).length)
        .toBeGreaterThan(0);

      await bob.page.evaluate(() => window.library.setMeetingSessionData?.({ topic: 'prices' }));
      await expect
        .poll(() => ann.page.evaluate(() => window.library.meetingSessionState?.()))
        .toEqual({ data: { topic: 'prices' }, topology: 'sfu' });
      expect((await heard(ann.page, 'meeting-session-state-updated')).length).toBeGreaterThan(0);
      for (const action of ['meeting-session-summary-updated', 'meeting-session-updated'])
        expect(await heard(bob.page, action)).toMatchObject([{ meetingSession: { id: expect.any(String) } }]);

      await bob.page.evaluate(() => window.library.startScreenShare?.());
      await expect.poll(async () => (await heard(bob.page, 'local-screen-share-started')).length).toBe(1);
      await playable(ann.page, bob.id, 'screenVideo');
      expect(await ann.page.evaluate((id) => window.watch(id, 'screenVideo'), bob.id)).toBeGreaterThan(0);
      await bob.page.evaluate(() => window.library.stopScreenShare?.());
      await until(ann.page, (id = '') => window.trackState(id, 'screenVideo') === 'off', [bob.id]);

      await bob.page.evaluate(() => window.library.setLocalVideo?.(false));
      await until(ann.page, (id = '') => window.trackState(id, 'video') === 'off', [bob.id]);
      await bob.page.evaluate(() => window.library.setUserName?.('Rob'));
      await until(ann.page, (id = '') => window.person(id)?.user_name === 'Rob', [bob.id]);
      await ann.page.evaluate(
        (id) => void window.library.updateParticipant?.(id, { setAudio: false }),
        bob.id,
      );
      await expect.poll(() => bob.page.evaluate(() => window.library.localAudio?.())).toBe(false);

      await ann.page.evaluate((id) => void window.library.updateParticipant?.(id, { eject: true }), bob.id);
      await expect.poll(() => heard(bob.page, 'error')).toMatchObject([{ error: { type: 'ejected' } }]);
      await expect.poll(async () => (await heard(ann.page, 'participant-left')).length).toBe(1);
      for (const { page } of [ann, bob])
        expect([...(await heard(page, 'nonfatal-error')), ...(await heard(page, 'camera-error'))]).toEqual(
          [],
        );
    },
  );

  test.each(['specified', 'newest'] as const)(
    'tracks of own names are seen and heard by the others until they are stopped, version %s',
    async (version) => {
      const { url } = await createRoom(app);
      const ann = await join(version, { url, videoSource: false });
      const bob = await join(version, { url, videoSource: false });
      const names = await bob.page.evaluate(async () => {
        const devices = await navigator.mediaDevices.getUserMedia({ audio: true, video: true });
        const [[track], [sound]] = [devices.getVideoTracks(), devices.getAudioTracks()];
        const film = await window.library.startCustomTrack?.({ track, trackName: 'film' });
        const song = await window.library.startCustomTrack?.({
          track: sound,
          trackName: 'song',
          mode: 'music',
        });
        return [film, song];
      });
      expect(names).toEqual(['film', 'song']);
      for (const name of ['film', 'song']) {
        await playable(ann.page, bob.id, name);
        expect(await bob.page.evaluate((one) => window.trackState('local', one), name)).toBe('playable');
      }
      expect(await ann.page.evaluate((id) => window.watch(id, 'film'), bob.id)).toBeGreaterThan(0);
      expect(await ann.page.evaluate((id) => window.person(id)?.tracks, bob.id)).toMatchObject({
        film: { kind: 'video', subscribed: true },
        song: { kind: 'audio', subscribed: true },
      });
      await bob.page.evaluate(() => window.library.stopCustomTrack?.('film'));
      await until(ann.page, (id = '') => window.trackState(id, 'film') === 'none', [bob.id]);
      await expect
        .poll(async () => (await heard(ann.page, 'track-stopped')).map(({ type }) => type))
        .toContain('film');
      expect(await heard(bob.page, 'nonfatal-error')).toEqual([]);
    },
  );

  test('a person who leaves while joining is not in the room afterwards, and no device stays open', async () => {
    const room = await createRoom(app);
    const page = await openPage();
    await page.evaluate(delayDevices);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url().split('/').at(-1) ?? ''));
    // The library never settles a `join` that was left.
    await page.evaluate((url) => void window.joinRoom('specified', { url }).catch(() => {}), room.url);
    await until(page, () => window.delayed.length > 0, []);
    await page.evaluate(() => void window.library.leave?.());
    await expect.poll(async () => (await heard(page, 'left-meeting')).length).toBe(1);
    await page.evaluate(() => window.openDevices());
    await until(page, () => window.delayed.every(({ readyState }) => readyState === 'ended'), []);
    // Once when leaving, and once when joining reached that point.
    await expect.poll(() => asked.filter((one) => one === 'leave').length).toBe(2);
    expect(asked).not.toContain('offer');
    expect(await heard(page, 'joined-meeting')).toEqual([]);
    const presence = async () => (await voiceApi(app, 'GET', `/rooms/${room.name}/presence`)).body;
    expect((await presence()).data).toEqual([]);
  });

  test('a person who knocks waits until an owner admits them', async () => {
    const room = await createRoom(app, { enable_knocking: true }, { privacy: 'private' });
    const { url } = room;
    const token = await tokenFor(app, room.name, { is_owner: true, user_name: 'Ann' });
    const ann = await join('specified', { url, token, videoSource: false });
    const bob = await join('specified', { url, videoSource: false });
    expect(await bob.page.evaluate(() => window.library.accessState?.())).toEqual({
      access: { level: 'lobby' },
    });
    const asked = bob.page.evaluate(() => window.library.requestAccess?.({ name: 'Bob of sales' }));
    await expect
      .poll(() => heard(ann.page, 'waiting-participant-added'))
      .toMatchObject([{ participant: { id: bob.id, name: 'Bob of sales' } }]);
    await ann.page.evaluate(
      (id) => void window.library.updateWaitingParticipant?.(id, { grantRequestedAccess: true }),
      bob.id,
    );
    expect(await asked).toEqual({ access: { level: 'full' }, granted: true });
    await playable(ann.page, bob.id, 'audio');
  });
});
