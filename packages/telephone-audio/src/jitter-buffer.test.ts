import { expect, test } from 'vitest';
import { meanOpinionScore } from './call-quality.ts';
import { JitterBuffer } from './jitter-buffer.ts';
import { LossConcealment } from './loss-concealment.ts';
import { shareOfTone, tone } from './sounds.fixture.ts';

/** Numbers between 0 and 1 that are the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Line {
  readonly packets: number;
  readonly loss: number;
  readonly jitterMs: number;
  readonly seed: number;
}

/**
 * A stream of `packets` packets: each is lost, or comes up to `jitterMs` later than the quickest; sound is
 * due every 20 ms.
 */
function simulated({ packets, loss, jitterMs, seed }: Line) {
  const chance = seeded(seed);
  const arrivals = Array.from({ length: packets }, (_, n) => ({
    n,
    at: n * 20 + chance() * jitterMs,
    lost: chance() < loss,
  }))
    .filter(({ lost }) => !lost)
    .sort((one, other) => one.at - other.at);
  const buffer = new JitterBuffer<{ n: number }>();
  const heard: (number | 'lost' | 'wait')[] = [];
  let at = 0;
  for (let now = 0; now < packets * 20 + 500; now += 20) {
    for (; (arrivals[at]?.at ?? Number.POSITIVE_INFINITY) <= now; at += 1) {
      const { n, at: arrivalMs } = arrivals[at] ?? { n: 0, at: 0 };
      buffer.put({ sequence: (65_000 + n) % 65_536, timeMs: n * 20, arrivalMs, payload: { n } }, 20);
    }
    const place = buffer.take();
    heard.push(typeof place === 'string' ? place : place.n);
  }
  const numbers = heard.filter((one): one is number => typeof one === 'number');
  return { buffer, heard, numbers, sent: packets - arrivals.length };
}

test('an even line is heard whole, in order, 40 ms late, over the end of the numbers', () => {
  const { heard, numbers, buffer } = simulated({ packets: 1000, loss: 0, jitterMs: 0, seed: 1 });
  expect(numbers).toEqual(Array.from({ length: 1000 }, (_, n) => n));
  expect(heard.indexOf(0)).toBeLessThanOrEqual(2);
  expect([buffer.lost, buffer.rejected, buffer.depth]).toEqual([0, 0, 2]);
});

test('what overtakes by 60 ms is put right, and almost nothing comes too late', () => {
  const { numbers, buffer } = simulated({ packets: 3000, loss: 0, jitterMs: 60, seed: 2 });
  expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
  expect(numbers.length).toBeGreaterThan(2970);
  expect(buffer.jitterMs).toBeGreaterThan(10);
  expect(buffer.depth).toBeGreaterThan(3);
  expect(buffer.depth).toBeLessThan(9);
});

test('5 % loss on an uneven line loses 5 %, and no more', () => {
  const { numbers, buffer, sent } = simulated({ packets: 3000, loss: 0.05, jitterMs: 40, seed: 3 });
  expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
  expect(3000 - numbers.length).toBeLessThan(sent + 30);
  expect(buffer.lost).toBeGreaterThan(120);
  expect(buffer.lost).toBeLessThan(190);
});

test('a line that becomes even gives its delay back', () => {
  const buffer = new JitterBuffer<{ n: number }>();
  const chance = seeded(4);
  let deepest = 0;
  for (let n = 0; n < 1500; n += 1) {
    const late = n < 300 ? chance() * 100 : 0;
    buffer.put({ sequence: n, timeMs: n * 20, arrivalMs: n * 20 + late, payload: { n } }, 20);
    buffer.take();
    deepest = Math.max(deepest, buffer.depth);
  }
  expect(deepest).toBeGreaterThan(5);
  expect(buffer.depth).toBeLessThan(4);
});

test('what came twice is heard once; a jump begins anew; a pause is no loss', () => {
  const buffer = new JitterBuffer<{ n: number }>();
  const put = (n: number): void =>
    buffer.put({ sequence: n, timeMs: undefined, arrivalMs: 0, payload: { n } }, 20);
  for (const n of [1, 2, 2, 3]) put(n);
  expect([buffer.take(), buffer.take(), buffer.take()]).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect(buffer.rejected).toBe(1);
  for (let n = 0; n < 20; n += 1) buffer.take();
  expect(buffer.take()).toBe('wait');
  for (const n of [4, 5]) put(n);
  expect([buffer.take(), buffer.take()]).toEqual([{ n: 4 }, { n: 5 }]);
  for (const n of [30_000, 30_001]) put(n);
  expect(buffer.take()).toEqual({ n: 30_000 });
  expect(buffer.lost).toBe(0);
});

test('a lost packet in a vowel is not heard as a hole, and a long loss fades into silence', () => {
  const concealment = new LossConcealment();
  const third = tone(450, 1);
  const voice = tone(150, 1).map((sample, n) => (sample + (third[n] ?? 0)) / 2);
  for (let at = 0; at < 9600; at += 320) concealment.hear(voice.slice(at, at + 320));
  const made = concealment.conceal();
  expect(shareOfTone(made, 150) + shareOfTone(made, 450)).toBeGreaterThan(0.9);
  const level = (pcm: Int16Array): number =>
    Math.sqrt(pcm.reduce((sum, one) => sum + one * one, 0) / pcm.length);
  expect(level(made) / level(voice)).toBeGreaterThan(0.7);
  // Neither seam has a larger step than the sound itself.
  const steepest = voice.reduce((most, one, n) => Math.max(most, Math.abs(one - (voice[n - 1] ?? one))), 0);
  expect(Math.abs((made[0] ?? 0) - (voice[9599] ?? 0))).toBeLessThan(2 * steepest);
  const back = concealment.hear(voice.slice(9920, 10_240));
  expect(Math.abs((back[0] ?? 0) - (made[319] ?? 0))).toBeLessThan(2 * steepest);
  for (let n = 0; n < 3; n += 1) concealment.conceal();
  expect(Math.max(...concealment.conceal())).toBe(0);
});

test('the score of a line is that of ITU-T G.107', () => {
  expect(meanOpinionScore(0, 0)).toBe(4.41);
  expect(meanOpinionScore(0, 100)).toBeGreaterThan(4.3);
  expect(meanOpinionScore(3, 100)).toBeGreaterThan(3.9);
  expect(meanOpinionScore(3, 400)).toBeLessThan(3.2);
  expect(meanOpinionScore(100, 1000)).toBe(1);
});
