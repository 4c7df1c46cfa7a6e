import { expect, test } from 'vitest';
import { PacketOrder } from './packet-order.server.ts';

const packet = (n: number): Uint8Array => Uint8Array.of(n & 0xff);
const take = (order: PacketOrder, ...sequences: number[]): (number | 'lost')[] =>
  sequences.flatMap((sequence) =>
    order.take(sequence, packet(sequence)).map((one) => (one === 'lost' ? one : (one.payload[0] ?? -1))),
  );

test('packets in order are given on at once, also over the end of the numbers', () => {
  expect(take(new PacketOrder(), 65_534, 65_535, 0, 1)).toEqual([254, 255, 0, 1]);
});

test('two packets that overtook each other are put right', () => {
  const order = new PacketOrder();
  expect(take(order, 1, 3)).toEqual([1]);
  expect(take(order, 2, 4)).toEqual([2, 3, 4]);
  expect([order.lost, order.rejected]).toEqual([0, 0]);
});

test('a packet that three others overtook is lost, and rejected when it comes after all', () => {
  const order = new PacketOrder();
  expect(take(order, 1, 3, 4, 5, 2, 5)).toEqual([1, 'lost', 3, 4, 5]);
  expect([order.lost, order.rejected]).toEqual([1, 2]);
});

test('a jump starts the stream anew, and no flood of losses is made up for it', () => {
  const order = new PacketOrder();
  expect(take(order, 10, 12, 30_000, 30_001)).toEqual([10, 48, 49]);
  expect(order.lost).toBe(0);
});
