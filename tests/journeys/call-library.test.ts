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
import { openTelephone, type Telephone } from '../support/voice/sip-telephone.ts';
import { openSoundServer, type SoundServer } from '../support/voice/sound-server.ts';
import { eventually, voiceApi } from '../support/voice/voice-calls.ts';
import { buildVoicePage, CALL_LIBRARIES, type VoicePage } from '../support/voice/voice-page.ts';
import { tone, until } from '../support/voice/voice-peer.ts';

type Version = keyof typeof CALL_LIBRARIES;
type Library = Record<string, (...given: unknown[]) => unknown>;
declare global {
  interface Window {
    libraries: Record<Version, { createCallObject(options: object): Library }>;
    library: Library;
  }
}

/** The result of one method: how it ended, whether the bundle was asked, and which error events came. */
interface Outcome {
  readonly method: string;
  readonly ended: 'returned' | 'resolved' | 'threw' | 'rejected' | 'pending';
  readonly asked: boolean;
  readonly events: readonly string[];
  /** The message of the error that it threw. */
  readonly why: string;
}

/** How a method ended, in the words of the table. */
function endingOf({ ended, asked, events, why }: Outcome): Ending {
  if (/Prebuilt|not available in callObject mode|React Native/.test(why)) return 'not of this kind of call';
  if (ended === 'threw' || ended === 'rejected' || events.length > 0) return 'refused';
  return asked ? 'works' : 'answered by the library';
}

/** Placeholder for a picture of the page's camera. */
const PICTURE = 'a picture';
/** Placeholder for the session of the telephone that the page has called. */
const TELEPHONED = 'telephoned';
/** Placeholder for the session of the page's playback. */
const PLAYED = 'played';
/** Methods that end something are called last. */
const ENDS: readonly string[] = ['stopDialOut', 'stopRemoteMediaPlayer'];
/** The newest library implements these by other calls that have to come first. */
const MADE_OTHERWISE: ReadonlySet<string> = new Set(['testConnectionQuality']);

