/// <reference lib="dom" />
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, FAKE_MEDIA, openBrowser } from '../support/browser.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { personFilm, plainPicture } from '../support/voice/drawn-person.ts';
import { createRoom } from '../support/voice/meeting-visit.ts';
import { simpleEngines } from '../support/voice/simple-engines.ts';
import { buildVoicePage, type CALL_LIBRARIES, type VoicePage } from '../support/voice/voice-page.ts';

declare global {
  interface Window {
    faults: object[];
  }
}
type Version = keyof typeof CALL_LIBRARIES;
type Background = Record<string, unknown>;
const VERSIONS = ['specified', 'newest'] as const;

/** What a picture shows: how far the stripes of the wall differ, the wall's colour, and the colour of the face. */
interface Seen {
  readonly stripes: number;
  readonly wall: readonly number[];
  readonly face: readonly number[];
}

/** All settings, as the newest library returns them; the specified one puts them into an object. */
interface Settings {
  readonly inputSettings?: Settings;
  readonly video?: { readonly processor: { readonly type: string } };
}

/** Looks at the present picture of a participant's camera, in the page; null while there is none. */
async function lookAt(whose: string): Promise<Seen | null> {
  type Person = { local: boolean; tracks: { video: { persistentTrack?: MediaStreamTrack; state: string } } };
  const people = Object.values(window.library.participants?.() as Record<string, Person>);
  const person = people.find(({ local }) => local === (whose === 'local'));
  const { persistentTrack: track, state } = person?.tracks.video ?? {};
  if (track === undefined || state !== 'playable') return null;
  const video = document.createElement('video');
  video.muted = true;
  video.srcObject = new MediaStream([track]);
  await video.play();
  await new Promise((resolve) => video.requestVideoFrameCallback(resolve));
  const canvas = new OffscreenCanvas(640, 360);
  const context = canvas.getContext('2d');
  if (context === null) return null;
  context.drawImage(video, 0, 0, 640, 360);
  video.srcObject = null;
  const colourOf = (x: number, y: number, width: number, height: number): number[] => {
    const { data } = context.getImageData(x, y, width, height);
    return [0, 1, 2].map((colour) => {
      let sum = 0;
      for (let at = colour; at < data.length; at += 4) sum += data[at] ?? 0;
      return Math.round(sum / (width * height));
    });
  };
  // The wall on the left: two stripes of each colour, without their edges.
  const [first = [], second = []] = [0, 40].map((x) => colourOf(x + 10, 20, 20, 200));
  return {
    stripes: Math.abs((first[0] ?? 0) - (second[0] ?? 0)),
    wall: colourOf(0, 20, 80, 200),
    face: colourOf(300, 120, 40, 40),
  };
}

