import { createMeaning } from '../../src/voice/dialogue/knowledge/meaning-client.server.ts';
import { ASSISTANTS, measureUnderstanding } from './measure-understanding.ts';

// `npm run bench:voice:understanding -- dev faults` prints each fault; `words` leaves the embeddings out.
const words = process.argv.slice(2);
const meaning = words.includes('words') ? null : createMeaning();
// The worker alone does not keep a process alive.
const stay = setInterval(() => {}, 60_000);
const parts = (['dev', 'held-out'] as const).filter(
  (part) => words.includes(part) || !(words.includes('dev') || words.includes('held-out')),
);

console.log('| assistant | part | asked | right | right after asking back | not known | wrong |');
console.log('|---|---|---|---|---|---|---|');
for (const part of parts) {
  for (const assistant of ASSISTANTS) {
    const { right, rightAfterAskingBack, notKnown, wrong, faults } = await measureUnderstanding(
      assistant,
      part,
      meaning?.embed ?? null,
    );
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