/** The arguments of each method; the others get none. */
const givenFor = (
  other: string,
  waiting: string,
  reached = { telephone: 'sip:bob@127.0.0.1', sound: 'https://sounds.example/a.wav' },
): Readonly<Record<string, readonly unknown[]>> => ({
  updateParticipant: [other, { setSubscribedTracks: { audio: true } }],
  updateParticipants: [{ [other]: { setSubscribedTracks: { audio: true } } }],
  updateWaitingParticipant: [waiting, { grantRequestedAccess: true }],
  updateWaitingParticipants: [{ '*': { grantRequestedAccess: true } }],
  requestAccess: [{ name: 'Ann' }],
  setLocalAudio: [true],
  setLocalVideo: [true],
  updateReceiveSettings: [{ base: { video: { layer: 1 } } }],
  updateSendSettings: [{ video: 'quality-optimized' }],
  // The module for noise cancellation is part of the built product, which is not served here.
  updateInputSettings: [{ audio: { processor: { type: 'none' } } }],
  setBandwidth: [{ kbs: 100 }],
  testNetworkConnectivity: [PICTURE],
  testPeerToPeerCallQuality: [{ videoTrack: PICTURE, duration: 0.5 }],
  testConnectionQuality: [{ videoTrack: PICTURE, duration: 0.5 }],
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
  startRemoteMediaPlayer: [{ url: reached.sound }],
  stopRemoteMediaPlayer: [PLAYED],
  updateRemoteMediaPlayer: [{ session_id: PLAYED, settings: { state: 'pause' } }],
  startTranscription: [{ language: 'en' }],
  updateTranscription: [{ participants: ['someone'] }],
  startDialOut: [{ sipUri: reached.telephone }],
  stopDialOut: [{ sessionId: TELEPHONED }],
  sipCallTransfer: [{ sessionId: 'someone', toEndPoint: 'sip:reception@agency.example' }],
  sipRefer: [{ sessionId: 'someone', toEndPoint: 'sip:reception@agency.example' }],
  sendDTMF: [{ sessionId: TELEPHONED, tones: '12' }],
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

/** Methods that begin and end a call: the tests call them around the others. */
const LIFE = new Set(['load', 'join', 'leave', 'destroy']);

/** The methods of a call, from the library's own declarations. */
function publicMethods(version: Version): string[] {
  const file = path.join(import.meta.dirname, '..', '..', CALL_LIBRARIES[version], 'index.d.ts');
  const [, body = ''] =
    /export interface DailyCall \{\n([\s\S]*?)\n\}/.exec(readFileSync(file, 'utf8')) ?? [];
  const names = [...body.matchAll(/^ {2}(\w+)(?:<[^(]*>)?\(/gm)].map(([, name = '']) => name);
  const known = [...new Set(names)].filter((name) => !LIFE.has(name));
  return [...known.filter((name) => !ENDS.includes(name)), ...ENDS];
}

describe.skipIf(CHROMIUM === undefined)('the published call library', () => {
  let app: TestApp;
  let browser: Browser;
  let voicePage: VoicePage;
  let telephone: Telephone;
  let sounds: SoundServer;

  beforeAll(async () => {
    telephone = await openTelephone();
    sounds = await openSoundServer({ '/tone.wav': tone(500, 20) });
    app = await startTestApp({
      voiceEngines: simpleEngines(),
      settings: { SIP_LISTEN: 'udp://127.0.0.1:0', OUTBOUND_ALLOW_HOSTS: sounds.host },
    });
    voicePage = await buildVoicePage();
    browser = await openBrowser([...FAKE_MEDIA, '--autoplay-policy=no-user-gesture-required']);
  });
  afterAll(async () => {
    await browser?.close();
    voicePage?.remove();
    await telephone?.close();
    await sounds?.close();
    await app?.close();
  });

  async function callAddress(): Promise<string> {
    const assistantId = app.resources.keys.voice_assistant_id;
    return (await voiceApi(app, 'POST', '/call/web', { assistantId })).body.webCallUrl;
  }

  async function openPage(
    version: Version,
    given: { url: string; token?: string; inputSettings?: object },
    until: 'joined' | 'loaded' | 'made' = 'joined',
    before?: () => void,
  ): Promise<Page> {
    const context = await browser.newContext();
    await voicePage.serve(context, app.url);
    const page = await context.newPage();
    if (before !== undefined) await page.addInitScript(before);
    await page.goto(`${app.url}/voice-test.html`);
    await page.evaluate(
      async ([wanted, properties, end]) => {
        window.library = window.libraries[wanted].createCallObject({
          videoSource: false,
          subscribeToTracksAutomatically: false,
          dailyConfig: {
            avoidEval: true,
            callObjectBundleUrlOverride: `${location.origin}/voice/call-machine.js`,
          },
        });
        if (end === 'joined') await window.library.join?.(properties);
        if (end === 'loaded') await window.library.load?.(properties);
      },
      [version, given, until] as const,
    );
    return page;
  }

  /** Calls every method on a page, and compares this version of the contract with the table. */
  async function drive(version: Version, page: Page, given: ReturnType<typeof givenFor>, column: 0 | 1) {
    const methods = publicMethods(version);
    expect(methods.length).toBeGreaterThan(90);
    const places = { picture: PICTURE, telephoned: TELEPHONED, played: PLAYED };
    const patience = Number(process.env.TEST_PATIENCE ?? 1);
    const outcomes = await page.evaluate(driveLibrary, { methods, given, places, patience });
    expect(outcomes.filter((one) => one.ended === 'pending')).toEqual([]);
    const wrong = outcomes
      .map((one) => [one.method, endingOf(one), METHODS[one.method]?.[column], one.why, ...one.events])
      .filter(([method = '', ending, expected]) =>
        // The newest library answers in its own ways, but the bundle does the same.
        version === 'specified'
          ? ending !== expected
          : method in METHODS &&
            !MADE_OTHERWISE.has(method) &&
            (ending === 'works') !== (expected === 'works'),
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
      const properties = { enable_knocking: true, enable_dialout: true, enable_recording: 'cloud' };
      const room = await createRoom(app, properties, { privacy: 'private' });
      const token = await tokenFor(app, room.name, { is_owner: true });
      const other = await enterRoom(app, room.url, { token });
      const waiting = await enterRoom(app, room.url, { userName: 'Bob' });
      waiting.peer.send({ id: 1, command: { action: 'request-access' } });
      await until('they have asked', () => waiting.peer.notices.some(({ reply }) => reply === 1));
      const page = await openPage(version, { url: room.url, token });
      const given = givenFor(other.participant.session_id, waiting.participant.session_id, {
        telephone: `sip:bob@127.0.0.1:${telephone.port}`,
        sound: `http://${sounds.host}/tone.wav`,
      });
      await drive(version, page, given, 1);
      await Promise.all([other.peer.close(), waiting.peer.close()]);
    },
  );

  test.each(['specified', 'newest'] as const)(
    'a call that takes the camera for its recording refuses tracks of own names by their name, version %s',
    async (version) => {
      const assistant = { firstMessage: 'Hello.', artifactPlan: { videoRecordingEnabled: true } };
      const { body } = await voiceApi(app, 'POST', '/call/web', { assistant });
      const page = await openPage(version, { url: body.webCallUrl });
      const refused = await page.evaluate(async () => {
        const { library } = window;
        const told = new Promise((resolve) =>
          library.on?.('nonfatal-error', ({ errorMsg }: { errorMsg: string }) => resolve(errorMsg)),
        );
        const track = new AudioContext().createMediaStreamDestination().stream.getAudioTracks()[0];
        Promise.resolve(library.startCustomTrack?.({ track, trackName: 'music' })).catch(() => {});
        return told;
      });
      expect(refused).toContain('start-custom-track is not supported');
      await page.context().close();
    },
  );

  test.each(['specified', 'newest'] as const)(
    'who refuses the microphone, and leaves without a typed word, is told apart from others who leave, version %s',
    async (version) => {
      const leave = async (words: string | null): Promise<string> => {
        const url = await callAddress();
        const page = await openPage(version, { url }, 'joined', () => {
          const refused = () => Promise.reject(new DOMException('Permission denied', 'NotAllowedError'));
          navigator.mediaDevices.getUserMedia = refused;
        });
        await page.evaluate(async (content) => {
          const message = { type: 'add-message', message: { role: 'user', content } };
          if (content !== null) await window.library.sendAppMessage?.(JSON.stringify(message));
          await window.library.leave?.();
        }, words);
        await page.context().close();
        const id = new URL(url).pathname.split('/').at(-2);
        const call = await eventually('the call is over', async () => {
          const { body } = await voiceApi(app, 'GET', `/call/${id}`);
          return body.status === 'ended' ? body : undefined;
        });
        return call.endedReason;
      };
      expect(await leave(null)).toBe('customer-did-not-give-microphone-permission');
      expect(await leave('Hello')).toBe('customer-ended-call');
    },
  );

  test.each(['specified', 'newest'] as const)(
    'devices are opened before joining, and the call can be destroyed then, version %s',
    async (version) => {
      const page = await openPage(version, { url: await callAddress() }, 'loaded');
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

  test.each(['specified', 'newest'] as const)(
    'noise cancellation chosen before joining is there, and stays while a picture is asked for, version %s',
    async (version) => {
      const audio = { processor: { type: 'noise-cancellation' } };
      const page = await openPage(version, { url: await callAddress(), inputSettings: { audio } });
      // Processed sound comes from an audio graph, as the browser's name for the track shows.
      const sent = () =>
        page.evaluate(() => {
          const everybody = window.library.participants?.() as {
            local: { tracks: { audio: { persistentTrack?: MediaStreamTrack } } };
          };
          return everybody.local.tracks.audio.persistentTrack?.label;
        });
      await expect.poll(sent).toBe('MediaStreamAudioDestinationNode');
      const outcome = await page.evaluate(async () => {
        const { library } = window;
        const errors: string[] = [];
        library.on?.('nonfatal-error', ({ type }: { type: string }) => errors.push(type));
        const setting = async (processor: object): Promise<string> => {
          try {
            await library.updateInputSettings?.({ video: { processor } });
            return 'set';
          } catch (error) {
            return String(error);
          }
        };
        return {
          none: await setting({ type: 'none' }),
          faces: await setting({ type: 'face-detection' }),
          settings: await library.getInputSettings?.(),
          errors,
        };
      });
      const faces =
        'Error: update-input-settings video face-detection is not supported by this version of the call library';
      expect(outcome).toMatchObject({ none: 'set', faces, settings: { audio } });
      expect(outcome.errors).toEqual(['video-processor-error']);
      expect(await sent()).toBe('MediaStreamAudioDestinationNode');
      const afterwards = await page.evaluate(async () => {
        const { library } = window;
        const types = ['none', 'noise-cancellation', 'noise-cancellation', 'none'];
        await Promise.all(
          types.map((type) => library.updateInputSettings?.({ audio: { processor: { type } } })),
        );
        return library.getInputSettings?.();
      });
      expect(afterwards).toMatchObject({ audio: { processor: { type: 'none' } } });
      await expect.poll(sent).toMatch(/^Fake/);
      await page.context().close();
    },
  );

  test.each(['specified', 'newest'] as const)(
    'a connection is tested before a call, and how far one would be let in is known then, version %s',
    async (version) => {
      const room = await createRoom(app, { enable_knocking: true }, { privacy: 'private' });
      const page = await openPage(version, room, 'made');
      // The page has no origin, and the browser asks before such a page may open a socket to this machine.
      await page.context().grantPermissions(['camera', 'microphone', 'local-network-access']);
      const preAuth = async () => {
        const access = await page.evaluate((url) => window.library.preAuth?.({ url }), room.url);
        expect(access).toEqual({ access: { level: 'lobby' } });
      };
      // The newest library requires it before a test, the specified one after it.
      if (version === 'newest') await preAuth();
      const [quality, network, socket, measured] = await page.evaluate(async () => {
        const { library } = window;
        const [videoTrack] = (await navigator.mediaDevices.getUserMedia({ video: true })).getVideoTracks();
        // It takes 15 seconds unless it is stopped, and a stop before it has begun has no effect.
        const stopping = setInterval(() => library.stopTestCallQuality?.(), 100);
        const stopped = await library.testCallQuality?.({ videoTrack });
        clearInterval(stopping);
        return [
          stopped,
          await library.testNetworkConnectivity?.(videoTrack),
          await library.testWebsocketConnectivity?.(),
          await library.testPeerToPeerCallQuality?.({ videoTrack, duration: 2 }),
        ];
      });
      expect(quality).toMatchObject({ result: 'aborted', secondsElapsed: expect.any(Number) });
      expect(network).toEqual({ result: 'passed' });
      const regions = { passedRegions: ['installation'], failedRegions: [], abortedRegions: [] };
      expect(socket).toEqual({ result: 'passed', ...regions });
      expect(measured).toMatchObject({
        result: expect.stringMatching(/^(good|warning|bad)$/),
        data: { avgRecvPacketLoss: expect.any(Number), avgRecvBitsPerSecond: expect.any(Number) },
      });
      if (version === 'specified') await preAuth();
      await page.context().close();
    },
  );
});

/** Runs in the page: calls one method after another with its arguments. */
async function driveLibrary({
  methods,
  given,
  places,
  patience,
}: {
  methods: readonly string[];
  given: Readonly<Record<string, readonly unknown[]>>;
  places: Readonly<Record<'picture' | 'telephoned' | 'played', string>>;
  patience: number;
}): Promise<Outcome[]> {
  const { library } = window;
  const [camera] = (await navigator.mediaDevices.getUserMedia({ video: true })).getVideoTracks();
  /** The value for each placeholder when a method is called. */
  const put: Record<string, unknown> = { [places.picture]: camera };
  const filled = (value: unknown): unknown => {
    if (typeof value === 'string') return put[value] ?? value;
    if (Array.isArray(value)) return value.map(filled);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member)]));
  };
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
    return (given[method] ?? []).map((value) => (value === null ? () => {} : filled(value)));
  };
  const settled = (value: unknown): Promise<Outcome['ended']> => {
    if (!(value instanceof Promise)) return Promise.resolve('returned');
    const late = new Promise<Outcome['ended']>((resolve) =>
      setTimeout(resolve, 15_000 * patience, 'pending'),
    );
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
      const answer = (ended === 'resolved' ? await value : undefined) as
        | { session?: { sessionId: string }; session_id?: string }
        | undefined;
      if (method === 'startDialOut') put[places.telephoned] = answer?.session?.sessionId;
      if (method === 'startRemoteMediaPlayer') put[places.played] = answer?.session_id;
    } catch (error) {
      ended = 'threw';
      why = String(error);
    }
    // Messages keep their order: when this one is answered, everything posted for the method has arrived.
    await library.getInputDevices?.();
    // A room accepts thirty messages a second from one person, and many methods send several.
    await new Promise((resolve) => setTimeout(resolve, 70));
    outcomes.push({ method, ended, asked: asked > 1, events, why });
  }
  return outcomes;
}
