import { expect, test } from 'vitest';
import { PICTURE } from '../../../../tests/support/voice/voice-peer.ts';
import type { PictureFrame } from '../picture-frames.server.ts';
import { RoomCamera } from './room-camera.server.ts';

/** A packet that holds a whole frame (RFC 7741 §4.2): it begins the frame and ends it. */
const packet = (sequenceNumber: number, frame: Buffer) => ({
  ...{ sequenceNumber, timestamp: sequenceNumber * 3000, marker: true },
  payload: Buffer.concat([Buffer.from([0x10]), frame]),
});
const CHANGE = Buffer.from([0x11, 1, 2, 3]);

test('of several sizes one is taken; another begins anew, with a frame that stands alone; nobody watching takes none', () => {
  let layer = 1;
  const asked: number[] = [];
  const seen: PictureFrame[] = [];
  const camera = new RoomCamera({
    layer: () => layer,
    requestKeyframe: (of) => asked.push(of),
  });
  camera.take(1, packet(1, PICTURE));
  expect([seen.length, asked]).toEqual([0, []]);
  camera.watch((frame) => seen.push(frame));
  camera.take(0, packet(100, PICTURE));
  camera.take(1, packet(2, PICTURE));
  camera.take(2, packet(200, PICTURE));
  camera.take(1, packet(3, CHANGE));
  expect(seen.map(({ keyframe }) => keyframe)).toEqual([true, false]);
  // The larger size has stopped; the smaller one has sequence numbers of its own.
  layer = 0;
  camera.take(0, packet(101, CHANGE));
  expect([seen.length, asked]).toEqual([2, [0]]);
  camera.take(0, packet(102, PICTURE));
  camera.take(1, packet(4, CHANGE));
  camera.take(0, packet(103, CHANGE));
  expect(seen.map(({ keyframe }) => keyframe)).toEqual([true, false, true, false]);
  camera.watch(undefined);
  camera.take(0, packet(104, PICTURE));
  expect(seen).toHaveLength(4);
});
