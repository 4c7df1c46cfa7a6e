/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, FAKE_MEDIA, openBrowser } from '../support/browser.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { type Ending, METHODS } from '../support/voice/call-library-table.ts';
import { createRoom, enterRoom, tokenFor } from '../support/voice/meeting-visit.ts';
import { simpleEngines } from '../support/voice/simple-engines.ts';
import { voiceApi } from '../support/voice/voice-calls.ts';
import { buildVoicePage, CALL_LIBRARIES, type VoicePage } from '../support/voice/voice-page.ts';
import { until } from '../support/voice/voice-peer.ts';

type Version = keyof typeof CALL_LIBRARIES;
type Library = Record<string, (...given: unknown[]) => unknown>;
declare global {
  interface Window {
    libraries: Record<Version, { createCallObject(options: object): Library }>;
    library: Library;
  }
}

/** What one method did: how it ended, whether the bundle was asked, and which error events came. */
interface Outcome {
  readonly method: string;
  readonly ended: 'returned' | 'resolved' | 'threw' | 'rejected' | 'pending';
  readonly asked: boolean;
  readonly events: readonly string[];
  /** The words of what was thrown. */
  readonly why: string;
}

/** How a method ended, in the words of the table. */
function endingOf({ ended, asked, events, why }: Outcome): Ending {
  if (/Prebuilt|not available in callObject mode|React Native/.test(why)) return 'not of this kind of call';
  if (ended === 'threw' || ended === 'rejected' || events.length > 0) return 'refused';
  return asked ? 'works' : 'answered by the library';
}

/** What each method is given; those that are not here are given nothing. */
const givenFor = (other: string, waiting: string): Readonly<Record<string, readonly unknown[]>> => ({
  updateParticipant: [other, { setSubscribedTracks: { audio: true } }],
  updateParticipants: [{ [other]: { setSubscribedTracks: { audio: true } } }],
  updateWaitingParticipant: [waiting, { grantRequestedAccess: true }],
  updateWaitingParticipants: [{ '*': { grantRequestedAccess: true } }],
  requestAccess: [{ name: 'Ann' }],
  setLocalAudio: [true],
  setLocalVideo: [true],
  updateReceiveSettings: [{ base: { video: { layer: 1 } } }],
  updateSendSettings: [{ video: 'quality-optimized' }],
  // The module of noise cancellation is of the built product, which is not served here.
  updateInputSettings: [{ audio: { processor: { type: 'none' } } }],
  setBandwidth: [{ kbs: 100 }],
  setDailyLang: ['de'],
  setProxyUrl: ['https://proxy.example'],
  setIceConfig: [{ iceServers: [] }],
  setMeetingSessionData: [{ topic: 'prices' }],
  setUserName: ['Ann'],
  setUserData: [{ seat: 4 }],
  startLocalAudioLevelObserver: [200],
  startRemoteParticipantsAudioLevelObserver: [200],
  stopCustomTrack: ['music'],
  setCamera: ['camera'],
  setAudioDevice: ['microphone'],
  setInputDevicesAsync: [{ audioDeviceId: 'default' }],
  setOutputDeviceAsync: [{ outputDeviceId: 'default' }],
  updateRecording: [{ layout: { preset: 'default' } }],
  startLiveStreaming: [{ rtmpUrl: 'rtmp://stream.example/live' }],
  updateLiveStreaming: [{ layout: { preset: 'default' } }],
  addLiveStreamingEndpoints: [{ endpoints: ['rtmp://stream.example/live'] }],
  removeLiveStreamingEndpoints: [{ endpoints: ['rtmp://stream.example/live'] }],
  startRemoteMediaPlayer: [{ url: 'https://films.example/film.mp4' }],
  stopRemoteMediaPlayer: ['someone'],
  updateRemoteMediaPlayer: [{ session_id: 'someone', settings: { state: 'pause' } }],
  startTranscription: [{ language: 'en' }],
  updateTranscription: [{ participants: ['someone'] }],
  startDialOut: [{ phoneNumber: '+442079460000' }],
  stopDialOut: [{ sessionId: 'someone' }],
  sipCallTransfer: [{ sessionId: 'someone', toEndPoint: 'sip:reception@agency.example' }],
  sipRefer: [{ sessionId: 'someone', toEndPoint: 'sip:reception@agency.example' }],
  sendDTMF: [{ sessionId: 'someone', tones: '12' }],
  setActiveSpeakerMode: [true],
  setSubscribeToTracksAutomatically: [true],
  sendAppMessage: [{ seat: 4 }],
  addFakeParticipant: [{}],
  setNetworkTopology: [{ topology: 'peer' }],
  setPlayNewParticipantSound: [true],
  on: ['app-message', null],
  once: ['app-message', null],
  off: ['app-message', null],
});

