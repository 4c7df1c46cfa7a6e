import { describe, expect, test, vi } from 'vitest';
import { CallClient } from './call-client.ts';
import { CAMERA_ERROR_TYPES, FATAL_ERROR_TYPES, NONFATAL_ERROR_TYPES } from './call-events.ts';
import type { CallProperties } from './call-properties.ts';
import { joined, logged, start, useOwnCalls } from './joined-call.fixture.ts';
import { MemoryRoom, settle } from './memory-transport.fixture.ts';

useOwnCalls();

describe('states', () => {
  test('a call goes from new through loading and joining to joined, and leaves', async () => {
    const { call, events } = start();
    expect(call.meetingState()).toBe('new');
    const everybody = await call.join({ url: 'https://calls.example.org/1' });
    expect(everybody?.local?.session_id).toBe('visitor');
    await call.leave();
    expect(events).toEqual([
      'loading loading',
      'loaded loaded',
      'joining-meeting joining-meeting',
      'joined-meeting joined-meeting',
      'left-meeting left-meeting',
    ]);
    expect(call.participants()).toEqual({});
  });

  test('joining while joined or joining warns and resolves undefined', async () => {
    const { call, room } = await joined();
    expect(await call.join()).toBeUndefined();
    expect(logged).toEqual(['already joined meeting, call leave() before joining again']);
    expect(room.actions().filter((action) => action === 'join-meeting')).toHaveLength(1);
  });

  test('two joins at once make one', async () => {
    const { call, room } = start();
    const [first, second] = await Promise.all([call.join(), call.join()]);
    expect([first?.local?.session_id, second]).toEqual(['visitor', undefined]);
    expect(room.actions()).toEqual(['join-meeting']);
  });

  test('after leaving, the same call joins again', async () => {
    const { call } = await joined();
    await call.leave();
    expect((await call.join())?.local?.session_id).toBe('visitor');
  });

  test('leaving twice tells it once', async () => {
    const { call, events } = await joined();
    await Promise.all([call.leave(), call.leave()]);
    await call.leave();
    expect(events.filter((line) => line.startsWith('left-meeting'))).toHaveLength(1);
  });

  test('leaving while joining rejects the join', async () => {
    const { call, room } = start();
    room.admits = false;
    const joining = call.join();
    const outcome = expect(joining).rejects.toThrow('left the meeting before joining was complete');
    await settle();
    await call.leave();
    await outcome;
  });

  test('being put out by the other side leaves', async () => {
    const { call, room, events } = await joined();
    room.tell({ action: 'left-meeting' });
    await settle();
    expect(events.at(-1)).toBe('left-meeting left-meeting');
    expect(call.meetingState()).toBe('left-meeting');
  });
});

describe('loading', () => {
  test('is tried three times, three seconds apart, then the call is in error', async () => {
    const { call, room, events } = start();
    room.loads.push(new Error('one'), new Error('two'), new Error('three'));
    const errors: unknown[] = [];
    call.on('error', ({ error }) => errors.push(error));
    const outcome = expect(call.join()).rejects.toThrow('three');
    await settle();
    expect(events).toEqual(['loading loading', 'load-attempt-failed loading']);
    await vi.advanceTimersByTimeAsync(2999);
    expect(events).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(events).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(3000);
    await outcome;
    expect(events.slice(3)).toEqual(['load-attempt-failed loading', 'error error']);
    expect(errors).toEqual([{ type: 'connection-error', msg: 'three', details: { on: 'load' } }]);
  });

  test('a second attempt that succeeds is enough', async () => {
    const { call, room } = start();
    room.loads.push(new Error('one'));
    const joining = call.join();
    await vi.advanceTimersByTimeAsync(3000);
    expect((await joining)?.local?.session_id).toBe('visitor');
  });

  test('an attempt that never ends is cut off', async () => {
    const { call, room, events } = start();
    room.loads.push('never');
    const joining = call.join();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(events.at(-1)).toBe('load-attempt-failed loading');
    await vi.advanceTimersByTimeAsync(3000);
    await joining;
    expect(call.meetingState()).toBe('joined-meeting');
  });

  test('leaving cancels it, and a new join starts afresh', async () => {
    const { call, room, events } = start();
    room.loads.push('never');
    const cancelled = call.join();
    await call.leave();
    expect(events).toEqual(['loading loading', 'left-meeting left-meeting']);
    await call.join();
    await cancelled;
    expect(call.meetingState()).toBe('joined-meeting');
  });
});

describe('errors', () => {
  test.each(FATAL_ERROR_TYPES)('fatal: %s ends the call once', async (type) => {
    const { call, room, events } = await joined();
    room.tell({ action: 'error', errorMsg: 'over', error: { type, msg: 'over' } });
    room.tell({ action: 'left-meeting' });
    await settle();
    expect(events.slice(4)).toEqual(['error error']);
    expect(call.participants()).toEqual({});
  });
  test('a fatal error while joining rejects the join with its words', async () => {
    const { call, room } = start();
    room.admits = false;
    const outcome = expect(call.join()).rejects.toThrow('The room is full');
    await settle();
    room.tell({ action: 'error', error: { type: 'meeting-full', msg: 'The room is full' } });
    await outcome;
  });
  test.each(CAMERA_ERROR_TYPES)('camera: %s does not end the call', async (type) => {
    const { call, room } = await joined();
    const events: string[] = [];
    call.on('camera-error', ({ error }) => events.push(error.type));
    room.tell({ action: 'camera-error', error: { type, msg: 'no sound' } });
    await settle();
    expect([events, call.meetingState()]).toEqual([[type], 'joined-meeting']);
  });
  test.each(NONFATAL_ERROR_TYPES)('nonfatal: %s does not end the call', async (type) => {
    const { call, room } = await joined();
    const events: string[] = [];
    call.on('nonfatal-error', (event) => events.push(event.type));
    room.tell({ action: 'nonfatal-error', type, errorMsg: 'hm' });
    await settle();
    expect([events, call.meetingState()]).toEqual([[type], 'joined-meeting']);
  });
});

describe('instances', () => {
  test('a second one is refused, unless it is told not to be strict', async () => {
    start();
    expect(() => start()).toThrow('Duplicate DailyIframe instances are not allowed');
    expect(() => start({ strictMode: false })).not.toThrow();
  });
  test('after destroy the next one may come, and the old one is no more', async () => {
    const { call, room, events } = await joined();
    await Promise.all([call.destroy(), call.destroy()]);
    expect(events.slice(4)).toEqual(['left-meeting left-meeting', 'call-instance-destroyed left-meeting']);
    expect(room.closed).toBe(true);
    await expect(call.join()).rejects.toThrow('Use after destroy');
    expect(() => start()).not.toThrow();
  });
  test.each([
    [{ colour: 'red' }, "unrecognized property 'colour'"],
    [{ url: 5 }, "property 'url': url should be a string"],
    [
      { userData: 'u'.repeat(4097) },
      'userData is too large (4097 characters). Maximum size suppported is 4096.',
    ],
  ])('%j is refused', (properties, text) => {
    expect(() => new CallClient(new MemoryRoom().open, properties as CallProperties)).toThrow(text);
    expect(() => start()).not.toThrow();
  });
  test('geo answers from what the page knows, and with nothing else', async () => {
    expect(await start({ geo: 'GB', strictMode: false }).call.geo()).toEqual({ current: 'GB' });
    expect(await start({ strictMode: false }).call.geo()).toEqual({ current: '' });
  });
  test('the version that is told is the compatible one', () => {
    expect(CallClient.version()).toBe('0.66.0');
  });
});
