import { describe, expect, test } from 'vitest';
import { joined, logged, start, useOwnCalls } from './joined-call.fixture.ts';
import { person, settle } from './memory-transport.fixture.ts';

useOwnCalls();

describe('people and tracks', () => {
  const track = (): MediaStreamTrack => Object.create(null);
  const playing = (persistentTrack: MediaStreamTrack) => ({
    tracks: { audio: { state: 'playable' as const, persistentTrack } },
  });

  test('a track starts, is replaced and stops with its owner', async () => {
    const { call, room } = await joined();
    const events: string[] = [];
    for (const name of ['participant-joined', 'participant-updated', 'participant-left'] as const)
      call.on(name, ({ action }) => events.push(action));
    for (const name of ['track-started', 'track-stopped'] as const)
      call.on(name, ({ action, type }) => events.push(`${action} ${type}`));
    room.tell({ action: 'participant-joined', participant: person('a', playing(track())) });
    room.tell({ action: 'participant-updated', participant: person('a', playing(track())) });
    room.tell({ action: 'participant-left', participant: person('a') });
    room.tell({ action: 'participant-left', participant: person('nobody') });
    await settle();
    expect(events).toEqual([
      'participant-joined',
      'track-started audio',
      'participant-updated',
      'track-stopped audio',
      'track-started audio',
      'track-stopped audio',
      'participant-left',
    ]);
  });

  test('whoever was there before is told after joining', async () => {
    const { call, room } = start();
    room.admits = false;
    const events: string[] = [];
    call.on('joined-meeting', ({ action }) => events.push(action));
    call.on('participant-joined', ({ participant }) => events.push(participant.session_id));
    call.on('track-started', ({ type }) => events.push(type));
    const joining = call.join();
    await settle();
    const participants = { local: person('me', { local: true }), a: person('a', playing(track())) };
    room.tell({ action: 'joined-meeting', participants });
    await joining;
    expect(events).toEqual(['joined-meeting', 'a', 'audio']);
  });

  test('muting is seen when the room says so', async () => {
    const { call } = await joined();
    expect(call.localAudio()).toBe(true);
    call.setLocalAudio(false);
    expect(call.localAudio()).toBe(true);
    await settle();
    expect(call.localAudio()).toBe(false);
  });

  test.each([
    { action: 'participant-joined' },
    { action: 'participant-joined', participant: { session_id: 7 } },
    { action: 'toString' },
    { action: 'remote-participants-audio-level', participantsAudioLevel: [Number.NaN, 'x'] },
    { action: 'nonfatal-error', type: 'made-up' },
    { action: 'joined-meeting', participants: { local: person('other', { local: true }) } },
  ])('%j changes nothing', async (notice) => {
    const { call, room } = await joined();
    const before = call.participants();
    room.tell(notice);
    await settle();
    expect(call.participants()).toEqual(before);
    expect(call.meetingState()).toBe('joined-meeting');
    expect(call.getRemoteParticipantsAudioLevel()).toEqual({});
  });
});

describe('messages, data and levels', () => {
  test('an app message goes out as it is, and comes in with its sender', async () => {
    const { call, room } = await joined();
    const events: unknown[] = [];
    call.on('app-message', ({ data, fromId }) => events.push([data, fromId]));
    call.sendAppMessage({ hello: 1 }, 'a');
    room.tell({ action: 'app-message', data: 'listening', fromId: 'a' });
    await settle();
    expect(room.commands.at(-1)).toEqual({ action: 'app-msg', data: { hello: 1 }, to: 'a' });
    expect(events).toEqual([['listening', 'a']]);
    expect(() => call.sendAppMessage('m'.repeat(4095))).toThrow('Message data too large. Max size is 4096');
  });
  test('user data are told to the room, and a lossy one warns', async () => {
    const { call, room } = await joined();
    await call.setUserData({ seat: 4, gone: undefined });
    expect(room.actions().at(-1)).toBe('set-user-data');
    expect(logged).toEqual(['The userData provided will be modified when serialized.']);
    await expect(call.setUserData('u'.repeat(4097))).rejects.toThrow(
      'userData is too large (4097 characters)',
    );
  });
  test('levels are observed at an interval of at least 100 ms', async () => {
    const { call, room } = await joined();
    await call.startRemoteParticipantsAudioLevelObserver(100);
    expect(room.commands.at(-1)).toMatchObject({ interval: 100 });
    room.tell({ action: 'remote-participants-audio-level', participantsAudioLevel: { a: 0.2 } });
    await settle();
    expect(call.getRemoteParticipantsAudioLevel()).toEqual({ a: 0.2 });
    const text = 'The interval must be a number greater than or equal to 100 milliseconds.';
    await expect(call.startRemoteParticipantsAudioLevelObserver(99)).rejects.toThrow(text);
    await expect(call.startLocalAudioLevelObserver(100)).rejects.toThrow(
      'startLocalAudioLevelObserver() is not supported on this browser',
    );
  });
  test('input settings are checked, and a blur out of range is told on the console', async () => {
    const { call, room } = await joined();
    await call.updateInputSettings({ audio: { processor: { type: 'noise-cancellation' } } });
    expect(room.actions().at(-1)).toBe('update-input-settings');
    const blur = { video: { processor: { type: 'background-blur', config: { strength: 2 } } } };
    await expect(call.updateInputSettings(blur)).rejects.toThrow('inputSettings must be of the form: ');
    expect(logged).toEqual([
      'invalid object in inputSettings -> video -> processor -> config; expected: {0 < strength <= 1}, got: 2',
    ]);
    const good = { video: { processor: { type: 'background-blur', config: { strength: 0.5 } } } };
    expect(await call.updateInputSettings(good)).toMatchObject({ inputSettings: good });
    const faces = { video: { processor: { type: 'face-detection' } } };
    await expect(call.updateInputSettings(faces)).rejects.toThrow(
      'updateInputSettings() is not supported by this version of the call library',
    );
    expect(room.commands.at(-1)).toMatchObject({ inputSettings: good });
  });
  test('input settings that are not named stay, before joining and in the call', async () => {
    const { call, room } = start();
    const audio = { processor: { type: 'noise-cancellation' } };
    const video = { processor: { type: 'none' } };
    await call.updateInputSettings({ audio });
    expect(await call.updateInputSettings({ video })).toEqual({ inputSettings: { audio, video } });
    await call.join();
    expect(room.commands.find(({ action }) => action === 'join-meeting')).toMatchObject({
      properties: { inputSettings: { audio, video } },
    });
    const silent = { processor: { type: 'none' } };
    expect(await call.updateInputSettings({ audio: silent })).toEqual({
      inputSettings: { audio: silent, video },
    });
    // The room gets only the settings that change.
    expect(room.commands.at(-1)).toMatchObject({ inputSettings: { audio: silent } });
    expect(room.commands.at(-1)).not.toHaveProperty('inputSettings.video');
  });
  test('a listener that throws keeps nobody else from hearing', async () => {
    const { call, room } = await joined();
    const events: unknown[] = [];
    call.on('app-message', () => {
      throw new Error('mine');
    });
    call.on('app-message', ({ data }) => events.push(data));
    room.tell({ action: 'app-message', data: 1, fromId: 'a' });
    await settle();
    expect(events).toEqual([1]);
  });
});
