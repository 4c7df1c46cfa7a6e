import { expect, test } from 'vitest';
import { createSoundCodec } from './codecs/sound-codec.ts';
import { KEYS, keySound, ToneDetector, toneFrames } from './dtmf-tones.ts';
import { joined, tone } from './sounds.fixture.ts';
import { readToneEvent, writeToneEvent } from './tone-event.ts';

const soundOf = (digits: string): Int16Array =>
  joined(
    toneFrames(digits).map((frame) =>
      frame === 'pause' ? new Int16Array(320) : keySound(frame.key, frame.part),
    ),
  );

test('every key is found in its sound once, also through a telephone line and noise', async () => {
  expect(new ToneDetector().push(soundOf(KEYS)).join('')).toBe(KEYS);
  const line = await createSoundCodec('PCMA');
  const sound = soundOf('1155#');
  const noisy = Int16Array.from(sound, (sample, n) => sample / 8 + ((n * 7919) % 301) - 150);
  const heard: Int16Array[] = [];
  for (let at = 0; at < noisy.length; at += 320)
    heard.push(line.decode(line.encode(noisy.slice(at, at + 320))) ?? new Int16Array(320));
  expect(new ToneDetector().push(joined(heard)).join('')).toBe('1155#');
});

test('a voice, a single tone and noise are no keys', () => {
  const voice = Int16Array.from({ length: 32_000 }, (_, n) =>
    [1, 2, 3, 4, 5, 6, 7, 8].reduce(
      (sum, harmonic) =>
        sum + (4000 / harmonic) * Math.sin((2 * Math.PI * harmonic * (120 + n / 400) * n) / 16_000),
      0,
    ),
  );
  const noise = Int16Array.from(
    { length: 16_000 },
    (_, n) => ((Math.imul(n, 2_654_435_761) >>> 16) & 0x3fff) - 0x2000,
  );
  for (const sound of [voice, noise, tone(770, 0.5), tone(1336, 0.5)])
    expect(new ToneDetector().push(sound)).toEqual([]);
});

test('keys are dialled for 100 ms each, pauses are kept, and anything else is refused', () => {
  expect(toneFrames('1')).toHaveLength(9);
  expect(toneFrames('1w2')).toHaveLength(9 + 25 + 9);
  expect(toneFrames('a,')[0]).toEqual({ key: 'A', part: 0, last: false });
  for (const wrong of ['', '12x', '+44', '1'.repeat(65)])
    expect(() => toneFrames(wrong)).toThrow(expect.objectContaining({ status: 400, code: 'bad_tones' }));
});

test('a named tone is read as it was written, and what is none is not', () => {
  for (const key of KEYS)
    expect(readToneEvent(writeToneEvent({ key, end: true, duration: 800 }))).toEqual({
      key,
      end: true,
      duration: 800,
    });
  expect(readToneEvent(Uint8Array.of(16, 0, 0, 0))).toBeUndefined();
  expect(readToneEvent(Uint8Array.of(1, 0, 0))).toBeUndefined();
});