/** They begin and end a call: the tests call them around the others. */
const LIFE = new Set(['load', 'join', 'leave', 'destroy']);

/** The methods of a call by the library's own declarations. */
function publicMethods(version: Version): string[] {
  const file = path.join(import.meta.dirname, '..', '..', CALL_LIBRARIES[version], 'index.d.ts');
  const [, body = ''] =
    /export interface DailyCall \{\n([\s\S]*?)\n\}/.exec(readFileSync(file, 'utf8')) ?? [];
  const names = [...body.matchAll(/^ {2}(\w+)(?:<[^(]*>)?\(/gm)].map(([, name = '']) => name);
  return [...new Set(names)].filter((name) => !LIFE.has(name));
}

describe.skipIf(CHROMIUM === undefined)('the published call library', () => {
  let app: TestApp;
  let browser: Browser;
  let voicePage: VoicePage;

  beforeAll(async () => {
    app = await startTestApp({ voiceEngines: simpleEngines() });
    voicePage = await buildVoicePage();
    browser = await openBrowser([...FAKE_MEDIA, '--autoplay-policy=no-user-gesture-required']);
  });
  afterAll(async () => {
    await browser?.close();
    voicePage?.remove();
    await app?.close();
  });

  async function callAddress(): Promise<string> {
    const assistantId = app.resources.keys.voice_assistant_id;
    return (await voiceApi(app, 'POST', '/call/web', { assistantId })).body.webCallUrl;
  }

  async function openPage(
    version: Version,
    given: { url: string; token?: string },
    join = true,
  ): Promise<Page> {
    const context = await browser.newContext();
    await voicePage.serve(context, app.url);
    const page = await context.newPage();
    await page.goto(`${app.url}/voice-test.html`);
    await page.evaluate(
      async ([wanted, properties, joins]) => {
        window.library = window.libraries[wanted].createCallObject({
          videoSource: false,
          subscribeToTracksAutomatically: false,
          dailyConfig: {
            avoidEval: true,
            callObjectBundleUrlOverride: `${location.origin}/voice/call-machine.js`,
          },
        });
        if (joins) await window.library.join?.(properties);
        else await window.library.load?.(properties);
      },
      [version, given, join] as const,
    );
    return page;
  }

  /** Drives every method on a page, and holds the version of the contract to the table. */
  async function drive(version: Version, page: Page, given: ReturnType<typeof givenFor>, column: 0 | 1) {
    const methods = publicMethods(version);
    expect(methods.length).toBeGreaterThan(90);
    const outcomes = await page.evaluate(driveLibrary, { methods, given });
    expect(outcomes.filter((one) => one.ended === 'pending')).toEqual([]);
    const wrong = outcomes
      .map((one) => [one.method, endingOf(one), METHODS[one.method]?.[column], one.why, ...one.events])
      .filter(([method = '', ending, expected]) =>
        // The newest library has its own ways of answering; what the bundle does is the same.
        version === 'specified'
          ? ending !== expected
          : method in METHODS && (ending === 'works') !== (expected === 'works'),
      );
    expect(wrong).toEqual([]);
    await page.context().close();
  }

  test.each(['specified', 'newest'] as const)(
    'in a call every public method ends as the table says, version %s',
    async (version) => {
      const page = await openPage(version, { url: await callAddress() });
      await drive(version, page, givenFor('assistant', 'nobody'), 0);
    },
  );

  test.each(['specified', 'newest'] as const)(
    'in a room every public method ends as the table says, version %s',
    async (version) => {
      const room = await createRoom(app, { enable_knocking: true }, { privacy: 'private' });
      const token = await tokenFor(app, room.name, { is_owner: true });
      const other = await enterRoom(app, room.url, { token });
      const waiting = await enterRoom(app, room.url, { userName: 'Bob' });
      waiting.peer.send({ id: 1, command: { action: 'request-access' } });
      await until('they have asked', () => waiting.peer.notices.some(({ reply }) => reply === 1));
      const page = await openPage(version, { url: room.url, token });
      const given = givenFor(other.participant.session_id, waiting.participant.session_id);
      await drive(version, page, given, 1);
      await Promise.all([other.peer.close(), waiting.peer.close()]);
    },
  );

  test.each(['specified', 'newest'] as const)(
    'devices are opened before joining, and the call can be destroyed then, version %s',
    async (version) => {
      const page = await openPage(version, { url: await callAddress() }, false);
      const ended = await page.evaluate(async () => {
        const { library } = window;
        const events: string[] = [];
        for (const name of ['started-camera', 'camera-error']) library.on?.(name, () => events.push(name));
        const devices = await library.startCamera?.({ videoSource: true });
        await library.destroy?.();
        return [events, Object.keys(devices as object).sort(), library.isDestroyed?.()];
      });
      expect(ended).toEqual([['started-camera'], expect.arrayContaining(['camera', 'mic', 'speaker']), true]);
      await page.context().close();
    },
  );
});

/** Runs in the page: calls one method after another, each with what it is given. */
async function driveLibrary({
  methods,
  given,
}: {
  methods: readonly string[];
  given: Readonly<Record<string, readonly unknown[]>>;
}): Promise<Outcome[]> {
  const { library } = window;
  const errorEvents = [
    'error',
    'nonfatal-error',
    'camera-error',
    'recording-error',
    'live-streaming-error',
    'transcription-error',
    'dialout-error',
  ];
  let events: string[] = [];
  let asked = 0;
  for (const name of errorEvents)
    library.on?.(name, (event: { errorMsg?: unknown }) => events.push(`${name}: ${String(event.errorMsg)}`));
  addEventListener('message', ({ data }) => {
    if (data?.what === 'iframe-call-message' && data.from === 'module' && data.action !== 'transmit-log')
      asked += 1;
  });
  const argumentsOf = (method: string): readonly unknown[] => {
    if (method === 'startCustomTrack') {
      const track = new AudioContext().createMediaStreamDestination().stream.getAudioTracks()[0];
      return [{ track, trackName: 'music' }];
    }
    return (given[method] ?? []).map((value) => (value === null ? () => {} : value));
  };
  const settled = (value: unknown): Promise<Outcome['ended']> => {
    if (!(value instanceof Promise)) return Promise.resolve('returned');
    const late = new Promise<Outcome['ended']>((resolve) => setTimeout(resolve, 15_000, 'pending'));
    return Promise.race([
      value.then(
        () => 'resolved' as const,
        () => 'rejected' as const,
      ),
      late,
    ]);
  };
  const outcomes: Outcome[] = [];
  for (const method of methods) {
    if (typeof library[method] !== 'function') continue;
    events = [];
    asked = 0;
    let ended: Outcome['ended'];
    let why = '';
    try {
      const value = library[method](...argumentsOf(method));
      if (value instanceof Promise) value.catch((error: unknown) => (why = String(error)));
      ended = await settled(value);
    } catch (error) {
      ended = 'threw';
      why = String(error);
    }
    // Messages keep their order: what was posted for the method has come when this is answered.
    await library.getInputDevices?.();
    await new Promise((resolve) => setTimeout(resolve));
    outcomes.push({ method, ended, asked: asked > 1, events, why });
  }
  return outcomes;
}
