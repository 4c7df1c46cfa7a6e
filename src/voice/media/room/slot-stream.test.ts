import { describe, expect, test } from 'vitest';
import { LiveLayers } from './live-layers.server.ts';
import { SlotStream } from './slot-stream.server.ts';
import { isKeyframe, movedFrame, readVp8 } from './vp8-descriptor.server.ts';

/** A VP8 packet: X and S, I with 15 bits, L, then the frame, whose first bit is 0 in a keyframe. */
const frame = (picture: number, layer: number, isKey: boolean): Buffer => {
  const payload = Buffer.from([0x90, 0xc0, 0, 0, layer, isKey ? 0 : 1, 7]);
  payload.writeUInt16BE(0x8000 | picture, 2);
  return payload;
};
const packet = (sequenceNumber: number, timestamp: number, payload: Buffer = Buffer.from([1])) => ({
  sequenceNumber,
  timestamp,
  marker: false,
  payload,
});

describe('what a descriptor of VP8 says', () => {
  test('numbers, where they are, and whether the frame stands alone', () => {
    const key = frame(300, 5, true);
    const descriptor = readVp8(key);
    expect(descriptor).toMatchObject({
      numbers: { picture: 300, layer: 5 },
      wide: true,
      begins: true,
      size: 5,
    });
    expect(descriptor && isKeyframe(descriptor, key)).toBe(true);
    const delta = frame(1, 1, false);
    const other = readVp8(delta);
    expect(other && isKeyframe(other, delta)).toBe(false);
  });
  test('short ones: without extension, with 7 bits, and cut off', () => {
    expect(readVp8(Buffer.from([0x10, 0]))).toMatchObject({ numbers: {}, begins: true, size: 1 });
    expect(readVp8(Buffer.from([0x90, 0x80, 0x7f, 0]))).toMatchObject({
      numbers: { picture: 127 },
      wide: false,
    });
    for (const cut of [[], [0x10], [0x90, 0x80], [0x90, 0x80, 0x80, 1], [0x90, 0xf0, 0x80, 1, 2, 3]])
      expect(readVp8(Buffer.from(cut)), String(cut)).toBeUndefined();
  });
  test('numbers are moved on within their bits, in a copy', () => {
    const payload = frame(0x7ffe, 255, true);
    const descriptor = readVp8(payload);
    if (descriptor === undefined) throw new Error('no descriptor');
    const moved = movedFrame(payload, descriptor, { picture: 3, layer: 2 });
    expect(readVp8(moved)?.numbers).toEqual({ picture: 1, layer: 1 });
    expect(readVp8(payload)?.numbers).toEqual({ picture: 0x7ffe, layer: 255 });
  });
});

describe('the sizes of a picture', () => {
  test('the largest that comes is taken, or the one that is wished for, or what there is', () => {
    const layers = new LiveLayers();
    expect(layers.best(2, 0)).toBe(0);
    expect([layers.hear(0, 0), layers.hear(2, 10), layers.hear(2, 20)]).toEqual([true, true, false]);
    expect([layers.best(undefined, 30), layers.best(2, 30), layers.best(1, 30), layers.best(0, 30)]).toEqual([
      2, 2, 0, 0,
    ]);
  });
  test('one that does not come any more is not waited for', () => {
    const layers = new LiveLayers();
    layers.hear(0, 0);
    layers.hear(2, 0);
    layers.hear(0, 1400);
    expect(layers.best(undefined, 1499)).toBe(2);
    expect(layers.best(undefined, 1500)).toBe(0);
    expect(layers.hear(2, 1600)).toBe(true);
    expect(layers.best(undefined, 1600)).toBe(2);
    expect(layers.best(0, 1600)).toBe(0);
  });
});

describe('a stream whose source changes', () => {
  test('sound goes over at once, with numbers and times that go on', () => {
    const stream = new SlotStream('audio');
    stream.take('ann');
    expect(stream.pass('ann', packet(65_535, 4000), 0)).toMatchObject({
      sequenceNumber: 65_535,
      timestamp: 4000,
    });
    expect(stream.pass('ann', packet(0, 4960), 20)).toMatchObject({ sequenceNumber: 0, timestamp: 4960 });
    expect(stream.pass('bob', packet(7, 1), 20)).toBeUndefined();
    stream.take('bob');
    expect(stream.pass('ann', packet(1, 5920), 40)).toBeUndefined();
    // 480 ms later: 23 040 ticks of 48 kHz.
    expect(stream.pass('bob', packet(9000, 99), 500)).toMatchObject({ sequenceNumber: 1, timestamp: 28_000 });
    expect(stream.pass('bob', packet(9002, 2019), 540)).toMatchObject({
      sequenceNumber: 3,
      timestamp: 29_920,
    });
    expect(stream.pass('bob', packet(9001, 1059), 541)).toMatchObject({ sequenceNumber: 2 });
    expect(stream.pass('bob', packet(8999, 0), 542)).toBeUndefined();
  });
  test('a picture begins with a frame that stands alone, and its numbers go on', () => {
    const stream = new SlotStream('video');
    stream.take('ann');
    expect(stream.pass('ann', packet(1, 10, frame(50, 9, false)), 0)).toBeUndefined();
    expect(stream.waitsFor('ann')).toBe(true);
    expect(stream.pass('ann', packet(2, 20, frame(51, 10, true)), 0)).toMatchObject({ sequenceNumber: 2 });
    expect(stream.waitsFor('ann')).toBe(false);
    stream.take('bob');
    expect(stream.pass('bob', packet(500, 1, frame(7, 1, false)), 33)).toBeUndefined();
    const first = stream.pass('bob', packet(501, 2, frame(8, 2, true)), 33);
    expect(first).toMatchObject({ sequenceNumber: 3 });
    expect(first && readVp8(first.payload)?.numbers).toEqual({ picture: 52, layer: 11 });
  });
  test('another size of the same picture takes over when it can be shown, the one before goes on until then', () => {
    const stream = new SlotStream('video');
    stream.take('ann video 0');
    stream.pass('ann video 0', packet(1, 10, frame(1, 1, true)), 0);
    stream.take('ann video 2', true);
    expect(stream.pass('ann video 2', packet(900, 5, frame(80, 3, false)), 10)).toBeUndefined();
    expect(stream.pass('ann video 0', packet(2, 20, frame(2, 2, false)), 20)).toMatchObject({
      sequenceNumber: 2,
    });
    expect(stream.pass('ann video 2', packet(901, 6, frame(81, 4, true)), 30)).toMatchObject({
      sequenceNumber: 3,
    });
    expect(stream.pass('ann video 0', packet(3, 30, frame(3, 3, false)), 40)).toBeUndefined();
  });
  test('a slot that carries nothing passes nothing', () => {
    const stream = new SlotStream('audio');
    expect(stream.pass('ann', packet(1, 1), 0)).toBeUndefined();
    stream.take('ann');
    stream.take(undefined);
    expect(stream.pass('ann', packet(1, 1), 0)).toBeUndefined();
  });
});
