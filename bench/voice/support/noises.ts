import { cough } from './caller-sounds.ts';
import { resample, withNoise } from './sound-change.ts';
import { RATE } from './sound-find.ts';

type Wave = (second: number) => number;

const tone =
  (...hertz: readonly number[]): Wave =>
  (second) =>
    hertz.reduce((sum, one) => sum + Math.sin(2 * Math.PI * one * second), 0) / hertz.length;
const during = (wave: Wave, on: number, off: number): Wave => {
  return (second) => (second % (on + off) < on ? wave(second) : 0);
};

function sound(seconds: number, level: number, wave: Wave): Int16Array {
  return Int16Array.from({ length: Math.round(seconds * RATE) }, (_, at) => {
    return Math.max(-32_767, Math.min(32_767, Math.round(level * wave(at / RATE))));
  });
}

/** The same random numbers in each run, -1 to 1 (Numerical Recipes' generator). */
function random(seed: number): Wave {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

/** Low-pass noise: with 0 it is white, with 0.99 a rumble. */
function smooth(seed: number, share: number): Wave {
  const draw = random(seed);
  let low = 0;
  return () => {
    low = share * low + Math.sqrt(1 - share * share) * draw(0);
    return low;
  };
}

/** A noise whose filter rises and falls, as wind and waves do. */
const swelling = (wave: Wave, hertz: number): Wave => {
  return (second) => wave(second) * (0.5 + 0.5 * Math.sin(2 * Math.PI * hertz * second));
};

const DTMF = [697, 770, 852, 941].flatMap((low) => [1209, 1336, 1477].map((high) => [low, high] as const));
const CHORDS = [
  [262, 330, 392],
  [349, 440, 523],
  [392, 494, 587],
];

/** Seventeen sounds of callers' rooms and lines without any words, mono, 16 000 samples a second. */
export function noises(): Readonly<Record<string, Int16Array>> {
  const coughing = cough();
  return {
    'half a second of silence': new Int16Array(RATE / 2),
    'six seconds of silence': new Int16Array(RATE * 6),
    'white noise': sound(3, 6000, random(1)),
    'pink noise': sound(3, 4000, smooth(2, 0.85)),
    'a rumble': sound(3, 8000, smooth(3, 0.995)),
    'faint hiss': withNoise(new Int16Array(RATE * 3), 0, 120),
    hum: sound(3, 3000, tone(50, 100, 150)),
    'a dial tone': sound(3, 5000, tone(350, 440)),
    'an engaged tone': sound(3, 5000, during(tone(400), 0.375, 0.375)),
    'keys of a telephone': sound(3, 6000, (second) => {
      const key = DTMF[Math.floor(second / 0.25) % DTMF.length] ?? [697, 1209];
      return during(tone(...key), 0.15, 0.1)(second);
    }),
    'chords of music': sound(4, 5000, (second) => tone(...(CHORDS[Math.floor(second) % 3] ?? []))(second)),
    'a cough': coughing,
    'a deep cough': resample(coughing, 11_000),
    'a siren': sound(3, 5000, (second) =>
      Math.sin(2 * Math.PI * 700 * second - 400 * Math.cos(Math.PI * second)),
    ),
    wind: sound(4, 9000, swelling(smooth(5, 0.98), 0.4)),
    typing: sound(3, 9000, during(random(6), 0.012, 0.17)),
    knocking: sound(3, 12_000, (second) => Math.exp(-(second % 0.4) / 0.03) * Math.sin(900 * (second % 0.4))),
  };
}
