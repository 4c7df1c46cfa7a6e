import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { MediaState } from '../../../packages/telephone-audio/src/sound-session.ts';
import { joined } from '../../../packages/telephone-audio/src/sounds.fixture.ts';
import { type LiveKitCaller, liveKitCaller } from '../../../tests/support/livekit/livekit-caller.ts';
import { type LiveKitCounterpart, openLiveKit } from '../../../tests/support/livekit/livekit-counterpart.ts';
import { openLoopbackTransport } from '../../../tests/support/voice/loopback-transport.ts';
import { shareOfTone, tone, until } from '../../../tests/support/voice/voice-peer.ts';
import { joinToken } from './livekit-access.server.ts';
import { createLiveKitTransport } from './livekit-transport.server.ts';
import type { MediaSession, MediaTransport } from './media-transport.server.ts';

const KEY = 'northline';
const SECRET = 'a secret of more than thirty-two characters';
const READY = '{"action":"ready"}';
const faults: unknown[] = [];

interface World {
  readonly livekit: LiveKitCounterpart;
  readonly transport: MediaTransport;
  readonly settings: Parameters<typeof createLiveKitTransport>[0];
}
async function open(secret = SECRET): Promise<World> {
  const livekit = await openLiveKit(KEY, SECRET);
  const settings = { LIVEKIT_URL: livekit.url, LIVEKIT_API_KEY: KEY, LIVEKIT_API_SECRET: secret };
  const transport = createLiveKitTransport(settings, openLoopbackTransport(), (fault) => faults.push(fault));
  onTestFinished(async () => {
    await transport.close();
    await livekit.close();
  });
  return { livekit, transport, settings };
}
afterEach(() => expect(faults.splice(0)).toEqual([]));

async function call({ transport }: World): Promise<{
  session: MediaSession;
  caller: LiveKitCaller;
  states: MediaState[];
  pcm: Int16Array[];
}> {
  const session = await transport.createSession('one');
  const states: MediaState[] = [];
  const pcm: Int16Array[] = [];
  session.onState((state) => states.push(state));
  session.onPcm16k((piece) => pcm.push(piece));
  const caller = await liveKitCaller(await session.answer(''));
  onTestFinished(() => caller.leave());
  await caller.send('room', READY);
  await until('the caller is ready', () => states.includes('connected'));
  return { session, caller, states, pcm };
}

test('sound and texts go both ways through a room of LiveKit, and what is flushed is not heard', async () => {
  const world = await open();
  const { session, caller, pcm } = await call(world);
  expect(world.livekit.identities('call-one')).toEqual(['assistant', 'caller']);
  const texts: string[] = [];
  const about: string[] = [];
  session.onAppMessage((text) => texts.push(text));
  session.onRoomText?.((text) => about.push(text));
  await caller.send('app', 'playable');
  await caller.send('app', 'x'.repeat(4097));
  await caller.send('room', '{"action":"wish"}');
  await caller.send('elsewhere', 'unheard');
  await caller.send('app', 'after');
  await until('the caller was read', () => texts.length === 2 && about.length === 1);
  expect([texts, about]).toEqual([['playable', 'after'], ['{"action":"wish"}']]);
  expect(session.sendAppMessage('listening')).toBe(true);
  expect(session.sendAppMessage('x'.repeat(70_000))).toBe(false);
  const notice = { action: 'recording-stopped', type: 'cloud', recordingId: 'one' } as const;
  expect(session.sendNotice?.(notice)).toBe(true);

  session.writePcm(tone(440, 1));
  await until('the tone was sent', () => session.queuedMs() === 0);
  session.writePcm(tone(1000, 10));
  expect(session.flush()).toBeGreaterThan(9000);
  await caller.speak(tone(700, 1.5));
  await until('the caller was heard', () => shareOfTone(loudOf(pcm), 700) > 0.9);
  await until('the assistant was heard', () => loudOf(caller.heard).length > 8000);
  expect(shareOfTone(loudOf(caller.heard), 440)).toBeGreaterThan(0.6);
  expect(shareOfTone(loudOf(caller.heard), 1000)).toBeLessThan(0.3);
  expect(caller.texts).toEqual(['listening']);
  expect(caller.notices).toEqual([JSON.stringify(notice)]);
  expect(session.camera).toBeUndefined();
});

test('the end of a call deletes its room, so that nobody stays in it; the last texts come before', async () => {
  const world = await open();
  const { session, caller, states } = await call(world);
  session.sendAppMessage('hang');
  session.sendFault({ type: 'ejected', msg: 'Out.' });
  await session.close();
  await session.close();
  await until('the caller is out', () => caller.isOut());
  expect(caller.texts).toEqual(['hang']);
  expect(caller.notices[0]).toContain('Out.');
  expect(states.filter((state) => state === 'closed')).toHaveLength(1);
  expect(world.livekit.rooms()).toEqual([]);
  expect(session.sendAppMessage('late')).toBe(false);
  await expect(session.answer('')).rejects.toMatchObject({ status: 409 });
});

test('a caller who leaves ends the session', async () => {
  const world = await open();
  const { caller, states } = await call(world);
  await caller.leave();
  await until('their end was noticed', () => states.at(-1) === 'closed');
  await until('the room is gone', () => world.livekit.rooms().length === 0);
});

test('a token opens the room of its call alone, for five minutes, and only a microphone', async () => {
  const { settings } = await open();
  const [, claim = ''] = (await joinToken(settings, 'one', 'caller')).split('.');
  const { sub, iss, exp, video } = JSON.parse(Buffer.from(claim, 'base64url').toString());
  expect({ sub, iss, video }).toEqual({
    sub: 'caller',
    iss: KEY,
    video: {
      room: 'call-one',
      roomJoin: true,
      canPublish: true,
      canPublishSources: ['microphone'],
      canSubscribe: true,
      canPublishData: true,
    },
  });
  expect(exp - Date.now() / 1000).toBeLessThanOrEqual(300);
});

test('a LiveKit server that refuses the key is said with 503, and an offer of SDP is refused', async () => {
  const { transport } = await open('another secret of more than thirty-two characters');
  const session = await transport.createSession('one');
  await expect(session.answer('')).rejects.toMatchObject({ status: 503, code: 'voice_media_unavailable' });
  expect(() => transport.requireOffer('v=0')).toThrow('the offer must be empty');
});

const loudOf = (frames: readonly Int16Array[]): Int16Array =>
  joined(frames.filter((frame) => Math.max(...frame) > 2000));
