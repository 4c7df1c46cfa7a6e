import { describe, expect, test, vi } from 'vitest';
import { person, settle } from '../../call/src/memory-transport.fixture.ts';
import { CREATED, open, speaker, talking, useOwnClock } from './talking-client.fixture.ts';
import type { VoiceClient } from './voice-client.ts';
import { WebCallError } from './web-calls.ts';

useOwnClock();

describe('start', () => {
  test('needs an assistant or a squad', async () => {
    const { client, requests } = open();
    await expect(client.start()).rejects.toThrow(new Error('Assistant or Squad must be provided.'));
    expect(requests).toEqual([]);
    expect(await client.start('assistant-1')).toEqual(CREATED);
  });

  test.each([
    [['assistant-1'], { assistantId: 'assistant-1' }],
    [[{ name: 'Ada' }], { assistant: { name: 'Ada' } }],
    [[undefined, undefined, 'squad-1'], { squadId: 'squad-1' }],
    [[undefined, undefined, { members: [] }], { squad: { members: [] } }],
    [
      ['assistant-1', { recordingEnabled: false, variableValues: { name: 'Eve' } }],
      {
        assistantId: 'assistant-1',
        assistantOverrides: { recordingEnabled: false, variableValues: { name: 'Eve' } },
      },
    ],
  ] as const)('%j is asked for as %j', async (input, body) => {
    const { client, requests } = open();
    await client.start(...(input as unknown as Parameters<VoiceClient['start']>));
    expect(requests).toEqual([
      { url: 'POST https://site.example.org/voice/v1/call/web', bearer: 'Bearer key-1', body },
    ]);
  });

  test('joins the address, watches levels each 100 ms and asks for noise cancellation', async () => {
    const { room } = await talking();
    expect(room.commands).toMatchObject([
      {
        action: 'join-meeting',
        properties: {
          url: CREATED.webCallUrl,
          subscribeToTracksAutomatically: false,
          audioSource: true,
          videoSource: false,
        },
      },
      { action: 'start-remote-participants-audio-level-observer', interval: 100 },
      {
        action: 'update-input-settings',
        inputSettings: { audio: { processor: { type: 'noise-cancellation' } } },
      },
    ]);
  });

  test('a second one while the first runs is null, and asks nothing', async () => {
    const { client, requests } = await talking();
    expect(await client.start('assistant-2')).toBeNull();
    expect(requests).toHaveLength(1);
  });

  test.each([
    [
      'a refusal',
      () => Response.json({ message: 'No more calls now', statusCode: 429 }, { status: 429 }),
      'No more calls now',
    ],
    [
      'a page instead of an answer',
      () => new Response('<h1>Bad gateway</h1>', { status: 502 }),
      'The call could not be created (502).',
    ],
    [
      'no address to join',
      () => Response.json({ id: 'x' }, { status: 201 }),
      'The call could not be created (201).',
    ],
  ])('%s is told as error, and one call-end follows', async (_name, answer, text) => {
    const { client, events, names } = open(answer);
    expect(await client.start('assistant-1')).toBeNull();
    expect(names()).toEqual(['error', 'call-end']);
    expect(events[0]?.[1]).toBeInstanceOf(WebCallError);
    expect(events[0]?.[1]).toHaveProperty('message', text);
  });

  test('a call that cannot be joined is told once, and another may be started', async () => {
    const { client, room, names } = open();
    room.admits = false;
    const starting = client.start('assistant-1');
    await settle();
    await vi.waitFor(() => expect(room.actions()).toContain('join-meeting'));
    room.tell({ action: 'error', error: { type: 'meeting-full', msg: 'full' } });
    expect(await starting).toBeNull();
    expect(names()).toEqual(['error', 'call-end']);
    expect(room.closed).toBe(true);
  });

  test('stopped while the platform answers, it joins nothing', async () => {
    const { client, room, names } = open();
    const starting = client.start('assistant-1');
    client.stop();
    expect(await starting).toBeNull();
    expect(room.actions()).toEqual([]);
    expect(names()).toEqual(['call-end']);
  });
});

describe('events', () => {
  test('exactly the text listening is the start of the call', async () => {
    const { room, names } = await talking();
    room.tell({ action: 'app-message', data: '"listening"', fromId: 'robot' });
    room.tell({ action: 'app-message', data: 'listening', fromId: 'robot' });
    await settle();
    expect(names()).toEqual(['message', 'call-start']);
  });

  test('messages are JSON in a text; an object and other texts are dropped', async () => {
    const { room, events } = await talking();
    for (const data of ['{"type":"transcript"}', { type: 'transcript' }, 'no JSON', 7])
      room.tell({ action: 'app-message', data, fromId: 'robot' });
    await settle();
    expect(events).toEqual([['message', { type: 'transcript' }]]);
    expect(console.warn).toHaveBeenCalledTimes(3);
  });

  test('levels become volume and speech, and speech ends 1000 ms after the last', async () => {
    const { room, events } = await talking();
    room.tell({ action: 'remote-participants-audio-level', participantsAudioLevel: { robot: 0.075 } });
    await settle();
    await vi.advanceTimersByTimeAsync(999);
    expect(events).toEqual([['volume-level', 0.5], ['speech-start']]);
    await vi.advanceTimersByTimeAsync(1);
    expect(events.at(-1)).toEqual(['speech-end']);
  });

  test('the assistant is subscribed to, played, and told that it is playable', async () => {
    const { room, players } = await talking();
    room.tell({ action: 'participant-joined', participant: speaker('Vapi Speaker') });
    await settle();
    expect(players).toEqual(['play robot']);
    expect(room.commands.slice(-2)).toEqual([
      {
        action: 'update-participant',
        id: 'robot',
        properties: { setSubscribedTracks: { audio: true, video: false } },
      },
      { action: 'app-msg', data: 'playable', to: '*' },
    ]);
    room.tell({ action: 'participant-left', participant: person('robot') });
    await settle();
    expect(players).toEqual(['play robot', 'end robot']);
  });

  test('nobody else is played', async () => {
    const { room, players } = await talking();
    room.tell({ action: 'participant-joined', participant: speaker('Somebody') });
    await settle();
    expect(players).toEqual([]);
    expect(room.actions()).not.toContain('app-msg');
  });

  test('a picture of the assistant is told, and playable as well', async () => {
    const { room, events } = await talking();
    room.tell({ action: 'participant-joined', participant: speaker('Vapi Speaker', 'video') });
    await settle();
    expect(events).toEqual([['video', expect.objectContaining({ kind: 'video' })]]);
    expect(room.commands.at(-1)).toMatchObject({ data: 'playable' });
  });

  test('a camera error is told and ends nothing', async () => {
    const { room, names } = await talking();
    room.tell({ action: 'camera-error', error: { type: 'permissions', msg: 'no' } });
    await settle();
    expect(names()).toEqual(['error']);
  });

  test('when noise cancellation fails, it is switched off and the microphone on', async () => {
    const { room } = await talking();
    room.tell({ action: 'nonfatal-error', type: 'audio-processor-error', errorMsg: 'no' });
    await settle();
    expect(room.commands.slice(-2)).toEqual([
      { action: 'update-input-settings', inputSettings: { audio: { processor: { type: 'none' } } } },
      { action: 'local-audio', state: true },
    ]);
  });
});
