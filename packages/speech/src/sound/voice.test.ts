import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writtenText } from '../text/written-text.fixture.ts';
import { expectSound, spokenPieces } from './expect-sound.fixture.ts';
import { splitPhonemes } from './phoneme-parts.ts';
import { joinedSamples, SAMPLES_PER_SECOND } from './sound-shaping.ts';
import { openVoice, type SpeechOptions, type Voice } from './voice.ts';
import { listVoices, readVoiceFolder } from './voice-folder.ts';

const VOICES = path.join(import.meta.dirname, '..', '..', 'voices');
const EMMA = path.join(VOICES, 'emma');
const folder = mkdtempSync(path.join(tmpdir(), 'voices-'));
let voice: Voice;

beforeAll(async () => {
  voice = await openVoice(readVoiceFolder(EMMA));
});
afterAll(() => rmSync(folder, { recursive: true }));

const piecesOf = (text: string, options?: SpeechOptions): Promise<Float32Array[]> =>
  spokenPieces(voice, text, options);

const secondsOf = (pieces: readonly Float32Array[]): number =>
  pieces.reduce((sum, { length }) => sum + length, 0) / SAMPLES_PER_SECOND;

describe('words that the spelling does not tell', () => {
  test.each([
    ['He will read it; she read it yesterday.', 'hiː wɪl ɹˈiːd ɪt; ʃiː ɹˈɛd ɪt jˈɛstədA.'],
    ['They live here; a live show.', 'ðA lˈɪv hˈɪə; ɐ lˈIv ʃˈQ.'],
    ['We close at six, the shop is close.', 'wiː klˈQz at sˈɪks, ðə ʃˈɒp ɪz klˈQs.'],
    ['Siobhan, Niamh, Saoirse and Caoimhe.', 'ʃɪvˈɔːn, nˈiːv, sˈɪəʃə and kˈiːvə.'],
    ['Nguyen, Łukasz, Schröder, François.', 'nwˈɪn, wˈuːkaʃ, ʃɹˈɜːdə, fɹɒnswˈɑː.'],
    ['Leicester, Worcester, Edinburgh, Slough.', 'lˈɛstə, wˈʊstə, ˈɛdɪnbɹə, slˈW.'],
    ['Z for zebra, H for house.', 'zˈɛd fɔː zˈɛbɹə, ˈAʧ fɔː hˈWs.'],
  ])('%s', async (text, phonemes) => {
    expect(await voice.phonemes(text)).toBe(phonemes);
  });

  test.each([
    ['read', ['I have read it', 'It was read out', 'Who read it last', 'The letter is read'], 'ɹˈɛd'],
    ['read', ['Please read it', 'I will read it', 'Did she read it', 'To read on'], 'ɹˈiːd'],
    ['live', ['We are live now', 'Live music tonight', 'Going live', 'A live call'], 'lˈIv'],
    ['live', ['Where do you live', 'I live in York', 'People who live there'], 'lˈɪv'],
    ['lead', ['A lead pipe', 'Made of lead'], 'lˈɛd'],
    ['lead', ['A new lead', 'Who will lead it', 'Lead generation'], 'lˈiːd'],
    [
      'close',
      ['Please close it', 'When do you close', 'We close early', 'At the close of business'],
      'klˈQz',
    ],
    ['close', ['It is close', 'A close friend', 'We are close to York'], 'klˈQs'],
    ['record', ['May we record this', 'Please record it'], 'ɹɪkˈɔːd'],
    ['record', ['A record year', 'For the record'], 'ɹˈɛkɔːd'],
    ['use', ['You can use it'], 'jˈuːz'],
    ['use', ['It is of no use'], 'jˈuːs'],
    ['refund', ['We refund it', 'We will refund you'], 'ɹɪfˈʌnd'],
    ['refund', ['A full refund', 'Your refund'], 'ɹˈiːfʌnd'],
    ['reading', ['We are in Reading'], 'ɹˈɛdɪŋ'],
    ['reading', ['I like reading'], 'ɹˈiːdɪŋ'],
  ])('%s in %j', async (_, sentences, phonemes) => {
    for (const sentence of sentences)
      expect([sentence, (await voice.phonemes(sentence)).split(/[ .]/)]).toEqual([
        sentence,
        expect.arrayContaining([phonemes]),
      ]);
  });

  test('an assistant says its words as its owner wrote: in plain spelling, or in phonemes', async () => {
    const pronunciations = { Xyloq: 'zeye lock', 'A&B Motors': '/ˈA and bˈiː mˈQtəz/', gif: 'jiff' };
    expect(await voice.phonemes('XYLOQ and A&B Motors.', pronunciations)).toBe(
      `${(await voice.phonemes('zeye lock and')).slice(0, -1)} ˈA and bˈiː mˈQtəz.`,
    );
    expect(await voice.phonemes('A gift.', pronunciations)).toBe(await voice.phonemes('A gift.'));
  });
});

