import { expect, test } from 'vitest';
import { transformFourier } from './fourier-transform.ts';

const LENGTH = 64;

/** The definition of the transform, term by term. */
function slowTransform(samples: readonly number[]): { real: number[]; imaginary: number[] } {
  const sum = (bin: number, part: (angle: number) => number): number =>
    samples.reduce((total, sample, n) => total + sample * part((-2 * Math.PI * bin * n) / samples.length), 0);
  return {
    real: samples.map((_, bin) => sum(bin, Math.cos)),
    imaginary: samples.map((_, bin) => sum(bin, Math.sin)),
  };
}

test('the fast transform equals the definition, and its inverse gives the samples back', () => {
  const samples = Array.from(
    { length: LENGTH },
    (_, n) => Math.sin(n) + 0.3 * Math.cos(2.7 * n) + n / LENGTH,
  );
  const real = Float64Array.from(samples);
  const imaginary = new Float64Array(LENGTH);
  transformFourier(real, imaginary, 'forward');
  const slow = slowTransform(samples);
  for (let bin = 0; bin < LENGTH; bin += 1) {
    expect(real[bin]).toBeCloseTo(slow.real[bin] ?? Number.NaN, 8);
    expect(imaginary[bin]).toBeCloseTo(slow.imaginary[bin] ?? Number.NaN, 8);
  }
  transformFourier(real, imaginary, 'inverse');
  for (const [n, sample] of samples.entries()) expect((real[n] ?? 0) / LENGTH).toBeCloseTo(sample, 10);
});
