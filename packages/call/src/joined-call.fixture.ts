import { afterEach, beforeEach, vi } from 'vitest';
import { CallClient } from './call-client.ts';
import type { CallEventName } from './call-events.ts';
import type { CallProperties } from './call-properties.ts';
import { MemoryRoom } from './memory-transport.fixture.ts';

const LIFE: readonly CallEventName[] = [
  'loading',
  'load-attempt-failed',
  'loaded',
  'joining-meeting',
  'joined-meeting',
  'left-meeting',
  'error',
  'call-instance-destroyed',
];

let opened: CallClient[] = [];
/** What was written to the console since the test began. */
export const logged: string[] = [];

/** Gives each test of the file a clock and a console of its own, and ends its calls after it. */
export function useOwnCalls(): void {
  beforeEach(() => {
    vi.useFakeTimers();
    logged.length = 0;
    const log = (...words: unknown[]): void => void logged.push(words.join(' '));
    vi.spyOn(console, 'error').mockImplementation(log);
    vi.spyOn(console, 'warn').mockImplementation(log);
  });
  afterEach(async () => {
    for (const call of opened) await call.destroy();
    opened = [];
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
}

/** A call over a room in memory, with its events and the state at each. */
export function start(properties: CallProperties = {}) {
  const room = new MemoryRoom();
  const call = new CallClient(room.open, properties);
  opened.push(call);
  const events: string[] = [];
  for (const name of LIFE) call.on(name, ({ action }) => events.push(`${action} ${call.meetingState()}`));
  return { room, call, events };
}

/** The same call after joining. */
export async function joined(properties: CallProperties = {}) {
  const started = start(properties);
  await started.call.join({ url: 'https://calls.example.org/1' });
  return started;
}
