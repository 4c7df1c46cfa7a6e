/** Taps on each side of the middle: flat to 3.4 kHz, 60 dB down from 4.6 kHz on. */
const HALF = 31;

/** Half-band low-pass at 4 kHz for 16 kHz, Blackman window; every other tap is zero. */
const FILTER = Float64Array.from({ length: 2 * HALF + 1 }, (_, at) => {
  const x = at - HALF;
  const sinc = x === 0 ? 0.5 : Math.sin((Math.PI * x) / 2) / (Math.PI * x);
  const turn = (Math.PI * at) / HALF;
  return sinc * (0.42 - 0.5 * Math.cos(turn) + 0.08 * Math.cos(2 * turn));
});

const toSample = (value: number): number => Math.max(-32768, Math.min(32767, Math.round(value)));

/** Turns a stream of 8 kHz into one of 16 kHz: two samples for each, with a delay of 1.9 ms. */
export function createRateDoubler(): (pcm: Int16Array) => Int16Array {
  let past = new Int16Array(HALF + 1);
  return (pcm) => {
    const all = appended(past, pcm);
    const out = new Int16Array(pcm.length * 2);
    for (let n = 0; n < out.length; n += 1) {
      // At 16 kHz every other sample is zero, so only taps of one parity count; doubled to keep the level.
      let sum = 0;
      for (let tap = n & 1; tap < FILTER.length; tap += 2)
        sum += (all[past.length + ((n - tap) >> 1)] ?? 0) * (FILTER[tap] ?? 0);
      out[n] = toSample(2 * sum);
    }
    past = all.slice(-past.length);
    return out;
  };
}

/**
 * Turns a stream of 16 kHz into one of 8 kHz, an even number of samples each time; removes what lies above 4
 * kHz.
 */
export function createRateHalver(): (pcm: Int16Array) => Int16Array {
  let past = new Int16Array(2 * HALF + 1);
  return (pcm) => {
    const all = appended(past, pcm);
    const out = new Int16Array(pcm.length >> 1);
    for (let n = 0; n < out.length; n += 1) {
      let sum = 0;
      for (let tap = 0; tap < FILTER.length; tap += 1)
        sum += (all[past.length + 2 * n - tap] ?? 0) * (FILTER[tap] ?? 0);
      out[n] = toSample(sum);
    }
    past = all.slice(-past.length);
    return out;
  };
}

function appended(past: Int16Array, pcm: Int16Array): Int16Array<ArrayBuffer> {
  const all = new Int16Array(past.length + pcm.length);
  all.set(past);
  all.set(pcm, past.length);
  return all;
}
