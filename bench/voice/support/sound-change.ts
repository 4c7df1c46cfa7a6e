/** Changes that callers' lines and rooms make to sound: all of it mono, 16 000 samples a second. */

const RATE = 16_000;
/** Taps of a low-pass on each side of its middle. */
const HALF = 32;
const PEAK = 32767;

/**
 * The same sound at another sample rate (windowed sinc); a deliberately wrong `from` changes speed and pitch.
 */
export function resample(pcm: Int16Array, from: number, to: number = RATE): Int16Array<ArrayBuffer> {
  if (from === to) return Int16Array.from(pcm);
  const step = from / to;
  const cut = Math.min(1, to / from);
  const half = HALF / cut;
  return Int16Array.from({ length: Math.floor(pcm.length / step) }, (_, at) => {
    const middle = at * step;
    let sum = 0;
    for (let place = Math.ceil(middle - half); place <= middle + half; place++) {
      const x = (place - middle) * cut;
      const sinc = x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
      sum += (pcm[place] ?? 0) * sinc * cut * (0.5 + 0.5 * Math.cos((Math.PI * (place - middle)) / half));
    }
    return clip(sum);
  });
}

/**
 * The sound after a telephone line: 8000 samples a second, 300 Hz and up, eight bits by the μ-law (ITU-T
 * G.711).
 */
export function overTelephone(pcm: Int16Array): Int16Array<ArrayBuffer> {
  let low = 0;
  const smooth = 1 - Math.exp((-2 * Math.PI * 200) / 8000);
  const line = resample(pcm, RATE, 8000).map((sample) => {
    low += smooth * (sample - low);
    return muLaw(sample - low);
  });
  return resample(line, 8000);
}

/** Encodes and decodes by the fifteen segments of the μ-law. */
function muLaw(sample: number): number {
  const compressed = Math.log1p((255 * Math.min(PEAK, Math.abs(sample))) / PEAK) / Math.log(256);
  const coded = Math.round(compressed * 127) / 127;
  return clip((Math.sign(sample) * PEAK * (256 ** coded - 1)) / 255);
}

/** The same sound louder by `decibels`, clipped where it is too loud. */
export function louder(pcm: Int16Array, decibels: number): Int16Array<ArrayBuffer> {
  const factor = 10 ** (decibels / 20);
  return Int16Array.from(pcm, (sample) => clip(sample * factor));
}

/** Pink-like noise of a room, `decibels` below the speech, also in the silence around it. */
export function withNoise(pcm: Int16Array, decibels: number, level: number): Int16Array<ArrayBuffer> {
  const loud = level / 10 ** (decibels / 20);
  let seed = 1;
  let low = 0;
  return Int16Array.from(pcm, (sample) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    low = 0.85 * low + (seed / 2 ** 31 - 1);
    return clip(sample + low * loud * 0.91);
  });
}

/** Root mean square of the parts with sound. */
export function levelOf(pcm: Int16Array): number {
  let energy = 0;
  let count = 0;
  for (let at = 0; at + 160 <= pcm.length; at += 160) {
    const part = pcm.subarray(at, at + 160).reduce((sum, sample) => sum + sample * sample, 0) / 160;
    if (part < 10_000) continue;
    energy += part;
    count++;
  }
  return Math.sqrt(energy / Math.max(1, count));
}

function clip(sample: number): number {
  return Math.max(-PEAK, Math.min(PEAK, Math.round(sample)));
}
