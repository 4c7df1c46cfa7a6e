import { writeFileSync } from 'node:fs';
import { FactSearch } from '../../src/voice/dialogue/knowledge/fact-search.server.ts';
import { hasWanted, readQuestion } from '../../src/voice/dialogue/knowledge/question-reading.server.ts';
import { openMeaningModel } from '../../src/voice/dialogue/likeness/meaning-model.server.ts';
import { normaliseWords } from '../../src/voice/dialogue/spoken/word-normalisation.server.ts';
import { readTrades } from './support/trade-file.ts';

// `node bench/voice/write-features.ts OUT TRADES…` writes how well each fact fits what is asked, for `likeness/making/fit.py`,
// of every sixth made-up business: those that `train.py` leaves out.
const EVERY = 6;
const [out = '', ...files] = process.argv.slice(2);
const model = await openMeaningModel();
const kept = new Map<string, Float32Array>();

async function embed(texts: readonly string[]): Promise<Float32Array[]> {
  const missing = [...new Set(texts)].filter((text) => !kept.has(text));
  for (const [at, vector] of (await model.embed(missing)).entries()) kept.set(missing[at] ?? '', vector);
  return texts.flatMap((text) => kept.get(text) ?? []);
}

const rows: unknown[] = [];
for (const [at, trade] of files.flatMap(readTrades).entries()) {
  if (at % EVERY !== 0) continue;
  const search = new FactSearch(trade.facts, embed);
  for (const { say, facts, talk } of trade.lines) {
    const question = readQuestion(normaliseWords(say));
    const answering = new Set(facts.map((place) => trade.facts[place]));
    rows.push({
      trade: at,
      talk,
      terms: question.terms.length,
      strange: question.terms.filter((term) => !search.knows(term)).length,
      facts: (await search.find(question)).map(({ fact, meaning, words, subject }) => ({
        meaning,
        words,
        subject,
        has: hasWanted(question.wanted, fact.text) ?? null,
        right: answering.has(fact),
      })),
    });
  }
}
writeFileSync(out, JSON.stringify(rows));
