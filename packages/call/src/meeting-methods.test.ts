import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { CallEventName } from './call-events.ts';
import { joined, useOwnCalls } from './joined-call.fixture.ts';
import { person, settle } from './memory-transport.fixture.ts';
import { expectAccepted, testEachLine } from './rules/each-rule.fixture.ts';
import { RECEIVE_SETTINGS_RULES } from './rules/receiving.ts';

useOwnCalls();

const FORM =
  'receiveSettings must be of the form { [<remote participant id> | base | "*"]: { [video: [{ layer: [<non-negative integer> | "inherit"] } | "inherit"]], [screenVideo: [{ layer: [<non-negative integer> | "inherit"] } | "inherit"]] }}}';

const PLAYING = { session_id: 'p', updatedBy: 'a', remoteMediaPlayerState: { state: 'playing' } };

describe('what a room says', () => {
  test.each([
    ['participant-counts-updated', { participantCounts: { present: 2, hidden: 1 } }],
    ['active-speaker-change', { activeSpeaker: { peerId: 'a' } }],
    ['access-state-updated', { access: { level: 'lobby' }, awaitingAccess: { level: 'full' } }],
    ['receive-settings-updated', { receiveSettings: { base: { video: { layer: 1 } } } }],
    ['send-settings-updated', { sendSettings: { video: 'quality-optimized' } }],
    ['transcription-started', { language: 'en', model: 'moonshine', startedBy: 'a' }],
    ['transcription-message', { participantId: 'a', text: 'hello', timestamp: new Date(0), rawResponse: {} }],
    ['transcription-stopped', { updatedBy: 'a' }],
    ['transcription-error', { errorMsg: 'No.' }],
    ['remote-media-player-started', PLAYING],
    ['remote-media-player-updated', PLAYING],
    ['remote-media-player-stopped', { session_id: 'p', updatedBy: 'a', reason: 'EOS' }],
    ['dialout-connected', { sessionId: 't' }],
    ['dialout-error', { sessionId: 't', errorMsg: 'Busy.' }],
    ['dialout-stopped', { sessionId: 't' }],
    ['local-screen-share-started', {}],
    ['local-screen-share-stopped', {}],
    ['local-screen-share-canceled', {}],
    ['input-settings-updated', { inputSettings: { audio: { processor: { type: 'none' } } } }],
    ['local-audio-level', { audioLevel: 0.25 }],
    ['recording-started', {}],
    [
      'recording-started',
      { recordingId: 'r', startedBy: 'a', type: 'cloud', layout: { preset: 'active-participant' } },
    ],
    ['recording-stopped', {}],
    ['recording-error', { errorMsg: 'The caller did not agree to be recorded.' }],
  ] as const)('%s is an event', async (action, members) => {
    const { call, room } = await joined();
    const events: unknown[] = [];
    call.on(action as CallEventName, (event) => events.push(event));
    room.tell({ action, ...members });
    await settle();
    expect(events).toEqual([{ action, ...members }]);
  });

  test.each([
    ['participant-counts-updated', { participantCounts: { present: 'two' } }],
    ['active-speaker-change', { activeSpeaker: 7 }],
    ['receive-settings-updated', { receiveSettings: [] }],
    ['waiting-participant-added', { participant: { id: 'a' } }],
  ] as const)('a %s that makes no sense changes nothing', async (action, members) => {
    const { call, room } = await joined();
    const events: unknown[] = [];
    call.on(action as CallEventName, (event) => events.push(event));
    room.tell({ action, ...members });
    await settle();
    expect(events).toEqual([]);
  });

  test('is known until the call is left', async () => {
    const { call, room } = await joined();
    room.tell({ action: 'participant-counts-updated', participantCounts: { present: 3, hidden: 0 } });
    room.tell({ action: 'active-speaker-change', activeSpeaker: { peerId: 'a' } });
    room.tell({ action: 'access-state-updated', access: { level: 'full' } });
    room.tell({ action: 'receive-settings-updated', receiveSettings: { base: { video: { layer: 0 } } } });
    await settle();
    const known = async () => [
      call.participantCounts(),
      call.getActiveSpeaker(),
      call.accessState(),
      await call.getReceiveSettings(),
    ];
    expect(await known()).toEqual([
      { present: 3, hidden: 0 },
      { peerId: 'a' },
      { access: { level: 'full' } },
      { base: { video: { layer: 0 } } },
    ]);
    await call.leave();
    expect(await known()).toEqual([{ present: 0, hidden: 0 }, {}, { access: 'unknown' }, {}]);
  });

  test('those who wait are known, one by one', async () => {
    const { call, room } = await joined();
    const names: string[] = [];
    for (const name of [
      'waiting-participant-added',
      'waiting-participant-updated',
      'waiting-participant-removed',
    ] as const)
      call.on(name, ({ action }) => names.push(action));
    const bob = { id: 'b', name: 'Bob' };
    room.tell({ action: 'waiting-participant-added', participant: bob, allWaitingParticipants: { b: bob } });
    const rob = { id: 'b', name: 'Rob' };
    room.tell({
      action: 'waiting-participant-updated',
      participant: rob,
      allWaitingParticipants: { b: rob },
    });
    await settle();
    expect(call.waitingParticipants()).toEqual({ b: rob });
    room.tell({ action: 'waiting-participant-removed', participant: rob, allWaitingParticipants: {} });
    await settle();
    expect(call.waitingParticipants()).toEqual({});
    expect(names).toEqual([
      'waiting-participant-added',
      'waiting-participant-updated',
      'waiting-participant-removed',
    ]);
  });

  test('the own picture and screen are on while their tracks play', async () => {
    const { call, room } = await joined();
    const on = { state: 'playable' as const };
    const tracks = { video: on, screenVideo: on, screenAudio: { state: 'off' as const } };
    room.tell({ action: 'participant-updated', participant: person('visitor', { local: true, tracks }) });
    await settle();
    expect([call.localVideo(), call.localScreenVideo(), call.localScreenAudio()]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('what a room is asked', () => {
  test('goes to the transport as the wire has it', async () => {
    const { call, room } = await joined();
    call.setLocalVideo(true).updateParticipants({ a: { eject: true } });
    await call.setUserName('Ann');
    await call.startScreenShare();
    await call.stopScreenShare();
    await call.requestAccess({ name: 'Ann' });
    await call.updateWaitingParticipant('b', { grantRequestedAccess: true });
    await call.updateWaitingParticipants({ '*': { grantRequestedAccess: false } });
    await call.setSubscribeToTracksAutomatically(false);
    await call.updateReceiveSettings({ base: { video: { layer: 1 } } });
    await call.updateSendSettings({ video: 'quality-optimized' });
    await call.getReceiveSettings('a', { showInheritedValues: true });
    await call.getNetworkTopology();
    await call.startTranscription({ language: 'en' });
    await call.stopTranscription();
    await call.startDialOut({ phoneNumber: '+441632960123' });
    await call.sendDTMF({ sessionId: 't', tones: '12#' });
    await call.stopDialOut({ sessionId: 't' });
    await call.startRemoteMediaPlayer({ url: 'https://media.example.org/a.wav' });
    await call.updateRemoteMediaPlayer({ session_id: 'p', settings: { volume: 0.5 } });
    await call.stopRemoteMediaPlayer('p');
    await call.room();
    expect(await call.stopCustomTrack('music')).toBe('music');
    expect(room.commands.slice(1)).toEqual([
      { action: 'local-video', state: true },
      { action: 'update-participants', participants: { a: { eject: true } } },
      { action: 'set-user-name', name: 'Ann' },
      { action: 'local-screen-start', captureOptions: {} },
      { action: 'local-screen-stop' },
      { action: 'daily-method-request-access', access: { level: 'full' }, name: 'Ann' },
      { action: 'daily-method-update-waiting-participant', id: 'b', updates: { grantRequestedAccess: true } },
      {
        action: 'daily-method-update-waiting-participants',
        updatesById: { '*': { grantRequestedAccess: false } },
      },
      { action: 'daily-method-subscribe-to-tracks-automatically', enabled: false },
      { action: 'update-receive-settings', receiveSettings: { base: { video: { layer: 1 } } } },
      { action: 'update-send-settings', sendSettings: { video: 'quality-optimized' } },
      { action: 'get-single-participant-receive-settings', id: 'a', showInheritedValues: true },
      { action: 'get-network-topology' },
      { action: 'daily-method-start-transcription', language: 'en' },
      { action: 'daily-method-stop-transcription' },
      { action: 'dialout-start', phoneNumber: '+441632960123' },
      { action: 'send-dtmf', sessionId: 't', tones: '12#' },
      { action: 'dialout-stop', sessionId: 't' },
      {
        action: 'daily-method-start-remote-media-player',
        url: 'https://media.example.org/a.wav',
        settings: { state: 'play' },
      },
      {
        action: 'daily-method-update-remote-media-player',
        session_id: 'p',
        settings: { volume: 0.5 },
      },
      { action: 'daily-method-stop-remote-media-player', session_id: 'p' },
      { action: 'lib-room-info' },
      { action: 'stop-custom-track', mediaTag: 'music' },
    ]);
  });

  test('a track with a name of its own resolves with that name', async () => {
    class Track {}
    vi.stubGlobal('MediaStreamTrack', Track);
    onTestFinished(() => void vi.unstubAllGlobals());
    const { call, room } = await joined();
    const input = { track: new Track(), trackName: 'music', mode: 'music' };
    expect(await call.startCustomTrack(input)).toBe('music');
    expect(room.commands.at(-1)).toEqual({ action: 'start-custom-track', properties: input });
  });

  testEachLine(RECEIVE_SETTINGS_RULES, { 'not of the form': [{ local: { video: { layer: 1 } } }, FORM] });
  test.each([
    [undefined],
    [[]],
    [{ base: null }],
    [{ a: { video: { layer: -1 } } }],
    [{ a: { screenVideo: { layer: 1.5 } } }],
  ])('settings of %j are refused in the words of the rule', async (settings) => {
    const { call } = await joined();
    await expect(call.updateReceiveSettings(settings)).rejects.toEqual(new Error(FORM));
  });
  test('right ones pass', () => {
    expectAccepted<unknown>(RECEIVE_SETTINGS_RULES, [
      {},
      { base: { video: { layer: 0 } }, '*': { screenVideo: { layer: 'inherit' } }, a: 'inherit' },
      { a: { video: 'inherit' } },
    ]);
  });
});
