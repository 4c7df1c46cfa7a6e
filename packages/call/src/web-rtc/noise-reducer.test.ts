import { expect, test } from 'vitest';
import { NoiseReducer } from './noise-reducer.ts';

const RATE = 48_000;
const power = (samples: Float32Array): number =>
  samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
/** The same noise in every run. */
function noise(seconds: number, amplitude: number): Float32Array {
  let state = 12_345;
  return Float32Array.from({ length: RATE * seconds }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return ((state / 0xffffffff) * 2 - 1) * amplitude;
  });
}
function inBlocks(reducer: NoiseReducer, samples: Float32Array): Float32Array {
  const out = new Float32Array(samples.length);
  for (let at = 0; at < samples.length; at += 128)
    out.set(reducer.process(samples.subarray(at, at + 128)), at);
  return out;
}

test('steady noise is turned down by more than 12 dB', () => {
  const noisy = noise(4, 0.05);
  const out = inBlocks(new NoiseReducer(), noisy);
  expect(10 * Math.log10(power(out.subarray(3 * RATE)) / power(noisy.subarray(3 * RATE)))).toBeLessThan(-12);
});

test('syllables over noise keep their level within 1.5 dB', () => {
  const floor = noise(4, 0.01);
  const noisy = floor.map((sample, n) => {
    const syllable = n > 2 * RATE && Math.floor(n / (RATE / 5)) % 2 === 0;
    return sample + (syllable ? 0.3 * Math.sin((2 * Math.PI * 700 * n) / RATE) : 0);
  });
  const out = inBlocks(new NoiseReducer(), noisy);
  const change = 10 * Math.log10(power(out.subarray(2.4 * RATE)) / power(noisy.subarray(2.4 * RATE)));
  expect(Math.abs(change)).toBeLessThan(1.5);
});

test('after silence the sound comes out as it went in, 512 samples later', () => {
  const noisy = Float32Array.from({ length: 14_400 }, (_, n) =>
    n < 9600 ? 0 : 0.5 * Math.sin((2 * Math.PI * 1000 * n) / RATE),
  );
  const out = inBlocks(new NoiseReducer(), noisy);
  for (let n = 12_800; n < 12_900; n += 1) expect(out[n]).toBeCloseTo(noisy[n - 512] ?? 0, 1);
});
