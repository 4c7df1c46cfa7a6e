import { expect, test } from 'vitest';
import { EchoGate } from './echo-gate.server.ts';

const RATE = 16_000;
const FRAME = 320;
const WINDOW = 512;

/** Noise in syllables of 200 ms with pauses, as loud as speech; the same for the same seed. */
function syllables(seconds: number, loudness: number, seed: number): Int16Array {
  let state = seed;
  return Int16Array.from({ length: seconds * RATE }, (_, at) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const within = (at / RATE / 0.25 + seed / 10) % 1;
    return within > 0.8 ? 0 : loudness * Math.sin(Math.PI * within) * (state / 2 ** 31 - 1);
  });
}

/** Which windows count as echo while `played` is sent and `microphone` arrives. */
function judged(gate: EchoGate, played: Int16Array, microphone: Int16Array): boolean[] {
  const echoes: boolean[] = [];
  let sent = 0;
  for (let at = 0; at + WINDOW <= microphone.length; at += WINDOW) {
    for (; sent + FRAME <= at + WINDOW; sent += FRAME) gate.played(played.slice(sent, sent + FRAME));
    echoes.push(gate.isEcho(microphone.slice(at, at + WINDOW)));
  }
  return echoes;
}

/** `sound` as it comes back: later and quieter. */
function comesBack(sound: Int16Array, factor: number, ms: number): Int16Array {
  const late = new Int16Array(sound.length);
  for (let at = (ms * RATE) / 1000; at < sound.length; at += 1)
    late[at] = factor * (sound[at - (ms * RATE) / 1000] ?? 0);
  return late;
}

const mixed = (a: Int16Array, b: Int16Array): Int16Array => a.map((sample, at) => sample + (b[at] ?? 0));
const share = (windows: readonly boolean[]): number => windows.filter(Boolean).length / windows.length;

test.each([0, 60, 180, 320])(
  'the own voice 20 dB down and %d ms late is echo from the first window',
  (late) => {
    const played = syllables(8, 12_000, 7);
    expect(share(judged(new EchoGate(), played, comesBack(played, 0.1, late)))).toBe(1);
  },
);

test('a caller who speaks over the own voice is heard', () => {
  const played = syllables(8, 12_000, 7);
  const gate = new EchoGate();
  judged(gate, played, comesBack(played, 0.1, 120));
  const both = mixed(comesBack(played, 0.1, 120), syllables(8, 8000, 3)).slice(0, RATE);
  expect(share(judged(gate, played, both))).toBeLessThan(0.35);
});

test('without an echo a quiet caller is heard over the assistant', () => {
  const played = syllables(4, 12_000, 7);
  const gate = new EchoGate();
  judged(gate, played, new Int16Array(played.length));
  expect(share(judged(gate, played, syllables(1, 900, 3)))).toBeLessThan(0.3);
});

test('nothing is echo while the assistant is silent', () => {
  const gate = new EchoGate();
  const whisper = syllables(2, 200, 3);
  expect(share(judged(gate, new Int16Array(whisper.length), whisper))).toBe(0);
});
