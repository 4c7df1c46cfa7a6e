/// <reference lib="dom" />
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, FAKE_MEDIA, openBrowser } from '../support/browser.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { simpleEngines } from '../support/voice/simple-engines.ts';
import { voiceApi } from '../support/voice/voice-calls.ts';
import { buildVoicePage, CALL_LIBRARIES, type VoicePage } from '../support/voice/voice-page.ts';

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
}

/** What each method is given; those that are not here are given nothing. */
const GIVEN: Readonly<Record<string, readonly unknown[]>> = {
  updateParticipant: ['assistant', { setSubscribedTracks: { audio: true } }],
  updateParticipants: [{ assistant: { setSubscribedTracks: { audio: true } } }],
  updateWaitingParticipant: ['someone', { grantRequestedAccess: true }],
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
};

/** Methods that the bundle carries out. */
const WORKING = [
  'abortTestNetworkConnectivity',
  'abortTestWebsocketConnectivity',
  'getInputDevices',
  'getNetworkStats',
  'sendAppMessage',
  'setInputDevicesAsync',
  'setLocalAudio',
  'setOutputDeviceAsync',
  'setUserData',
  'setUserName',
  'startLocalAudioLevelObserver',
  'startRemoteParticipantsAudioLevelObserver',
  'stopLocalAudioLevelObserver',
  'stopRemoteParticipantsAudioLevelObserver',
  'stopScreenShare',
  'stopTestCallQuality',
  'stopTestConnectionQuality',
  'stopTestPeerToPeerCallQuality',
  'updateInputSettings',
  'updateParticipant',
  'updateParticipants',
];
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

  async function openPage(version: Version, join: boolean): Promise<Page> {
    const assistantId = app.resources.keys.voice_assistant_id;
    const { body } = await voiceApi(app, 'POST', '/call/web', { assistantId });
    const context = await browser.newContext();
    await voicePage.serve(context, app.url);
    const page = await context.newPage();
    await page.goto(`${app.url}/voice-test.html`);
    await page.evaluate(
      async ([wanted, url, joins]) => {
        window.library = window.libraries[wanted].createCallObject({
          videoSource: false,
          subscribeToTracksAutomatically: false,
          dailyConfig: {
            avoidEval: true,
            callObjectBundleUrlOverride: `${location.origin}/voice/call-machine.js`,
          },
        });
        if (joins) await window.library.join?.({ url });
        else await window.library.load?.({ url });
      },
      [version, body.webCallUrl, join] as const,
    );
    return page;
  }

  test.each(['specified', 'newest'] as const)(
    'every public method works or ends in the own error of the library, version %s',
    async (version) => {
      const methods = publicMethods(version);
      expect(methods.length).toBeGreaterThan(90);
      const page = await openPage(version, true);
      const outcomes = await page.evaluate(driveLibrary, { methods, given: GIVEN });
      const refused = ({ ended, events }: Outcome): boolean =>
        ended === 'threw' || ended === 'rejected' || events.length > 0;
      expect(outcomes.filter((one) => one.ended === 'pending')).toEqual([]);
      const pretending = outcomes.filter(
        (one) => one.asked && !refused(one) && !WORKING.includes(one.method),
      );
      expect(pretending).toEqual([]);
      const broken = outcomes.filter((one) => WORKING.includes(one.method) && refused(one));
      expect(broken).toEqual([]);
      await page.context().close();
    },
  );

  test.each(['specified', 'newest'] as const)(
    'a camera is refused before joining, and the call can be destroyed then, version %s',
    async (version) => {
      const page = await openPage(version, false);
      const ended = await page.evaluate(async () => {
        const { library } = window;
        const errors: string[] = [];
        library.on?.('camera-error', () => errors.push('camera-error'));
        // The specified version ignores the error of the reply, and emits the event only.
        await Promise.resolve(library.startCamera?.()).catch(() => {});
        await library.destroy?.();
        return [errors, library.isDestroyed?.()];
      });
      expect(ended).toEqual([['camera-error'], true]);
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
    try {
      ended = await settled(library[method](...argumentsOf(method)));
    } catch {
      ended = 'threw';
    }
    // Messages keep their order: what was posted for the method has come when this is answered.
    await library.getInputDevices?.();
    await new Promise((resolve) => setTimeout(resolve));
    outcomes.push({ method, ended, asked: asked > 1, events });
  }
  return outcomes;
}