describe('the sound', () => {
  test('is the same for the same words, begins with a short piece, and is not clipped', async () => {
    const [once, again] = [
      await piecesOf('Hello, how can I help you today?'),
      await piecesOf('Hello, how can I help you today?'),
    ];
    expect(again).toEqual(once);
    expect(once[0]?.length).toBeLessThanOrEqual(20 * 300);
    expect(once.length).toBeGreaterThan(2);
    expect(
      Math.max(...once.map((piece) => piece.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0))),
    ).toBeLessThan(0.93);
  });

  test('is as loud as speech on a telephone: -14.8 dBFS root mean square without pauses, to 1.5 dB', async () => {
    const whole = joinedSamples(
      await piecesOf('Shall I book that for you? The Pro plan costs forty nine pounds a month.'),
    );
    const level = 10 * Math.log10(whole.reduce((sum, sample) => sum + sample * sample, 0) / whole.length);
    expect(Math.abs(level + 15)).toBeLessThan(1.5);
  });

  test('is faster and slower as asked, and within what the voice can do', async () => {
    const said = async (speed: number) =>
      secondsOf(await piecesOf('We are open from Monday to Friday.', { speed }));
    const [slow, usual, fast] = [await said(0.8), await said(1), await said(1.25)];
    expect(slow / usual).toBeGreaterThan(1.1);
    expect(fast / usual).toBeLessThan(0.9);
    expect(await said(9)).toBe(await said(1.4));
  });

  test('of a long sentence is made in parts of at most 150 phonemes, cut at commas', async () => {
    const phonemes = await voice.phonemes(
      `We ${'clean windows, mend roofs and paint doors, '.repeat(12)} and that is all`,
    );
    const parts = splitPhonemes(phonemes);
    expect(parts.length).toBeGreaterThan(2);
    expect(parts.every((part) => part.length <= 151 && /[,.]$/.test(part))).toBe(true);
    expect(parts.join(' ').replace(/\s/g, '')).toBe(phonemes.replace(/\s/g, ''));
    expect(splitPhonemes('ə'.repeat(400)).every((part) => part.length <= 151)).toBe(true);
  });

  test('of nothing is nothing', async () => {
    for (const nothing of ['', '...', '👍', '—']) expect(await piecesOf(nothing)).toEqual([]);
  });

  test('of any text: it is there, as long as its phonemes, and smooth where pieces meet', async () => {
    // The soak says more and longer ones.
    for (const text of fc.sample(writtenText(3), { numRuns: 60, seed: 7 })) await expectSound(voice, text);
  });
});

describe('a voice as a folder', () => {
  const copy = (name: string): string => {
    const target = path.join(folder, name);
    cpSync(EMMA, target, { recursive: true });
    return target;
  };

  test('is refused with a sentence when a file is missing, changed or not described', () => {
    const changed = copy('changed');
    writeFileSync(path.join(changed, 'symbols.json'), '{}');
    expect(() => readVoiceFolder(changed)).toThrow(
      "The voice's symbols.json is not the one that voice.json describes.",
    );
    rmSync(path.join(changed, 'plan.onnx'));
    expect(() => readVoiceFolder(changed)).toThrow("The voice's plan.onnx cannot be read");
    const described = (change: object): string => {
      const manifest = JSON.parse(readFileSync(path.join(EMMA, 'voice.json'), 'utf8'));
      writeFileSync(path.join(changed, 'voice.json'), JSON.stringify({ ...manifest, ...change }));
      return changed;
    };
    expect(() => readVoiceFolder(described({ form: 'other/1' }))).toThrow('northline-voice/1');
    expect(() => readVoiceFolder(described({ name: '../emma' }))).toThrow('small letters, digits and dashes');
    expect(() => readVoiceFolder(described({ licence: '' }))).toThrow('voice.json has no licence.');
    expect(() => readVoiceFolder(described({ level: 3 }))).toThrow('between -60 and -1 dBFS');
    expect(() => readVoiceFolder(described({ files: {} }))).toThrow('no sha256 of lexicon.tsv.gz');
    writeFileSync(path.join(changed, 'voice.json'), '{');
    expect(() => readVoiceFolder(changed)).toThrow('voice.json cannot be read');
  });

  test('is found beside others; the first one with a name counts', () => {
    const other = copy('another');
    const manifest = JSON.parse(readFileSync(path.join(other, 'voice.json'), 'utf8'));
    writeFileSync(
      path.join(other, 'voice.json'),
      JSON.stringify({ ...manifest, name: 'another', title: 'Another' }),
    );
    copy('emma');
    const found = listVoices([VOICES, folder, path.join(folder, 'nowhere')]);
    expect(found.map(({ manifest: { name }, folder: at }) => [name, path.dirname(at)])).toEqual([
      ['emma', VOICES],
      ['another', folder],
    ]);
  });
});
