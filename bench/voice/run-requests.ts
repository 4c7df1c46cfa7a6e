import type { AskedRequest } from './ask-request.ts';
import { levelOf, louder, overTelephone, resample, withNoise } from './change-sound.ts';
import { countErrors } from './count-errors.ts';
import { type Condition, openSpokenBench } from './measure-requests.ts';
import { type RequestPart, readRequests } from './read-requests.ts';
import { findVoices, type TestVoice } from './speak-requests.ts';

const CONDITIONS: Readonly<Record<string, Condition>> = {
  clean: (pcm) => pcm,
  telephone: overTelephone,
  noise: (pcm) => withNoise(pcm, 15, levelOf(pcm)),
  quiet: (pcm) => louder(pcm, -20),
  loud: (pcm) => louder(pcm, 8),
  fast: (pcm) => resample(pcm, 18_000),
  slow: (pcm) => resample(pcm, 14_000),
};
/** What the words are about there is not what the models are made for. */
const FREE_WORDS = new Set(['what it cannot do', 'what it must not do']);

// `npm run bench:voice:requests -- held-out voice=slt,awb condition=telephone every=3 failures`
// Without words: both parts, every voice, clean.
const words = process.argv.slice(2);
const option = (name: string): string[] =>
  words
    .find((word) => word.startsWith(`${name}=`))
    ?.slice(name.length + 1)
    .split(',') ?? [];
const parts = (['dev', 'held-out'] as const).filter(
  (part) => words.includes(part) || !(words.includes('dev') || words.includes('held-out')),
);
const every = Number(option('every')[0] ?? 1);
const offset = Number(option('offset')[0] ?? 0);
const about = option('about');
const changed = Object.fromEntries(option('decoder').map((pair) => pair.split(':') as [string, string]));

const bench = await openSpokenBench(changed);
if (!bench) {
  console.log('PocketSphinx is not installed: nothing can be measured.');
  process.exit(0);
}
const { voices, missing, close } = findVoices();
for (const name of missing) console.log(`skipped: ${name} is not installed`);
const asked = option('voice');
const used = voices.filter(({ name }) => asked.length === 0 || asked.some((word) => name.includes(word)));
const conditions = option('condition').length > 0 ? option('condition') : ['clean'];

interface Sum {
  tried: number;
  succeeded: number;
  words: number;
  errors: number;
}
const sums = new Map<string, Sum>();

for (const part of parts) {
  const requests = readRequests(part).filter(
    ({ lines, section }, at) =>
      at % every === offset &&
      (about.length === 0 || about.some((word) => `${section} ${lines[0]?.say}`.includes(word))),
  );
  for (const voice of used) {
    for (const condition of conditions) {
      const results: AskedRequest[] = [];
      for (const request of requests) results.push(await bench.ask(request, voice, CONDITIONS[condition]));
      report(part, voice, condition, results);
    }
  }
}
console.log('\nSummary');
for (const [name, sum] of sums) console.log(`${name.padEnd(44)} ${shown(sum)}`);
await bench.close();
await close();

function report(
  part: RequestPart,
  voice: TestVoice,
  condition: string,
  results: readonly AskedRequest[],
): void {
  const sum: Sum = { tried: 0, succeeded: 0, words: 0, errors: 0 };
  console.log(`\n${part}, ${voice.name}${voice.tuned ? ' (tuned on)' : ''}, ${condition}`);
  for (const { request, lines, succeeded } of results) {
    sum.tried++;
    if (succeeded) sum.succeeded++;
    for (const { said, heard } of lines) {
      const counted = countErrors(said, heard);
      if (!FREE_WORDS.has(request.section)) {
        sum.words += counted.words;
        sum.errors += counted.errors;
      }
      if (counted.errors > 0) console.log(`  said   ${said}\n  heard  ${heard}`);
    }
    if (!succeeded) {
      console.log(`  FAILED ${request.lines[0]?.say}`);
      for (const { heard, answer, confidence } of lines)
        console.log(`         ${confidence.toFixed(3)} ${heard} → ${answer}`);
    }
  }
  console.log(`  ${shown(sum)}`);
  for (const name of [`${part}, ${voice.name}, ${condition}`, `${part}, ${condition}, all`]) {
    const all = sums.get(name) ?? { tried: 0, succeeded: 0, words: 0, errors: 0 };
    for (const key of ['tried', 'succeeded', 'words', 'errors'] as const) all[key] += sum[key];
    sums.set(name, all);
  }
}

function shown({ tried, succeeded, words: said, errors }: Sum): string {
  const share = (part: number, whole: number): string =>
    `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
  return `tasks ${succeeded}/${tried} (${share(succeeded, tried)}), words wrong ${errors}/${said} (${share(errors, said)})`;
}
