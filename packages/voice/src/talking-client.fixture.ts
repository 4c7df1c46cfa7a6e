import { afterEach, beforeEach, vi } from 'vitest';
import { MemoryRoom, person } from '../../call/src/memory-transport.fixture.ts';
import { VoiceClient } from './voice-client.ts';
import type { VoiceEventName } from './voice-events.ts';

const EVENTS: readonly VoiceEventName[] = [
  'call-start',
  'call-end',
  'speech-start',
  'speech-end',
  'volume-level',
  'message',
  'video',
  'error',
];
/** The call as the platform creates it. */
export const CREATED = { id: 'call-1', webCallUrl: 'https://calls.example.org/call-1' };

let opened: VoiceClient[] = [];

/** Gives each test of the file a clock and a silent console of its own, and ends its calls after it. */
export function useOwnClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    vi.spyOn(console, 'warn').mockReturnValue(undefined);
    vi.spyOn(console, 'error').mockReturnValue(undefined);
  });
  afterEach(async () => {
    for (const client of opened) client.stop();
    opened = [];
    await vi.runAllTimersAsync();
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
}

/** A client, its room, and the platform that creates its calls, all in memory. */
export function open(answer: () => Response = () => Response.json(CREATED, { status: 201 })) {
  const room = new MemoryRoom();
  const requests: { url: string; bearer: string | null; body: unknown }[] = [];
  const players: string[] = [];
  const client = new VoiceClient('key-1', {
    openTransport: room.open,
    baseUrl: 'https://site.example.org/voice/v1/',
    fetch: async (address, init) => {
      const request = new Request(address, init);
      requests.push({
        url: `${request.method} ${request.url}`,
        bearer: request.headers.get('authorization'),
        body: await request.json(),
      });
      return answer();
    },
    play: (_track, id) => {
      players.push(`play ${id}`);
      return () => void players.push(`end ${id}`);
    },
  });
  opened.push(client);
  const events: unknown[][] = [];
  for (const name of EVENTS) client.on(name, (...values: unknown[]) => events.push([name, ...values]));
  const names = (): unknown[] => events.map(([name]) => name);
  const ends = (): number => names().filter((name) => name === 'call-end').length;
  return { room, requests, players, client, events, names, ends };
}

/** The same, with a call in progress. */
export async function talking() {
  const opened = open();
  await opened.client.start('assistant-1');
  return opened;
}

const track = (kind: string): MediaStreamTrack => Object.assign(Object.create(null), { kind });
/** A participant of that name with one track that plays. */
export const speaker = (user_name: string, kind = 'audio') =>
  person('robot', { user_name, tracks: { [kind]: { state: 'playable', persistentTrack: track(kind) } } });
