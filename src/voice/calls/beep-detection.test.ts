import { expect, test } from 'vitest';
import { overTelephone } from '../../../bench/voice/support/sound-change.ts';
import { joined } from '../../../packages/telephone-audio/src/sounds.fixture.ts';
import { tone } from '../../../tests/support/voice/voice-peer.ts';
import { BeepDetection } from './beep-detection.server.ts';

const WINDOW = 512;

/** Lengths of the tones that are found in a sound, ms. */
function beepsIn(pcm: Int16Array): number[] {
  const detection = new BeepDetection();
  const found: number[] = [];
  for (let at = 0; at + WINDOW <= pcm.length; at += WINDOW)
    found.push(...[detection.take(pcm.subarray(at, at + WINDOW))].filter((ms) => ms !== undefined));
  return found;
}

const silence = new Int16Array(4800);
const beep = (hertz: number, seconds: number) => joined([silence, tone(hertz, seconds), silence]);

test.each([440, 850, 1000, 1406, 2000])(
  'a tone of %d Hz is found when it ends, by telephone too',
  (hertz) => {
    for (const sound of [beep(hertz, 0.5), overTelephone(beep(hertz, 0.5))]) {
      const [ms = 0, ...others] = beepsIn(sound);
      expect(others).toEqual([]);
      expect(Math.abs(ms - 500)).toBeLessThanOrEqual(64);
    }
  },
);

test('keys, noise, silence, clicks and tones that are too faint are none', () => {
  const other = tone(1336, 0.5);
  const key = tone(941, 0.5).map((sample, at) => sample / 2 + (other[at] ?? 0) / 2);
  const noise = Int16Array.from({ length: 16_000 }, (_, at) => ((at * 7919) % 8001) - 4000);
  const faint = beep(1000, 0.5).map((sample) => sample / 400);
  for (const sound of [joined([key, silence]), noise, silence, beep(1000, 0.04), faint])
    expect(beepsIn(sound)).toEqual([]);
});
