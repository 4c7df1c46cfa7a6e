import { describe, expect, test, vi } from 'vitest';
import { type MemoryRoom, settle } from '../../call/src/memory-transport.fixture.ts';
import { CREATED, open, speaker, talking, useOwnClock } from './talking-client.fixture.ts';
import type { VoiceClient } from './voice-client.ts';

useOwnClock();

describe('call-end comes exactly once', () => {
  const left = { action: 'left-meeting' };
  const lost = { action: 'error', error: { type: 'connection-error', msg: 'lost' } };
  test.each([
    ['when stopped', (client: VoiceClient, _room: MemoryRoom) => client.stop(), ['call-end']],
    ['when stopped twice', (client: VoiceClient) => [client.stop(), client.stop()], ['call-end']],
    [
      'when the assistant hangs up',
      (_client: VoiceClient, room: MemoryRoom) => room.tell(left),
      ['call-end'],
    ],
    [
      'when the connection is lost',
      (_client: VoiceClient, room: MemoryRoom) => room.tell(lost),
      ['error', 'call-end'],
    ],
    [
      'when everything comes at once',
      (client: VoiceClient, room: MemoryRoom) => [
        room.tell(lost),
        room.tell(left),
        room.tell(lost),
        client.stop(),
      ],
      undefined,
    ],
  ] as const)('%s', async (_name, happen, expected) => {
    const { client, room, names, ends } = await talking();
    happen(client, room);
    await settle();
    await vi.advanceTimersByTimeAsync(5000);
    if (expected) expect(names()).toEqual(expected);
    expect(ends()).toBe(1);
    expect(room.closed).toBe(true);
  });

  test('and not from within stop, but afterwards', async () => {
    const { client, names } = await talking();
    client.stop();
    expect(names()).toEqual([]);
    await settle();
    expect(names()).toEqual(['call-end']);
  });

  test('speech that was going on ends before it, and the loudspeaker is silent', async () => {
    const { client, room, names, players } = await talking();
    room.tell({ action: 'participant-joined', participant: speaker('Vapi Speaker') });
    room.tell({ action: 'remote-participants-audio-level', participantsAudioLevel: { robot: 0.2 } });
    await settle();
    client.stop();
    await vi.advanceTimersByTimeAsync(5000);
    expect(names()).toEqual(['volume-level', 'speech-start', 'speech-end', 'call-end']);
    expect(players).toEqual(['play robot', 'end robot']);
  });

  test('a listener that throws does not take it away', async () => {
    const { client, ends } = await talking();
    client.on('call-end', () => {
      throw new Error('mine');
    });
    client.stop();
    await settle();
    expect(ends()).toBe(1);
  });
});

describe('speaking to the assistant', () => {
  test('send and say go out as JSON in a text', async () => {
    const { client, room } = await talking();
    client.send({ type: 'control', control: 'mute-assistant' });
    client.say('Goodbye', true);
    expect(room.commands.slice(-2).map(({ data }) => data)).toEqual([
      '{"type":"control","control":"mute-assistant"}',
      '{"type":"say","message":"Goodbye","endCallAfterSpoken":true}',
    ]);
  });
  test('without a call they are silently nothing', () => {
    const { client, room } = open();
    client.send({ type: 'control' });
    client.say('Hello');
    client.stop();
    expect(room.actions()).toEqual([]);
  });
  test('muting needs a call; isMuted is false without one', () => {
    const { client } = open();
    expect(() => client.setMuted(true)).toThrow(new Error('Call object is not available.'));
    expect(client.isMuted()).toBe(false);
  });
  test('isMuted follows the call, not the wish', async () => {
    const { client } = await talking();
    client.setMuted(true);
    expect(client.isMuted()).toBe(false);
    await settle();
    expect(client.isMuted()).toBe(true);
  });
  test('devices are handed to the call', async () => {
    const { client, room } = await talking();
    await client.setInputDevicesAsync({ audioDeviceId: 'mic-2' });
    await client.setOutputDeviceAsync({ outputDeviceId: 'loud-2' });
    expect(room.commands.slice(-2)).toEqual([
      { action: 'set-input-devices', audioDeviceId: 'mic-2' },
      { action: 'set-output-device', outputDeviceId: 'loud-2' },
    ]);
  });
});

test('two clients have calls of their own', async () => {
  const [one, other] = [await talking(), await talking()];
  one.client.stop();
  await settle();
  expect([one.ends(), other.ends()]).toEqual([1, 0]);
  other.client.say('still here');
  expect(other.room.commands.at(-1)).toMatchObject({ action: 'app-msg' });
  other.client.stop();
});

test('after the end the same client calls again', async () => {
  const { client, ends, requests } = await talking();
  client.stop();
  await settle();
  expect(client.getCallClient()).toBeNull();
  expect(await client.start('assistant-2')).toEqual(CREATED);
  expect(requests).toHaveLength(2);
  expect(ends()).toBe(1);
  client.stop();
  await settle();
  expect(ends()).toBe(2);
});

const recordedCall = () =>
  open(() => Response.json({ ...CREATED, artifactPlan: { videoRecordingEnabled: true } }, { status: 201 }));

test('a recording that was asked for and cannot be made is told, and ends nothing', async () => {
  const { client, names, room } = recordedCall();
  expect(await client.start('assistant-1')).toMatchObject(CREATED);
  room.tell({ action: 'recording-error', errorMsg: 'The caller did not agree to be recorded.' });
  await settle();
  expect(names()).toEqual(['error']);
  client.stop();
});

test('a call that is to be recorded is asked to be, and told how late it began', async () => {
  const { client, room } = recordedCall();
  await client.start('assistant-1');
  await settle();
  expect(room.commands).toContainEqual({
    action: 'local-recording-start',
    ...{ width: 1280, height: 720, backgroundColor: '#FF1F2D3D', layout: { preset: 'default' } },
  });
  room.tell({ action: 'recording-started', type: 'cloud', recordingId: 'call-1' });
  await settle();
  const { data } = room.commands.at(-1) as { data?: unknown };
  expect(JSON.parse(String(data))).toEqual({
    type: 'control',
    control: 'say-first-message',
    videoRecordingStartDelaySeconds: expect.any(Number),
  });
  client.stop();
});
