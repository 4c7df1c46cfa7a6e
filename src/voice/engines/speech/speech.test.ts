import { afterAll, describe, expect, test } from 'vitest';
import { createSpeaker, FLITE_VOICES, type FliteVoice } from './speech-client.server.ts';
import { readWave, writeWave } from './wave-file.server.ts';

const RATE = 16_000;
const speaker = createSpeaker();
// The speaker's worker does not keep a process alive; this timer does.
const awake = setInterval(() => {}, 60_000);
afterAll(async () => {
  clearInterval(awake);
  await speaker.close();
});

async function said(sentence: string, voice: FliteVoice = 'slt'): Promise<Int16Array[]> {
  const pieces: Int16Array[] = [];
  for await (const pcm of speaker.open(voice).speak(sentence, new AbortController().signal)) pieces.push(pcm);
  return pieces;
}

/** Root mean square of the 10 ms at `at`. */
function levelAt(pcm: Int16Array, at: number): number {
  const part = pcm.subarray(at, at + RATE / 100);
  return Math.sqrt(part.reduce((sum, sample) => sum + sample * sample, 0) / part.length);
}

describe('WAVE files', () => {
  const sound = Int16Array.from({ length: 400 }, (_, at) => at * 50 - 10_000);

  test('are read as they were written, also out of a buffer that holds more', () => {
    const file = writeWave([sound.subarray(0, 100), sound.subarray(100)]);
    const pool = Buffer.concat([Buffer.alloc(1000, 7), file, Buffer.alloc(1000, 7)]);
    for (const one of [file, pool.subarray(1000, 1000 + file.length), new Uint8Array(file)])
      expect(readWave(one)).toEqual({ pcm: sound, samplesPerSecond: RATE });
  });

  test('that are none, or hold anything else, are refused', () => {
    expect(() => readWave(Buffer.from('no sound at all, and long enough for it'))).toThrow('no WAVE file');
    const stereo = writeWave([sound]);
    stereo.writeUInt16LE(8, 34);
    expect(() => readWave(stereo)).toThrow('16-bit mono');
  });
});

describe('the embedded voice', () => {
  test.each(FLITE_VOICES)(
    '%s begins softly and soon, and ends softly: no click, no hesitation',
    async (voice) => {
      const [pcm = new Int16Array(0)] = await said('Yes, of course.', voice);
      expect(Math.abs(pcm[0] ?? 1e6)).toBeLessThan(400);
      expect(Math.abs(pcm.at(-1) ?? 1e6)).toBeLessThan(400);
      const first = Array.from({ length: 20 }, (_, at) => levelAt(pcm, (at * RATE) / 100));
      expect(first.findIndex((level) => level > 160)).toBeGreaterThanOrEqual(1);
      expect(first.findIndex((level) => level > 160)).toBeLessThan(6);
      expect(pcm.length / RATE).toBeLessThan(2);
    },
  );

  test('a word is as long as a word', async () => {
    const seconds = (await said('Okay.')).reduce((sum, pcm) => sum + pcm.length, 0) / RATE;
    expect(seconds).toBeGreaterThan(0.2);
    expect(seconds).toBeLessThan(1);
  });

  test('there is a breath between two sentences', async () => {
    const pieces = await said('I answer day and night, as you know. My colleagues are there on weekdays.');
    expect(pieces).toHaveLength(3);
    expect(pieces[1]?.every((sample) => sample === 0)).toBe(true);
  });
});
