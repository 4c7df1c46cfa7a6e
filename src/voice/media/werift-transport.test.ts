import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { MediaState } from '../../../packages/telephone-audio/src/sound-session.ts';
import { joined } from '../../../packages/telephone-audio/src/sounds.fixture.ts';
import { openLoopbackTransport } from '../../../tests/support/voice/loopback-transport.ts';
import {
  connectPeer,
  PICTURE,
  shareOfTone,
  tone,
  until,
  type VoicePeer,
} from '../../../tests/support/voice/voice-peer.ts';
import type { MediaSession } from './media-transport.server.ts';

const transport = openLoopbackTransport();
const peers: VoicePeer[] = [];
afterEach(async () => {
  await Promise.all(peers.splice(0).map((peer) => peer.close()));
  await transport.close();
});

async function call(): Promise<{
  session: MediaSession;
  peer: VoicePeer;
  states: MediaState[];
  pcm: Int16Array[];
}> {
  const session = await transport.createSession('call-1');
  const states: MediaState[] = [];
  const pcm: Int16Array[] = [];
  session.onState((state) => states.push(state));
  session.onPcm16k((piece) => pcm.push(piece));
  const peer = await connectPeer((offer) => session.answer(offer));
  peers.push(peer);
  await until('connected', () => states.includes('connected'));
  return { session, peer, states, pcm };
}

test('sound and messages go both ways, silence is sent between, and what is flushed is not heard', async () => {
  const { session, peer, pcm } = await call();
  const texts: string[] = [];
  session.onAppMessage((text) => texts.push(text));
  peer.send('playable');
  peer.send('x'.repeat(4097));
  peer.send('after');
  await until('the caller was read', () => texts.length === 2);
  expect(texts).toEqual(['playable', 'after']);
  expect(session.sendAppMessage('listening')).toBe(true);

  await until('silence is heard', () => peer.heard.length > 5);
  expect(Math.max(...joined(peer.heard))).toBeLessThan(50);
  session.writePcm(tone(440, 0.5));
  expect(session.queuedMs()).toBe(500);
  await until('the tone was sent', () => session.queuedMs() === 0);
  session.writePcm(tone(1000, 10));
  expect(session.flush()).toBeGreaterThan(9000);
  await peer.speak(tone(700, 1));
  await until('the caller was heard', () => joined(pcm).length > 12_000);
  expect(shareOfTone(joined(pcm).subarray(3000, 11_000), 700)).toBeGreaterThan(0.9);
  const loud = peer.heard.filter((frame) => Math.max(...frame) > 2000);
  expect(loud.length).toBeGreaterThan(20);
  expect(shareOfTone(joined(loud), 440)).toBeGreaterThan(0.8);
  expect(peer.messages).toEqual(['listening']);
  expect(session.stats()).toMatchObject({ packetsLost: 0, packetsRejected: 0 });
});

test('a session that takes a camera gives whole frames to who watches, and asks for one that stands alone', async () => {
  const session = await transport.createSession('call-1', { camera: true });
  const peer = await connectPeer((offer) => session.answer(offer), true);
  peers.push(peer);
  const frames: Buffer[] = [];
  session.camera?.watch(({ bytes }) => frames.push(bytes));
  const showing = setInterval(() => peer.show(PICTURE), 20);
  onTestFinished(() => clearInterval(showing));
  await until('the camera is seen', () => frames.length > 3 && peer.keyframesAsked() > 0);
  expect(frames.every((bytes) => bytes.equals(PICTURE))).toBe(true);
});

test('what concerns the call itself has a channel of its own, both ways', async () => {
  const { session, peer } = await call();
  const texts: string[] = [];
  session.onRoomText?.((text) => texts.push(text));
  peer.tell({ long: 'x'.repeat(5000) });
  peer.tell({ action: 'local-recording-stop' });
  await until('it was read', () => texts.length === 1);
  expect(texts).toEqual(['{"action":"local-recording-stop"}']);
  const notice = { action: 'recording-stopped', type: 'cloud', recordingId: 'call-1' } as const;
  expect(session.sendNotice?.(notice)).toBe(true);
  await until('it was told', () => peer.notices.length === 1);
  expect(peer.notices).toEqual([notice]);
});

test('a peer that hangs up ends the session once, and a closed session takes nothing', async () => {
  const { session, peer, states } = await call();
  await session.close();
  await session.close();
  expect(states.filter((state) => state === 'closed')).toHaveLength(1);
  expect(session.sendAppMessage('late')).toBe(false);
  session.writePcm(tone(440, 1));
  expect(session.queuedMs()).toBe(0);
  await expect(session.answer(peer.connection.localDescription?.sdp ?? '')).rejects.toMatchObject({
    status: 409,
  });
});

test('a peer that leaves is noticed', async () => {
  const { peer, states } = await call();
  await peer.close();
  await until('its end was noticed', () => states.at(-1) === 'closed');
});

test('packets that are no Opus are counted and the sound after them is heard', async () => {
  const { session, peer, pcm } = await call();
  for (let round = 0; round < 20; round += 1) peer.sendRaw(Uint8Array.from([0xff, round, 1, 2, 3]));
  await peer.speak(tone(600, 0.5));
  await until('the caller was heard', () => joined(pcm).length > 6000);
  expect(session.stats().packetsRejected).toBeGreaterThan(0);
  expect(shareOfTone(joined(pcm).subarray(-4000), 600)).toBeGreaterThan(0.9);
});
