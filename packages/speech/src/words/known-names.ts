import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(import.meta.resolve('@northline/speech/names.tsv'));

/** Names that are not said as English words: each in small letters without marks, with its phonemes. */
export function readKnownNames(): ReadonlyMap<string, string> {
  const lines = readFileSync(FILE, 'utf8').split('\n');
  return new Map(
    lines
      .filter((line) => line !== '' && !line.startsWith('#'))
      .flatMap((line) => {
        const [names = '', phonemes = ''] = line.split('\t');
        return names.split(',').map((name) => [name, phonemes] as const);
      }),
  );
}
