import { expect, test } from 'vitest';
import { createOfficeSound } from './office-sound.server.ts';

/** An office of that many seconds. */
function office(seed: number, seconds: number): Int16Array {
  const next = createOfficeSound(seed);
  const pcm = new Int16Array(seconds * 16_000);
  for (let at = 0; at < pcm.length; at += 320) pcm.set(next(), at);
  return pcm;
}

const levelOf = (pcm: Int16Array): number =>
  Math.sqrt(pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length);

test('an office is as loud as a quiet room in each second, and never near the loudness of words', () => {
  for (const seed of [1, 77, 123_456]) {
    const pcm = office(seed, 20);
    for (let at = 0; at < pcm.length; at += 16_000) {
      const level = levelOf(pcm.subarray(at, at + 16_000));
      expect(level).toBeGreaterThan(80);
      expect(level).toBeLessThan(300);
    }
    expect(pcm.reduce((most, sample) => Math.max(most, sample), 0)).toBeLessThan(1500);
  }
});

test('nothing of an office comes again, and no two calls have the same one', () => {
  const seen = new Set<string>();
  for (const seed of [1, 2]) {
    const pcm = office(seed, 30);
    for (let at = 0; at < pcm.length; at += 160) seen.add(pcm.subarray(at, at + 160).join());
  }
  expect(seen.size).toBe((2 * 30 * 16_000) / 160);
  const [one, other] = [createOfficeSound()(), createOfficeSound()()];
  expect(one.join()).not.toBe(other.join());
});
