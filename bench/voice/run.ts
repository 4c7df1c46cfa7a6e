import os from 'node:os';
import type { Figure } from '../support/figure.ts';
import { freePort, freshDataDir, type Product, removeDataDir, startProduct } from '../support/product.ts';
import { measureEngines } from './measure-engines.ts';
import { measureFirstWords } from './measure-first-words.ts';
import { measureBargeIn, measureEcho, measureFalseInterruptions } from './measure-interruptions.ts';
import { measureProvider } from './measure-provider.ts';
import { measureRooms } from './measure-rooms.ts';
import { measureSoak } from './measure-soak.ts';
import { measureSpeech } from './measure-speech.ts';
import { measureTelephone } from './measure-telephone.ts';
import { measureTurns, turnFigures } from './measure-turns.ts';
import { openCallerSounds } from './support/caller-sounds.ts';
import { loadNow, Report } from './support/report.ts';

// `npm run bench:voice -- turns echo` runs only the parts whose names begin with these words; `npm run
// bench:voice -- --soak 10` runs four simultaneous calls for ten minutes.
const words = process.argv.slice(2);
const soakAt = words.indexOf('--soak');
const soakMinutes = soakAt < 0 ? 0 : Number(words[soakAt + 1] ?? 10);
const wanted = words.filter((_word, at) => soakAt < 0 || (at !== soakAt && at !== soakAt + 1));

type Measure = (product: Product) => Promise<readonly Figure[]>;
const sounds = await openCallerSounds();
const PARTS: Readonly<Record<string, Measure>> = {
  engines: (product) => measureEngines(product, sounds),
  speech: measureSpeech,
  turns: async (product) =>
    turnFigures('Embedded', await measureTurns(product, sounds), { median: 900, p95: 1500 }),
  'barge-in': async (product) => [await measureBargeIn(product, sounds)],
  noises: async (product) => [await measureFalseInterruptions(product, sounds)],
  echo: async (product) => [await measureEcho(product, sounds)],
  'first-words': async (product) => [await measureFirstWords(product, sounds)],
  provider: () => measureProvider(sounds),
  rooms: measureRooms,
  telephone: measureTelephone,
};
const everything = wanted.length === 0 && soakMinutes === 0;
const chosen = Object.entries(PARTS).filter(
  ([name]) => everything || wanted.some((word) => name.startsWith(word)),
);
const soak: [string, Measure][] =
  soakMinutes > 0 ? [['soak', (product) => measureSoak(product, soakMinutes)]] : [];

const report = new Report();
console.log(
  `${os.cpus().length} cores (${os.cpus()[0]?.model}), load ${loadNow()}, Node ${process.version}.`,
);
const dataDir = freshDataDir();
const product = await startProduct(dataDir, await freePort());
try {
  for (const [name, measure] of [...chosen, ...soak]) await attempt(name, measure);
} finally {
  await product.stop();
  await sounds.close();
  removeDataDir(dataDir);
}
console.log(report.sum());
process.exit();

/** A part that throws has missed its aim; the others are still measured. */
async function attempt(name: string, measure: Measure): Promise<void> {
  try {
    for (const figure of await measure(product)) report.show(figure);
  } catch (error) {
    const against = error instanceof Error ? error.message : String(error);
    report.show({ name, measured: 'failed', against, aim: 'measured', met: false });
  }
}
