import { describe, expect, test } from 'vitest';
import { cough, silence } from '../../bench/voice/support/caller-sounds.ts';
import {
  envelope,
  firstSilence,
  firstSound,
  lastSound,
  placeOf,
  quantile,
  soundBetween,
} from '../../bench/voice/support/sound-find.ts';
import { joined } from '../../packages/telephone-audio/src/sounds.fixture.ts';
import { tone } from '../support/voice/voice-peer.ts';

const STEP_MS = 5;

describe('the voice bench finds', () => {
  const levels = envelope(joined([silence(1.2), tone(300, 0.5), silence(0.8), tone(200, 0.25), silence(1)]));

  test('where sound begins and ends, to a block of 5 ms', () => {
    expect(firstSound(levels)).toBeCloseTo(1200, -1);
    expect(lastSound(levels)).toBeCloseTo(2750, -1);
    expect(firstSound(levels, 1750)).toBeCloseTo(2500, -1);
    expect(lastSound(levels, 2400)).toBeCloseTo(1700, -1);
    expect(firstSound(levels, 1800, 2400)).toBeUndefined();
    expect(lastSound(levels, 1100)).toBeUndefined();
  });

  test('silence of a given length, not the gap between two words', () => {
    expect(firstSilence(levels, 1300, 300)).toBeCloseTo(1700, -1);
    const words = envelope(joined([tone(300, 0.3), silence(0.1), tone(300, 0.3), silence(1)]));
    expect(firstSilence(words, 50, 300)).toBeCloseTo(700, -1);
    expect(firstSilence(envelope(tone(300, 1)), 0, 300)).toBeUndefined();
  });

  test('the share of sound in a stretch', () => {
    expect(soundBetween(levels, 0, 4000)).toBeCloseTo(750, -1.5);
    expect(soundBetween(levels, 1800, 2400)).toBe(0);
  });

  test('no sound in inaudible signals: a click, hiss at -60 dBFS', () => {
    const click = silence(1);
    click[8000] = 20_000;
    expect(firstSound(envelope(click))).toBeUndefined();
    expect(firstSound(envelope(tone(1000, 1, 30)))).toBeUndefined();
  });

  test('a clip in a recording that is quieter and noisier than it', () => {
    const clip = cough();
    const heard = joined([silence(2.31), clip.map((sample) => sample / 5), silence(2)]).map(
      (sample, at) => sample + ((at * 7919) % 61) - 30,
    );
    const { ms, likeness } = placeOf(envelope(clip), envelope(heard), 0, 4000);
    expect(Math.abs(ms - 2310)).toBeLessThanOrEqual(STEP_MS);
    expect(likeness).toBeGreaterThan(0.9);
    expect(placeOf(envelope(clip), envelope(tone(300, 5)), 0, 4000).likeness).toBeLessThan(0.8);
  });

  test('the value that a share of all values does not exceed', () => {
    const values = Array.from({ length: 20 }, (_, at) => 20 - at);
    expect(quantile(values, 0.95)).toBe(19);
    expect(quantile(values, 0.5)).toBe(10);
    expect(quantile([7], 0.95)).toBe(7);
  });
});
