import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { joined, shareOfTone, tone } from '../sounds.fixture.ts';
import { decodeG711, encodeG711, type G711Law } from './g711-codec.ts';
import { createG722Decoder, createG722Encoder } from './g722-codec.ts';
import { createRateDoubler, createRateHalver } from './rate-doubling.ts';
import { CODECS, createSoundCodec } from './sound-codec.ts';

/** Codes and samples of ITU-T G.711, tables 1 and 2, at 16 bits. */
const G711: readonly (readonly [G711Law, number, number])[] = [
  ['PCMU', 0x00, -32_124],
  ['PCMU', 0x80, 32_124],
  ['PCMU', 0x8f, 16_764],
  ['PCMU', 0xef, 132],
  ['PCMU', 0xfe, 8],
  ['PCMU', 0xff, 0],
  ['PCMA', 0x2a, -32_256],
  ['PCMA', 0xaa, 32_256],
  ['PCMA', 0x80, 5504],
  ['PCMA', 0xd5, 8],
  ['PCMA', 0x55, -8],
];

test.each(G711)('%s: code %i is the sample %i', (law, code, sample) => {
  expect(decodeG711(law, Uint8Array.of(code))[0]).toBe(sample);
  expect(encodeG711(law, Int16Array.of(sample))[0]).toBe(code);
});

test.each(['PCMU', 'PCMA'] as const)('%s: every sample gets the nearest code', (law) => {
  const samples = decodeG711(
    law,
    Uint8Array.from({ length: 256 }, (_, code) => code),
  );
  const given = Int16Array.from({ length: 1500 }, (_, n) => n * 43 - 32_250);
  const back = decodeG711(law, encodeG711(law, given));
  given.forEach((sample, n) => {
    const nearest = samples.reduce((best, one) => Math.min(best, Math.abs(one - sample)), 65_536);
    expect(Math.abs((back[n] ?? 0) - sample)).toBe(nearest);
  });
});

/**
 * A sweep with a beat: its level is like that of speech, and it is the same on every machine (whole numbers
 * only).
 */
const SWEEP = Int16Array.from({ length: 8000 }, (_, n) => {
  const saw = (n * (60 + (n >> 5))) % 4096;
  return (saw < 2048 ? saw - 1024 : 3072 - saw) * (4 + ((n >> 8) % 5));
});
const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex').slice(0, 16);

test('G.722 is bit by bit what other implementations make of it', () => {
  const codes = createG722Encoder()(SWEEP);
  const pcm = createG722Decoder()(codes);
  // From ffmpeg 5.1's encoder and decoder for the same samples.
  expect(hash(codes)).toBe('970a93a2934349b7');
  expect(hash(new Uint8Array(pcm.buffer))).toBe('76f736823b491631');
});

test.each([
  [300, 30],
  [1000, 25],
  [3000, 20],
  [6000, 12],
])('G.722 carries a tone of %i Hz with %i dB of it to its noise', (hertz, least) => {
  const given = tone(hertz, 0.5);
  const back = createG722Decoder()(createG722Encoder()(given)).subarray(2000);
  const share = shareOfTone(back, hertz);
  expect(10 * Math.log10(share / (1 - share))).toBeGreaterThan(least);
});

test('8 kHz becomes 16 kHz and back: what a telephone carries stays, what it cannot does not come back as noise', () => {
  const halve = createRateHalver();
  const double = createRateDoubler();
  const through = (pcm: Int16Array): Int16Array =>
    joined(
      Array.from({ length: pcm.length / 320 }, (_, n) => double(halve(pcm.slice(n * 320, n * 320 + 320)))),
    );
  for (const hertz of [300, 1000, 3400]) {
    const back = through(tone(hertz, 0.4)).subarray(640);
    expect(shareOfTone(back, hertz)).toBeGreaterThan(0.999);
    expect(Math.max(...back)).toBeGreaterThan(7500);
    expect(Math.max(...back)).toBeLessThan(8300);
  }
  expect(Math.max(...through(tone(5000, 0.4)).subarray(640))).toBeLessThan(20);
});

test.each(CODECS.map(({ name }) => name))(
  '%s: a frame goes out, the tone in it comes back, garbage does not',
  async (name) => {
    const codec = await createSoundCodec(name);
    const given = tone(700, 0.6);
    const back = Array.from({ length: 30 }, (_, n) =>
      codec.decode(codec.encode(given.slice(n * 320, n * 320 + 320))),
    );
    expect(back.every((frame) => frame?.length === 320)).toBe(true);
    expect(
      shareOfTone(joined(back.map((frame) => frame ?? new Int16Array())).subarray(3200), 700),
    ).toBeGreaterThan(0.98);
    expect(codec.decode(new Uint8Array())).toBeUndefined();
    expect(codec.decode(new Uint8Array(1501))).toBeUndefined();
  },
);
