import { createMeaning } from '../../src/voice/dialogue/knowledge/meaning-client.server.ts';
import { measureSpokenLines, SPOKEN_TO } from './measure-spoken-lines.ts';
import { ASSISTANTS, measureUnderstanding } from './measure-understanding.ts';

// `npm run bench:voice:understanding -- dev faults` prints each fault; `words` leaves out the embeddings;
// `spoken` uses what callers say on a phone in place of single questions.
const words = process.argv.slice(2);
const meaning = words.includes('words') ? null : createMeaning();
// The worker alone does not keep the process alive.
const stay = setInterval(() => {}, 60_000);
const parts = (['dev', 'held-out'] as const).filter(
  (part) => words.includes(part) || !(words.includes('dev') || words.includes('held-out')),
);

console.log('| assistant | part | asked | right | right after asking back | not known | wrong |');
console.log('|---|---|---|---|---|---|---|');
for (const part of parts) {
  for (const assistant of words.includes('spoken') ? SPOKEN_TO : ASSISTANTS) {
    const measure = words.includes('spoken') ? measureSpokenLines : measureUnderstanding;
    const embed = meaning?.embed ?? null;
    const { right, rightAfterAskingBack, notKnown, wrong, faults } = await measure(assistant, part, embed);
    const all = right + rightAfterAskingBack + notKnown + wrong;
    const share = (count: number): string => `${count} (${Math.round((100 * count) / Math.max(1, all))} %)`;
    console.log(
      `| ${assistant} | ${part} | ${all} | ${share(right)} | ${share(rightAfterAskingBack)} | ${share(notKnown)} | ${share(wrong)} |`,
    );
    if (words.includes('faults')) for (const fault of faults) console.log(`  ${fault}`);
  }
}
clearInterval(stay);
await meaning?.close();
