import { afterEach, expect, test } from 'vitest';
import { joined } from '../../../../packages/telephone-audio/src/sounds.fixture.ts';
import { openLoopbackTransport } from '../../../../tests/support/voice/loopback-transport.ts';
import { connectRoomPeer, type RoomPeer } from '../../../../tests/support/voice/room-peer.ts';
import { shareOfTone, tone, until } from '../../../../tests/support/voice/voice-peer.ts';
import { MEDIA_KINDS } from './media-kind.contract.ts';
import { ASSISTANT, type MediaPeer, type MediaRoom } from './media-room.server.ts';

const transport = openLoopbackTransport();
const peers: RoomPeer[] = [];
afterEach(async () => {
  await Promise.all(peers.splice(0).map((peer) => peer.close()));
  await transport.close();
});

interface Person {
  readonly here: MediaPeer;
  readonly there: RoomPeer;
}

async function enter(room: MediaRoom, id: string): Promise<Person> {
  const here = await room.enter(id);
  here.allow(new Set(MEDIA_KINDS));
  const there = await connectRoomPeer(room.layout, (offer) => here.answer(offer));
  peers.push(there);
  return { here, there };
}

/** Sends a frame every 33 ms until `done`. */
async function showUntil(person: Person, mark: number, done: () => boolean): Promise<void> {
  await until(`picture ${mark} is seen`, () => {
    person.there.show(mark, 2500);
    return done();
  });
}

test('two people hear and see each other, and each what was routed only', async () => {
  const room = await transport.createRoom({ audio: 2, video: 2 });
  const [ann, bob] = await Promise.all([enter(room, 'ann'), enter(room, 'bob')]);
  bob.here.route([
    { from: 'ann', kind: 'audio', slot: 1 },
    { from: 'ann', kind: 'video', slot: 0 },
  ]);
  await showUntil(ann, 7, () => (bob.there.seen[0]?.length ?? 0) > 20);
  await until('the room says how much it takes', () => ann.there.allowed() === 4_000_000);
  const seen = bob.there.seen[0] ?? [];
  expect(seen[0]?.isKeyframe).toBe(true);
  expect(new Set(seen.map(({ mark }) => mark).filter((mark) => mark !== 0))).toEqual(new Set([7]));
  await ann.there.speak(tone(700, 0.6));
  await until('the tone is heard', () => (bob.there.heard[1]?.length ?? 0) > 20);
  expect(shareOfTone(joined(bob.there.heard[1] ?? []).subarray(3000), 700)).toBeGreaterThan(0.8);
  expect([...ann.there.seen, ...ann.there.heard, bob.there.heard[0], bob.there.seen[1]].flat()).toEqual([]);
});

test('a slot that gets another source goes on as one stream, from a frame that stands alone', async () => {
  const room = await transport.createRoom({ audio: 1, video: 1 });
  const [ann, bob, carl] = await Promise.all([enter(room, 'ann'), enter(room, 'bob'), enter(room, 'carl')]);
  carl.here.route([{ from: 'ann', kind: 'video', slot: 0 }]);
  await showUntil(ann, 1, () => (carl.there.seen[0]?.length ?? 0) > 10);
  // Bob's first frame, a keyframe, passes before anybody wants his picture.
  const came = room.stats().packetsReceived;
  bob.there.show(2, 2500);
  await until('it is past', () => room.stats().packetsReceived >= came + 3);
  carl.here.route([{ from: 'bob', kind: 'video', slot: 0 }]);
  await showUntil(bob, 2, () => (carl.there.seen[0] ?? []).some(({ mark }) => mark === 2));
  expect(bob.there.asked.video).toBeGreaterThan(0);
  const packets = [...(carl.there.seen[0] ?? [])].sort(
    (one, other) => one.sequenceNumber - other.sequenceNumber,
  );
  const first = packets.findIndex(({ mark }) => mark === 2);
  expect(packets[first]?.isKeyframe).toBe(true);
  const steps = packets
    .slice(1)
    .map((packet, at) => packet.sequenceNumber - (packets[at]?.sequenceNumber ?? 0));
  expect(new Set(steps)).toEqual(new Set([1]));
  const before = packets[first - 1];
  expect(packets[first]?.picture).toBe(((before?.picture ?? 0) + 1) & 0x7fff);
  expect(((packets[first]?.timestamp ?? 0) - (before?.timestamp ?? 0)) >>> 0).toBeLessThan(90_000 * 20);
});

