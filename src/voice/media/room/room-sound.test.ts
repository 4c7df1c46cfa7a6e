import { describe, expect, test } from 'vitest';
import { loudness } from '../loudness.server.ts';
import { ActiveSpeaker } from './active-speaker.server.ts';
import { SoundMix } from './sound-mix.server.ts';

const sound = (value: number, samples = 320): Int16Array => new Int16Array(samples).fill(value);

describe('everybody as one', () => {
  test('is the sum of those who have sound, cut off where it is too loud, and silence otherwise', () => {
    const mix = new SoundMix();
    expect(mix.next()).toEqual(sound(0));
    mix.push('ann', sound(1000));
    mix.push('bob', sound(200, 100));
    expect(mix.next()).toEqual(sound(1000));
    mix.push('bob', sound(200, 220));
    expect(mix.next()).toEqual(sound(200));
    mix.push('ann', sound(30_000));
    mix.push('bob', sound(30_000));
    expect(mix.next()).toEqual(sound(32_767));
  });
  test('keeps a fifth of a second of each, and nothing of who left', () => {
    const mix = new SoundMix();
    for (let at = 1; at <= 20; at += 1) mix.push('ann', sound(at));
    expect(mix.next()).toEqual(sound(11));
    mix.leave('ann');
    expect(mix.next()).toEqual(sound(0));
  });
});

describe('who has the floor', () => {
  const LOUD = 0.2;
  test('is who speaks first, and another only when clearly louder and after a second', () => {
    const speaker = new ActiveSpeaker();
    expect(speaker.hear('ann', 0.001, 0)).toBe(false);
    expect(speaker.hear('ann', LOUD, 20)).toBe(true);
    expect(speaker.hear('bob', LOUD * 5, 40)).toBe(false);
    expect(speaker.hear('ann', LOUD, 1100)).toBe(false);
    expect(speaker.hear('bob', LOUD, 1120)).toBe(false);
    expect(speaker.hear('bob', LOUD * 2, 1140)).toBe(true);
    expect(speaker.speaker).toBe('bob');
  });
  test('goes to who speaks when the other has been quiet, and stays with the last', () => {
    const speaker = new ActiveSpeaker();
    speaker.hear('ann', LOUD, 0);
    expect(speaker.hear('bob', LOUD / 2, 3000)).toBe(true);
    expect(speaker.hear('ann', 0, 9000)).toBe(false);
    expect(speaker.speaker).toBe('bob');
    speaker.leave('bob');
    expect(speaker.speaker).toBeUndefined();
    expect(speaker.hear('ann', LOUD, 9020)).toBe(true);
  });
  test('loudness is the root of the mean square', () => {
    expect(loudness(sound(0))).toBe(0);
    expect(loudness(new Int16Array(0))).toBe(0);
    expect(loudness(sound(16_384))).toBe(0.5);
  });
});
