import type { ModelRuntime } from '@northline/speech/model-runtime';
import { type Condition, openSpokenBench } from './measure-requests.ts';
import { countErrors } from './support/error-count.ts';
import type { AskedRequest } from './support/request-ask.ts';
import { type RequestPart, readRequests } from './support/request-file.ts';
import { levelOf, louder, overTelephone, resample, withNoise } from './support/sound-change.ts';
import { findVoices, type TestVoice } from './support/spoken-requests.ts';

const CONDITIONS: Readonly<Record<string, Condition>> = {
  clean: (pcm) => pcm,
  telephone: overTelephone,
  noise: (pcm) => withNoise(pcm, 15, levelOf(pcm)),
  quiet: (pcm) => louder(pcm, -20),
  loud: (pcm) => louder(pcm, 8),
  fast: (pcm) => resample(pcm, 18_000),
  slow: (pcm) => resample(pcm, 14_000),
};
/** Sections about topics that the models were not made for. */
const FREE_WORDS = new Set(['what it cannot do', 'what it must not do']);

// `npm run bench:voice:requests -- held-out voice=slt,awb condition=telephone every=3 failures`. Without
// words: both parts, every voice, clean sound.
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
const [runtime] = option('runtime') as ModelRuntime[];

const bench = await openSpokenBench(runtime);
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
  console.log(`\n${part}, ${voice.name}${voice.tuned ? ' (tuned on)' : ''}, ${condition}`);
  for (const result of results) printFaults(result);
  const sum = sumOf(results);
  console.log(`  ${shown(sum)}`);
  for (const name of [`${part}, ${voice.name}, ${condition}`, `${part}, ${condition}, all`]) {
    const all = sums.get(name) ?? { tried: 0, succeeded: 0, words: 0, errors: 0 };
    for (const key of ['tried', 'succeeded', 'words', 'errors'] as const) all[key] += sum[key];
    sums.set(name, all);
  }
}

function printFaults({ request, lines, succeeded }: AskedRequest): void {
  for (const { said, heard } of lines) {
    if (countErrors(said, heard).errors > 0) console.log(`  said   ${said}\n  heard  ${heard}`);
  }
  if (succeeded) return;
  console.log(`  FAILED ${request.lines[0]?.say}`);
  for (const { heard, answer, confidence } of lines) {
    console.log(`         ${confidence.toFixed(3)} ${heard} → ${answer}`);
  }
}

function sumOf(results: readonly AskedRequest[]): Sum {
  const counted = results
    .filter(({ request }) => !FREE_WORDS.has(request.section))
    .flatMap(({ lines }) => lines.map(({ said, heard }) => countErrors(said, heard)));
  return {
    tried: results.length,
    succeeded: results.filter(({ succeeded }) => succeeded).length,
    words: counted.reduce((sum, { words: said }) => sum + said, 0),
    errors: counted.reduce((sum, { errors }) => sum + errors, 0),
  };
}

function shown({ tried, succeeded, words: said, errors }: Sum): string {
  const share = (part: number, whole: number): string =>
    `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
  return `tasks ${succeeded}/${tried} (${share(succeeded, tried)}), words wrong ${errors}/${said} (${share(errors, said)})`;
}
