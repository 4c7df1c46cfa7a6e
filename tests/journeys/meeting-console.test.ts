/// <reference lib="dom" />
import type { Browser, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { CHROMIUM, openBrowser } from '../support/browser.ts';
import { signInAtConsole } from '../support/customers/console-browser.ts';
import { newOperator, type TestAccount } from '../support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { HAS_FFMPEG } from '../support/voice/recordings/ffmpeg.ts';
import { ELSEWHERE, GONE, leaveMeeting, openOtherStore } from '../support/voice/recordings/left-recording.ts';
import { simpleEngines } from '../support/voice/simple-engines.ts';

/** Where to store pictures for inspection; none are made without it. */
const PICTURES = process.env.OPERATOR_PICTURES;

describe.skipIf(CHROMIUM === undefined)('recorded meetings at the console', () => {
  let app: TestApp;
  let browser: Browser;
  let operator: TestAccount;
  beforeAll(async () => {
    app = await startTestApp({ voiceEngines: simpleEngines(), settings: { VOICE_FFMPEG: 'off' } });
    operator = await newOperator(app);
    browser = await openBrowser(['--autoplay-policy=no-user-gesture-required']);
  });
  afterAll(async () => {
    await browser?.close();
    await app?.close();
  });

  /** The console's list of recorded meetings. */
  async function openList() {
    const opened = await signInAtConsole({ url: app.url, browser }, operator, {}, '/operator/calls');
    onTestFinished(opened.close);
    await opened.page.getByText('Recorded meetings', { exact: true }).click();
    const panel = opened.page.getByRole('article', { name: 'Recorded meeting' });
    return { ...opened, panel, says: (words: string) => panel.getByText(words).waitFor() };
  }
  const isReady = (player: Locator) =>
    expect.poll(() => player.evaluate((media: HTMLMediaElement) => media.readyState)).toBeGreaterThan(1);
  const noteOf = (id: string, change: 'refused' | 'gone' | 'sound only') =>
    app.resources.database.run(
      `update private.voice_recordings set worker = $2, refused = case when $3 = 'refused' then 'EntityTooLarge' end,
              video = case when $3 = 'sound only' then null else video end
        where call_id = $1`,
      [id, change === 'gone' ? GONE : ELSEWHERE, change],
    );

  test('each state of a recording is shown: being joined, kept apart, refused or gone, and who was heard', async () => {
    const { page, panel, says, complaints } = await openList();
    await page.getByText('No meeting was recorded yet.').waitFor();
    const id = await leaveMeeting(app, ELSEWHERE);
    await page.reload();
    await page.getByText('Recorded meetings', { exact: true }).click();
    await page.getByRole('button', { name: /left.*2 people/ }).click();
    await says('The meeting is being recorded. It can be played when that has ended.');
    await says('Everybody here has agreed to be recorded. People who did not are not in the recording.');
    expect(await panel.getByRole('listitem').allTextContents()).toEqual([
      expect.stringContaining('Person 1 0:00 to now'),
      expect.stringContaining('Person 2 0:01 to now'),
    ]);
    expect(await panel.getByRole('button', { name: 'Delete recording' }).count()).toBe(0);

    // Its sound is stored; the process ends before the pictures are joined.
    const ending = openOtherStore(app, 'off');
    await ending.close();
    await ending.finish(id);
    await says('Pictures and sound are still being put together. Until then there is the sound alone.');
    await panel.getByRole('button', { name: 'Listen, 0:02' }).click();
    await isReady(panel.getByLabel('Recording of the call'));
    await noteOf(id, 'refused');
    await says('Pictures and sound in one are more than is stored, so there is the sound alone.');
    await noteOf(id, 'gone');
    const other = openOtherStore(app, 'off');
    await other.recover();
    await page.reload();
    await page.getByText('Recorded meetings', { exact: true }).click();
    await page.getByRole('button', { name: /left.*2 people/ }).click();
    await says(
      'The pictures are files of their own, as this server could not put them together with the sound (it needs ffmpeg).',
    );
    await panel.getByRole('button', { name: 'Listen, 0:02' }).click();
    const picture = await panel.getByRole('link', { name: 'Picture of Person 2' }).getAttribute('href');
    expect((await fetch(app.url + picture)).headers.get('content-type')).toBe('video/webm');
    if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/meeting.png`, fullPage: true });
    await panel.getByRole('button', { name: 'Delete recording' }).click();
    await panel.getByRole('button', { name: 'Really delete it' }).click();
    await page.getByText('The recording is deleted. Its evidence stays.').waitFor();

    const silent = await leaveMeeting(app, ELSEWHERE);
    await noteOf(silent, 'sound only');
    await other.finish(silent);
    await page.reload();
    await page.getByText('Recorded meetings', { exact: true }).click();
    await page.getByRole('button', { name: /left.*2 people/ }).click();
    await says('There are no pictures.');
    await app.resources.database.run(
      'update private.voice_records set body = body || \'{"room_name": "empty"}\' where id = $1',
      [silent],
    );
    await app.resources.database.run(
      `insert into private.voice_records (kind, body) select kind, body || '{"room_name": "nothing"}' from private.voice_records where id = $1`,
      [silent],
    );
    await page.reload();
    await page.getByText('Recorded meetings', { exact: true }).click();
    await page.getByRole('button', { name: /nothing.*2 people/ }).click();
    await says('Nothing of this meeting is kept.');
    expect(complaints).toEqual([]);
  });

  test.skipIf(!HAS_FFMPEG)('a joined recording is watched', async () => {
    const id = await leaveMeeting(app, ELSEWHERE);
    await app.resources.database.run(
      `update private.voice_records set body = body || '{"room_name": "seen"}' where id = $1`,
      [id],
    );
    await openOtherStore(app, 'ffmpeg').finish(id);
    const { page, panel, complaints } = await openList();
    await page.getByRole('button', { name: /seen.*2 people/ }).click();
    await panel.getByRole('button', { name: 'Watch, 0:02' }).click();
    const player = panel.getByLabel('Video of the call');
    await isReady(player);
    expect(await player.evaluate((video: HTMLVideoElement) => [video.videoWidth, video.videoHeight])).toEqual(
      [1280, 720],
    );
    expect(complaints).toEqual([]);
  });
});
