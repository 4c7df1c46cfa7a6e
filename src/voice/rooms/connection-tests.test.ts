import { afterEach, expect, test } from 'vitest';
import { openLoopbackTransport } from '../../../tests/support/voice/loopback-transport.ts';
import { connectRoomPeer, type RoomPeer } from '../../../tests/support/voice/room-peer.ts';
import { tone, until } from '../../../tests/support/voice/voice-peer.ts';
import { type ConnectionTests, openConnectionTests } from './connection-tests.server.ts';

const transport = openLoopbackTransport();
const peers: RoomPeer[] = [];
afterEach(async () => {
  await Promise.all(peers.splice(0).map((peer) => peer.close()));
  await transport.close();
});

async function connect(tests: ConnectionTests): Promise<RoomPeer> {
  const peer = await connectRoomPeer({ audio: 0, video: 1 }, (offer) => tests.answer(offer));
  peers.push(peer);
  return peer;
}

test('attack 61: what is sent in a test comes back to who sent it, the picture alone, and to nobody else', async () => {
  const tests = openConnectionTests(transport);
  const [ann, bob] = [await connect(tests), await connect(tests)];
  const back = ann.seen[0] ?? [];
  await ann.speak(tone(500, 0.1));
  await until('the picture comes back', () => {
    ann.show(3, 2500);
    ann.show(4, 2500, 'screenVideo');
    return back.length > 10;
  });
  expect(new Set(back.map(({ mark }) => mark).filter((mark) => mark !== 0))).toEqual(new Set([4]));
  expect(bob.seen.flat()).toEqual([]);
});

test('attack 61: four connections are tested at once; one that ends, or was none, makes place', async () => {
  const tests = openConnectionTests(transport);
  await expect(tests.answer('v=0')).rejects.toMatchObject({ status: 400, code: 'bad_offer' });
  const [first] = [await connect(tests), await connect(tests), await connect(tests), await connect(tests)];
  await expect(connect(tests)).rejects.toMatchObject({ status: 503, code: 'too_many_tests' });
  await first.close();
  await expect
    .poll(() =>
      connect(tests).then(
        () => 'a place',
        ({ code }) => code,
      ),
    )
    .toBe('a place');
});

test('a test that its page does not end is ended', async () => {
  const tests = openConnectionTests(transport, 2000);
  // Four tests that would stay connected; on a slow machine one may be ended before it is connected.
  await Promise.allSettled([1, 2, 3, 4].map(() => connect(tests)));
  // A test that finds a place is told that its offer is bad.
  await expect.poll(() => tests.answer('v=0').catch(({ code }) => code)).toBe('bad_offer');
});
