import { expect, test } from 'vitest';
import { shareOfTone } from '../../../../tests/support/voice/voice-peer.ts';
import { FrameCut, levelOf, mixFrame, PlayQueue, RateChange, readFrame } from './headset-sound.web.ts';

/** One second of a tone of `hertz` at a rate, ±0.5. */
const sine = (hertz: number, rate: number): Float32Array =>
  Float32Array.from({ length: rate }, (_, n) => 0.5 * Math.sin((2 * Math.PI * hertz * n) / rate));
const inBlocks = (samples: Float32Array, work: (block: Float32Array) => void): void => {
  for (let at = 0; at < samples.length; at += 128) work(samples.subarray(at, at + 128));
};
const as16 = (samples: readonly number[]): Int16Array => Int16Array.from(samples, (one) => one * 32_767);

test.each([44_100, 48_000, 16_000, 8000])(
  'a microphone of %d samples a second becomes frames of 20 ms',
  (rate) => {
    const change = new RateChange(rate, 16_000);
    const cut = new FrameCut();
    const frames: Int16Array[] = [];
    inBlocks(sine(440, rate), (block) => frames.push(...cut.take(change.take(block))));
    expect(Math.abs(frames.length - 50)).toBeLessThanOrEqual(1);
    expect(frames.every(({ length }) => length === 320)).toBe(true);
    const whole = Int16Array.from(frames.flatMap((frame) => [...frame]));
    expect(shareOfTone(whole.subarray(0, 15_200), 440)).toBeGreaterThan(0.95);
    expect(levelOf(Float32Array.from(whole, (sample) => sample / 32_768))).toBeCloseTo(0.35, 1);
  },
);

test('what is louder than full is cut off, not turned over', () => {
  expect(new FrameCut().take(new Float32Array(320).fill(3))).toEqual([new Int16Array(320).fill(32_767)]);
});

test('a call is played at the rate of the page, and a little is kept back against an uneven network', () => {
  const change = new RateChange(16_000, 48_000);
  const queue = new PlayQueue(48_000);
  const block = new Float32Array(128);
  const sound = sine(440, 16_000);
  queue.add(change.take(sound.subarray(0, 320)));
  queue.fill(block);
  expect(levelOf(block)).toBe(0);
  for (let at = 320; at < 6400; at += 320) queue.add(change.take(sound.subarray(at, at + 320)));
  const played: number[] = [];
  for (let n = 0; n < 140; n += 1) {
    queue.fill(block);
    played.push(...block);
  }
  const atThird = as16(played.filter((_, n) => n % 3 === 0)).subarray(0, 5600);
  expect(shareOfTone(atThird, 440)).toBeGreaterThan(0.95);
  for (let n = 0; n < 40; n += 1) queue.fill(block);
  expect(levelOf(block)).toBe(0);
});

test('what waits for too long is dropped', () => {
  const queue = new PlayQueue(16_000);
  for (let n = 0; n < 50; n += 1) queue.add(new Float32Array(320).fill(n));
  const block = new Float32Array(128);
  queue.fill(block);
  // More than 0.4 s waited twice.
  expect(block[0]).toBeGreaterThan(20);
});

test('both sides are read, and whoever speaks does not hear themselves', () => {
  const stereo = new Int16Array([16_384, -8192, 16_384, -8192]);
  const frame = readFrame(stereo.buffer);
  expect([...frame.caller, ...frame.assistant]).toEqual([0.5, 0.5, -0.25, -0.25]);
  expect([...mixFrame(frame, false)]).toEqual([0.25, 0.25]);
  expect([...mixFrame(frame, true)]).toEqual([0.5, 0.5]);
  expect(levelOf(new Float32Array(0))).toBe(0);
});