test('what somebody may not send reaches nobody', async () => {
  const room = await transport.createRoom({ audio: 1, video: 1 });
  const [ann, bob] = await Promise.all([enter(room, 'ann'), enter(room, 'bob')]);
  bob.here.route([
    { from: 'ann', kind: 'video', slot: 0 },
    { from: 'ann', kind: 'audio', slot: 0 },
  ]);
  ann.here.allow(new Set(['audio']));
  ann.there.show(3, 2500);
  await ann.there.speak(tone(500, 0.5));
  await until('the sound is heard', () => (bob.there.heard[0]?.length ?? 0) > 10);
  expect(bob.there.seen[0]).toEqual([]);
});

test('the assistant hears everybody as one and is heard by all; who speaks is known', async () => {
  const room = await transport.createRoom({ audio: 2, video: 1 });
  const speakers: string[] = [];
  room.onActiveSpeaker((id) => speakers.push(id));
  const [ann, bob] = await Promise.all([enter(room, 'ann'), enter(room, 'bob')]);
  const sound = await room.assistant();
  const heard: Int16Array[] = [];
  sound.onPcm16k((pcm) => heard.push(pcm));
  for (const { here } of [ann, bob]) here.route([{ from: ASSISTANT, kind: 'audio', slot: 0 }]);
  // Bob is too quiet to become the speaker, even if his packets come first.
  await Promise.all([ann.there.speak(tone(400, 1.5)), bob.there.speak(tone(900, 1.5, 300))]);
  await until('both are heard', () => joined(heard).length > 24_000);
  const loud = joined(heard.filter((frame) => Math.max(...frame) > 2000));
  expect(shareOfTone(loud, 400)).toBeGreaterThan(0.7);
  expect(speakers[0]).toBe('ann');
  sound.writePcm(tone(300, 0.6));
  for (const { there } of [ann, bob])
    await until('the assistant is heard', () => {
      const voice = (there.heard[0] ?? []).filter((frame) => Math.max(...frame) > 2000);
      return voice.length > 20 && shareOfTone(joined(voice), 300) > 0.8;
    });
  // Everybody hears the sound under the assistant's voice, but it does not count as the assistant's speech.
  const under = tone(700, 0.02);
  sound.playUnder(() => under);
  const from = bob.there.heard[0]?.length ?? 0;
  await until('a sound is heard under the silence', () => {
    const quiet = (bob.there.heard[0] ?? []).slice(from + 10);
    return quiet.length > 20 && shareOfTone(joined(quiet.slice(-20)), 700) > 0.8;
  });
});

test.each(['audio', 'customAudio1'] as const)(
  'a guest who is silenced is heard by no other guest and has no floor, until they may speak again: %s',
  async (kind) => {
    const room = await transport.createRoom({ audio: 1, video: 1 });
    const heard: Int16Array[] = [];
    const [bob, player] = [await room.guest('bob'), await room.guest('player', kind)];
    bob.onPcm16k((pcm) => void heard.push(pcm));
    const speakers: string[] = [];
    room.onActiveSpeaker((id) => void speakers.push(id));
    const isHeard = () => shareOfTone(joined(heard.slice(-10)), 700) > 0.8;
    const isQuiet = () =>
      heard.length >= 10 && heard.slice(-10).every((pcm) => pcm.every((one) => one === 0));
    // 20 ms are 14 whole periods, so that frames join without a step.
    const frame = tone(700, 0.02);
    player.playUnder(() => frame.slice());
    await until('it is heard', isHeard);
    room.silence('player', true);
    const { length } = speakers;
    await until('it is not', isQuiet);
    expect(speakers.length).toBe(length);
    room.silence('player', false);
    await until('it is again', isHeard);
    room.silence('nobody', true);
    for (const guest of [bob, player]) guest.close();
  },
);

test('who leaves is noticed, and what they sent goes nowhere', async () => {
  const room = await transport.createRoom({ audio: 1, video: 1 });
  const [ann, bob] = await Promise.all([enter(room, 'ann'), enter(room, 'bob')]);
  const states: string[] = [];
  ann.here.onState((state) => states.push(state));
  bob.here.route([{ from: 'ann', kind: 'audio', slot: 0 }]);
  await ann.there.close();
  await until('their end is noticed', () => states.at(-1) === 'closed');
  await bob.here.close({ type: 'ejected', msg: 'Out.' });
  await until('the other was told', () => bob.there.notices.length > 0);
  expect(bob.there.notices).toEqual([{ action: 'error', error: { type: 'ejected', msg: 'Out.' } }]);
});

test('an offer that is not of the layout is refused in words', async () => {
  const room = await transport.createRoom({ audio: 2, video: 2 });
  const here = await room.enter('ann');
  await expect(connectRoomPeer({ audio: 1, video: 2 }, (offer) => here.answer(offer))).rejects.toMatchObject({
    status: 400,
    message: 'The offer needs 6 secured audio sections.',
  });
});
