import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SPEECH, SpeechMeter } from './speech-meter.ts';

let told: string[] = [];
let meter: SpeechMeter;

beforeEach(() => {
  vi.useFakeTimers();
  told = [];
  meter = new SpeechMeter({
    volume: (volume) => told.push(`volume ${volume}`),
    started: () => told.push('started'),
    ended: () => told.push('ended'),
  });
});
afterEach(() => vi.useRealTimers());

const speech = (): string[] => told.filter((word) => !word.startsWith('volume'));

test('the constants are those of the specification', () => {
  expect(SPEECH).toEqual({ threshold: 0.01, volumeDivisor: 0.15, silenceMs: 1000, observerMs: 100 });
});
test('the volume is told before the start of speech', () => {
  meter.update({ a: 0.15 });
  expect(told).toEqual(['volume 1', 'started']);
});
test.each([
  [{}, 0],
  [{ a: 0.075 }, 0.5],
  [{ a: 0.0375, b: 0.0375 }, 0.5],
  [{ a: 0.9 }, 1],
])('the volume of %j is %d', (levels, volume) => {
  meter.update(levels);
  expect(told[0]).toBe(`volume ${volume}`);
});
test('a sum of exactly 0.01 is silence; more is speech', () => {
  meter.update({ a: 0.01 });
  expect(speech()).toEqual([]);
  meter.update({ a: 0.005, b: 0.0051 });
  expect(speech()).toEqual(['started']);
});
test('speech ends 1000 ms after the last level above the threshold', () => {
  meter.update({ a: 0.2 });
  vi.advanceTimersByTime(900);
  meter.update({ a: 0.2 });
  vi.advanceTimersByTime(500);
  meter.update({ a: 0.001 });
  vi.advanceTimersByTime(499);
  expect(speech()).toEqual(['started']);
  vi.advanceTimersByTime(1);
  expect(speech()).toEqual(['started', 'ended']);
  meter.update({ a: 0.2 });
  expect(speech()).toEqual(['started', 'ended', 'started']);
});
test('stopping ends speech at once and only once', () => {
  meter.update({ a: 0.2 });
  meter.stop();
  meter.stop();
  vi.advanceTimersByTime(2000);
  expect(speech()).toEqual(['started', 'ended']);
});
