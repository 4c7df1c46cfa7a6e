import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { textsOf } from '../../src/voice/dialogue/knowledge/fact-search.server.ts';
import { coreOf } from '../../src/voice/dialogue/likeness/core-words.server.ts';
import { WordPieces } from '../../src/voice/dialogue/likeness/word-pieces.server.ts';
import { normaliseWords } from '../../src/voice/dialogue/spoken/word-normalisation.server.ts';
import { readTrades } from './support/trade-file.ts';

// `node bench/voice/write-pieces.ts OUT PAIRS…` writes the word pieces of made-up businesses and of what their callers
// ask, as the assistant compares them, for `likeness/making/train.py`.
const [out = '', ...files] = process.argv.slice(2);
const vocabulary = path.join(import.meta.dirname, '../../src/voice/dialogue/likeness/minilm/vocab.txt');
const pieces = new WordPieces(readFileSync(vocabulary, 'utf8'));
const trades = files.flatMap(readTrades).map(({ name, facts, lines }) => ({
  name,
  facts: facts.map((fact) => textsOf(fact).map((text) => pieces.numbersOf(text))),
  lines: lines.map((line) => ({ ...line, pieces: pieces.numbersOf(coreOf(normaliseWords(line.say))) })),
}));
writeFileSync(out, JSON.stringify(trades));
const asked = trades.flatMap(({ lines }) => lines);
console.log(
  `${trades.length} trades, ${trades.flatMap(({ facts }) => facts).length} facts, ${asked.length} lines, ` +
    `${asked.filter(({ facts }) => facts.length === 0).length} without an answer`,
);
