import { expect, test } from 'vitest';
import { SourceLatch } from './source-latch.ts';

const named = { address: '192.0.2.1', port: 4000 };
const router = { address: '198.51.100.7', port: 61_000 };
const moved = { address: '198.51.100.7', port: 62_000 };
const attacker = { address: '203.0.113.66', port: 4000 };
const packet = (sequence: number, ssrc = 1, proven = false) => ({ ssrc, sequence, proven });

test('sound is sent to the address that was named, and to where sound comes from once it comes', () => {
  const latch = new SourceLatch(named);
  expect([latch.target, latch.latched]).toEqual([named, false]);
  expect(latch.accepts(router, packet(1))).toBe(true);
  expect([latch.target, latch.latched]).toEqual([router, true]);
});

test('attack 55: a packet from another address is not heard, and nothing is sent there', () => {
  const latch = new SourceLatch(named);
  latch.accepts(router, packet(100));
  for (let sequence = 101; sequence < 120; sequence += 1) {
    expect(latch.accepts(router, packet(sequence))).toBe(true);
    // Packets of another source; of the same one with the next numbers, while the true one still sends; and
    // with older numbers.
    expect(latch.accepts(attacker, packet(sequence, 2))).toBe(false);
    expect(latch.accepts(attacker, packet(sequence + 1))).toBe(false);
    expect(latch.accepts(attacker, packet(sequence - 50))).toBe(false);
  }
  expect([latch.target, latch.refused]).toEqual([router, 57]);
  expect(latch.knows(attacker.address)).toBe(false);
});

test('a source whose router gave it another port is heard from its third packet on', () => {
  const latch = new SourceLatch(named);
  latch.accepts(router, packet(65_534));
  expect([65_535, 0, 1].map((sequence) => latch.accepts(moved, packet(sequence)))).toEqual([
    false,
    false,
    true,
  ]);
  expect(latch.target).toEqual(moved);
  expect(latch.accepts(router, packet(2, 9))).toBe(false);
});

test('the named address, and whoever has the key, are always heard', () => {
  const latch = new SourceLatch(named);
  latch.accepts(attacker, packet(1, 7));
  expect(latch.accepts(named, packet(500))).toBe(true);
  expect(latch.target).toEqual(named);
  expect(latch.accepts(attacker, packet(2, 7))).toBe(false);
  expect(latch.accepts(moved, packet(9, 3, true))).toBe(true);
});