describe.skipIf(CHROMIUM === undefined)('the background of the camera', () => {
  let app: TestApp;
  let browser: Browser;
  let voicePage: VoicePage;
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-camera-'));
  const red = [...plainPicture('#e01020')];

  beforeAll(async () => {
    const film = path.join(folder, 'person.y4m');
    writeFileSync(film, personFilm());
    app = await startTestApp({ voiceEngines: simpleEngines() });
    voicePage = await buildVoicePage();
    const camera = `--use-file-for-fake-video-capture=${film}`;
    browser = await openBrowser([...FAKE_MEDIA, camera, '--autoplay-policy=no-user-gesture-required']);
  });
  afterAll(async () => {
    await browser?.close();
    voicePage?.remove();
    rmSync(folder, { recursive: true, force: true });
    await app?.close();
  });

  async function enter(version: Version, url: string, properties: object = {}, before = ''): Promise<Page> {
    const context = await browser.newContext();
    await voicePage.serve(context, app.url);
    const page = await context.newPage();
    if (before !== '') await page.addInitScript(before);
    await page.goto(`${app.url}/voice-test.html`);
    await page.evaluate(
      async ([wanted, given]) => {
        window.library = window.libraries[wanted].createCallObject({
          audioSource: false,
          dailyConfig: {
            avoidEval: true,
            callObjectBundleUrlOverride: `${location.origin}/voice/call-machine.js`,
          },
        });
        window.faults = [];
        window.library.on?.('nonfatal-error', (event: object) => window.faults.push(event));
        await window.library.join?.(given);
      },
      [version, { url, ...properties }] as const,
    );
    return page;
  }

  /** Sets a processor as a page does; returns its settings, or why they are refused. */
  const choose = (page: Page, processor: object, picture?: number[]): Promise<unknown> =>
    page.evaluate(
      async ([wanted, bytes]) => {
        const config = bytes === undefined ? {} : { config: { source: new Uint8Array(bytes).buffer } };
        try {
          const processor = { ...wanted, ...config };
          const told = (await window.library.updateInputSettings?.({ video: { processor } })) as Settings;
          return (told.inputSettings ?? told).video?.processor.type;
        } catch (error) {
          return String(error);
        }
      },
      [processor, picture] as const,
    );

  const isLike = (seen: readonly number[] | undefined, wanted: readonly number[], off: number) =>
    seen?.every((one, at) => Math.abs(one - (wanted[at] ?? 0)) <= off) === true;
  const eventually = (page: Page, whose: string) => expect.poll(() => page.evaluate(lookAt, whose));

  test.each(VERSIONS)(
    'is blurred, replaced and shown again for everybody in the room, the person stays as they are, version %s',
    async (version) => {
      const room = await createRoom(app);
      const page = await enter(version, room.url);
      const guest = await enter('newest', room.url, { videoSource: false });
      await eventually(guest, 'remote').toMatchObject({ stripes: expect.toSatisfy((one) => one > 50) });
      const before = (await guest.evaluate(lookAt, 'remote')) as Seen;

      expect(await choose(page, { type: 'background-blur', config: { strength: 1 } })).toBe(
        'background-blur',
      );
      await eventually(guest, 'remote').toMatchObject({ stripes: expect.toSatisfy((one) => one < 20) });
      const blurred = (await guest.evaluate(lookAt, 'remote')) as Seen;
      expect(isLike(blurred.face, before.face, 12)).toBe(true);
      expect(isLike(blurred.wall, before.wall, 25)).toBe(true);
      expect(page.workers()).toHaveLength(1);

      // A picture of the page's own, with the worker that is there.
      expect(await choose(page, { type: 'background-image' }, red)).toBe('background-image');
      await eventually(guest, 'remote').toMatchObject({
        wall: expect.toSatisfy((wall) => isLike(wall, [0xe0, 0x10, 0x20], 25)),
        face: expect.toSatisfy((face) => isLike(face, before.face, 12)),
      });
      expect(page.workers()).toHaveLength(1);

      expect(await choose(page, { type: 'none' })).toBe('none');
      await eventually(guest, 'remote').toMatchObject({ stripes: expect.toSatisfy((one) => one > 50) });
      await expect.poll(() => page.workers().length).toBe(0);
      await Promise.all([page.context().close(), guest.context().close()]);
    },
  );

  test.each(VERSIONS)(
    'chosen before joining, it is there from the first picture, and goes and comes with the camera, version %s',
    async (version) => {
      const room = await createRoom(app);
      const blur = { processor: { type: 'background-blur', config: { strength: 1 } } };
      const guest = await enter('newest', room.url, { videoSource: false });
      const page = await enter(version, room.url, { inputSettings: { video: blur } });
      // The first picture that arrives counts: nobody sees the room even for a moment.
      let first: Seen | null = null;
      await expect
        .poll(async () => {
          first ??= await guest.evaluate(lookAt, 'remote');
          return first;
        })
        .not.toBeNull();
      expect(first).toMatchObject({ stripes: expect.toSatisfy((one) => one < 20) });
      const [worker] = page.workers();
      await page.evaluate(() => window.library.setLocalVideo?.(false));
      await expect.poll(() => page.workers().length).toBe(0);
      await page.evaluate(() => window.library.setLocalVideo?.(true));
      await eventually(page, 'local').toMatchObject({ stripes: expect.toSatisfy((one) => one < 20) });
      expect(page.workers()).toHaveLength(1);
      expect(page.workers()).not.toContain(worker);
      // Other settings of the camera, of what is sent and of the person leave it in place. A smaller picture shows some
      // of the stripes again.
      const camera = await page.evaluate(async () => {
        const { library } = window;
        await library.updateInputSettings?.({ audio: { processor: { type: 'noise-cancellation' } } });
        await library.setBandwidth?.({ trackConstraints: { width: 320, height: 180 } });
        await library.updateSendSettings?.({ video: 'bandwidth-optimized' });
        await library.setUserName?.('Ann');
        const inUse = (await library.getInputDevices?.()) as { camera: { deviceId?: string } };
        return inUse.camera.deviceId;
      });
      expect(camera).toMatch(/./);
      await eventually(guest, 'remote').toMatchObject({ stripes: expect.toSatisfy((one) => one < 30) });
      expect(page.workers()).toHaveLength(1);
      await page.evaluate(() => window.library.leave?.());
      await expect.poll(() => page.workers().length).toBe(0);
      await Promise.all([page.context().close(), guest.context().close()]);
    },
  );

  test('what cannot be had is refused with a sentence, and the picture stays as it was', async () => {
    const room = await createRoom(app);
    const cannot = 'delete globalThis.MediaStreamTrackGenerator;';
    const [page, old] = [await enter('newest', room.url), await enter('specified', room.url, {}, cannot)];
    // While the camera is off, a background is only noted.
    for (const where of [page, old])
      await eventually(where, 'local').toMatchObject({ stripes: expect.toSatisfy((one) => one > 50) });
    const refused = async (where: Page, processor: Background, picture?: number[]) => {
      const why = await choose(where, processor, picture);
      await expect
        .poll(() => where.evaluate(() => window.faults))
        .toMatchObject([{ action: 'nonfatal-error', type: 'video-processor-error' }]);
      await where.evaluate(() => window.faults.splice(0));
      return why;
    };
    expect(await refused(old, { type: 'background-blur' })).toBe(
      'Error: This browser cannot change the background of a picture.',
    );
    expect(await refused(page, { type: 'background-image' }, [1, 2, 3])).toMatch(
      /^Error: The picture for the background cannot be loaded: /,
    );
    expect(await refused(page, { type: 'face-detection' })).toBe(
      'Error: update-input-settings video face-detection is not supported by this version of the call library',
    );
    for (const where of [page, old]) {
      await eventually(where, 'local').toMatchObject({ stripes: expect.toSatisfy((one) => one > 50) });
      expect(where.workers()).toHaveLength(0);
    }
    await page.context().route('**/background-person.tflite', (route) => route.fulfill({ status: 404 }));
    expect(await refused(page, { type: 'background-blur' })).toMatch(
      /background-person.tflite has status 404/,
    );
    await expect.poll(() => page.workers().length).toBe(0);
    await Promise.all([page.context().close(), old.context().close()]);
  });

  test('a worker that fails in a call closes the camera, and does not show the room', async () => {
    const room = await createRoom(app);
    const page = await enter('newest', room.url);
    const failing = `onmessage = () => { postMessage({}); setTimeout(() => postMessage({ fault: 'It broke.' }), 300); };`;
    await page
      .context()
      .route('**/background.js', (route) => route.fulfill({ contentType: 'text/javascript', body: failing }));
    expect(await choose(page, { type: 'background-blur' })).toBe('background-blur');
    await expect
      .poll(() => page.evaluate(() => window.faults))
      .toMatchObject([{ type: 'video-processor-error', errorMsg: 'It broke.' }]);
    await eventually(page, 'local').toBeNull();
    await expect.poll(() => page.workers().length).toBe(0);
    // People who switch it on again are seen as they are: the page has the event, and its settings say so.
    await page.evaluate(() => window.library.setLocalVideo?.(true));
    await eventually(page, 'local').toMatchObject({ stripes: expect.toSatisfy((one) => one > 50) });
    await page.context().close();
  });
});
