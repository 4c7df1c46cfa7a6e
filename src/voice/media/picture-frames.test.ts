import { expect, test } from 'vitest';
import { CameraReceiver } from './camera-receiver.server.ts';
import { type PictureFrame, PictureFrames, type PicturePacket } from './picture-frames.server.ts';

/**
 * A keyframe begins with a tag, a start code, and its width and height; other frames have the lowest bit set.
 */
function keyframe(mark: number, width = 640, height = 360): Buffer {
  const frame = Buffer.alloc(30, mark);
  frame.set([0x10, 0x02, 0x00, 0x9d, 0x01, 0x2a]);
  frame.writeUInt16LE(width, 6);
  frame.writeUInt16LE(height, 8);
  return frame;
}
const interframe = (mark: number): Buffer => Buffer.concat([Buffer.from([0x31]), Buffer.alloc(20, mark)]);

/** A frame in packets of `bytes` bytes, each with a descriptor of one byte. */
function packets(frame: Buffer, first: number, timestamp: number, bytes = 12): PicturePacket[] {
  const pieces = Array.from({ length: Math.ceil(frame.length / bytes) }, (_, at) =>
    frame.subarray(at * bytes, (at + 1) * bytes),
  );
  return pieces.map((piece, at) => ({
    sequenceNumber: (first + at) & 0xffff,
    timestamp,
    marker: at === pieces.length - 1,
    payload: Buffer.concat([Buffer.from([at === 0 ? 0x10 : 0x00]), piece]),
  }));
}
const take = (frames: PictureFrames, ...given: PicturePacket[]): PictureFrame[] =>
  given.flatMap((packet) => frames.take(packet));

test('frames are put together of their packets, also of those that overtook each other', () => {
  const [key, next] = [keyframe(1), interframe(2)];
  const [one, two, three] = packets(key, 65_534, 3000) as [PicturePacket, PicturePacket, PicturePacket];
  const frames = new PictureFrames();
  expect(take(frames, one, three)).toEqual([]);
  expect(take(frames, two)).toEqual([{ bytes: key, keyframe: true }]);
  expect(take(frames, ...packets(next, 1, 6000))).toEqual([{ bytes: next, keyframe: false }]);
  expect(frames.waits).toBe(false);
});

test('nothing is given before a frame that stands alone, nor after a loss', () => {
  const frames = new PictureFrames();
  expect(take(frames, ...packets(interframe(1), 10, 3000))).toEqual([]);
  expect(take(frames, ...packets(keyframe(2), 12, 6000))).toHaveLength(1);
  // Packet 15 never comes, though a sender would repeat it within forty packets.
  const later = Array.from({ length: 20 }, (_, at) => packets(interframe(3), 16 + 2 * at, 9000 + 3000 * at));
  expect(take(frames, ...later.flat())).toEqual([]);
  expect(frames.waits).toBe(true);
  const again = keyframe(4);
  expect(take(frames, ...packets(again, 56, 90_000)).map(({ bytes }) => bytes)).toEqual([again]);
});

test('a stream that goes on elsewhere begins anew with a frame that stands alone', () => {
  const frames = new PictureFrames();
  expect(take(frames, ...packets(keyframe(1), 10, 3000))).toHaveLength(1);
  expect(take(frames, ...packets(interframe(2), 30_000, 6000))).toEqual([]);
  expect(frames.waits).toBe(true);
});

test.each([
  ['no start code', Buffer.alloc(30, 0)],
  ['no width', keyframe(1, 0, 360)],
  ['more than is ever asked for', keyframe(1, 16_383, 16_383)],
  ['cut off', keyframe(1).subarray(0, 9)],
])('a frame that stands alone with %s is not recorded, nor what builds on it', (_what, frame) => {
  const frames = new PictureFrames();
  const shown = [...packets(frame, 10, 3000, 100), ...packets(interframe(2), 11, 6000, 100)];
  expect(take(frames, ...shown)).toEqual([]);
});

test('garbage of every length is taken without a frame', () => {
  const frames = new PictureFrames();
  for (let length = 0; length < 12; length += 1) {
    const payload = Buffer.alloc(length, 0xff);
    expect(frames.take({ sequenceNumber: length, timestamp: 0, marker: true, payload })).toEqual([]);
  }
});

test('a camera is put together only while somebody watches, asked for what is missing, and held to its bandwidth', () => {
  let asked = 0;
  const camera = new CameraReceiver(() => {
    asked += 1;
  });
  const seen: PictureFrame[] = [];
  for (const packet of packets(keyframe(1), 10, 3000)) camera.take(packet, 0);
  camera.watch((frame) => seen.push(frame));
  for (const packet of packets(interframe(2), 13, 6000)) camera.take(packet, 10);
  expect([seen.length, asked]).toEqual([0, 1]);
  for (const packet of packets(keyframe(3), 15, 9000)) camera.take(packet, 20);
  expect([seen.length, asked]).toEqual([1, 1]);
  camera.restart();
  for (const packet of packets(interframe(4), 18, 12_000)) camera.take(packet, 600);
  expect([seen.length, asked]).toEqual([1, 2]);
  // More than half a megabyte within one second.
  const flood = Buffer.concat([Buffer.from([0x10]), keyframe(5), Buffer.alloc(1000)]);
  for (let at = 0; at < 1000; at += 1)
    camera.take(
      { sequenceNumber: 20 + at, timestamp: 15_000 + at, marker: true, payload: flood },
      2000 + at / 1000,
    );
  expect(seen.length).toBeLessThan(520);
  expect(seen.length).toBeGreaterThan(400);
  camera.watch(undefined);
});
