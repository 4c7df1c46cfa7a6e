import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { readWave } from '@northline/speech/wave-file';

/** A sentence that a person spoke. */
export interface HumanClip {
  readonly said: string;
  readonly pcm: Int16Array;
}

/** The folder of Debian's `pocketsphinx-testdata`: LibriVox readings, cards, digits, commands. */
const FOLDER = '/usr/share/pocketsphinx/test/data';
const LISTS = ['librivox/transcription', 'cards/cards.transcription'];
/** Clips that the package does not list; sound without a header, 16 000 samples a second. */
const BARE = {
  'goforward.raw': 'go forward ten meters',
  'something.raw': 'go somewhere and do something',
  'tidigits/dhd.2934z.raw': 'two nine three four zero',
};
/** Corrections of the list, which has one word twice and a title as the model never writes it. */
const MENDED: readonly (readonly [RegExp, string])[] = [
  [/a more a amiable/, 'a more amiable'],
  [/\bmister\b/, 'mr'],
];

/** The clips with their transcripts; empty when the package is not installed. */
export function findHumanClips(): HumanClip[] {
  if (!existsSync(FOLDER)) return [];
  const listed = LISTS.flatMap((list) =>
    readFileSync(path.join(FOLDER, list), 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [, said = '', name = ''] = /^(?:<s>)?(.*?)(?:<\/s>)?\s*\(([^)]+)\)\s*$/.exec(line) ?? [];
        const file = path.join(FOLDER, path.dirname(list), `${name}.wav`);
        if (!existsSync(file)) return [];
        const mended = MENDED.reduce((text, [wrong, right]) => text.replace(wrong, right), said.trim());
        return [{ said: mended, pcm: readWave(readFileSync(file)).pcm }];
      }),
  );
  const bare = Object.entries(BARE).map(([name, said]) => {
    const bytes = readFileSync(path.join(FOLDER, name));
    const pcm = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    return { said, pcm };
  });
  return [...listed, ...bare];
}
