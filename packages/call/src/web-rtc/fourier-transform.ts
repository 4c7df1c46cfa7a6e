/**
 * The fast Fourier transform of Cooley and Tukey, in place and unscaled: forward and inverse multiply by the
 * length.
 *
 * @param real real parts; their number is a power of two
 * @param imaginary imaginary parts, the same number of them
 */
export function transformFourier(
  real: Float64Array,
  imaginary: Float64Array,
  direction: 'forward' | 'inverse',
): void {
  orderByReversedBits(real, imaginary);
  const turn = direction === 'forward' ? -2 * Math.PI : 2 * Math.PI;
  for (let span = 2; span <= real.length; span *= 2) {
    for (let start = 0; start < real.length; start += span)
      combineHalves(real.subarray(start, start + span), imaginary.subarray(start, start + span), turn / span);
  }
}

function orderByReversedBits(real: Float64Array, imaginary: Float64Array): void {
  let reversed = 0;
  for (let index = 1; index < real.length; index += 1) {
    let bit = real.length >> 1;
    for (; reversed & bit; bit >>= 1) reversed ^= bit;
    reversed ^= bit;
    if (index >= reversed) continue;
    [real[index], real[reversed]] = [real[reversed] ?? 0, real[index] ?? 0];
    [imaginary[index], imaginary[reversed]] = [imaginary[reversed] ?? 0, imaginary[index] ?? 0];
  }
}

/** Combines the transforms of the even and the odd places, which are in the two halves. */
function combineHalves(real: Float64Array, imaginary: Float64Array, angle: number): void {
  const half = real.length / 2;
  for (let even = 0; even < half; even += 1) {
    const odd = even + half;
    const cos = Math.cos(angle * even);
    const sin = Math.sin(angle * even);
    const re = (real[odd] ?? 0) * cos - (imaginary[odd] ?? 0) * sin;
    const im = (real[odd] ?? 0) * sin + (imaginary[odd] ?? 0) * cos;
    real[odd] = (real[even] ?? 0) - re;
    imaginary[odd] = (imaginary[even] ?? 0) - im;
    real[even] = (real[even] ?? 0) + re;
    imaginary[even] = (imaginary[even] ?? 0) + im;
  }
}
