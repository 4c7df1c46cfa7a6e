import { productionLinesText } from './production-lines.ts';
import { runStaticChecks, STATIC_CHECKS, type StaticCheck } from './static-checks.ts';

/** The tests over the sources as text: layers, folder sizes, words, references, listings. */
const TEXT_TESTS = [
  'architecture',
  'event-sources',
  'glossary',
  'prose',
  'references',
  'folder-listing',
  'decision-index',
].map((name) => `tests/${name}.test.ts`);

const TEXTS: StaticCheck = {
  name: 'layers, words, references and listings',
  command: ['vitest', 'run', '--project=unit', ...TEXT_TESTS],
  readsDocuments: true,
};

// `npm run lint`: all checks of the source by tools, in less than a minute on an idle machine.
const { failed } = await runStaticChecks([...STATIC_CHECKS, TEXTS]);
process.stdout.write(productionLinesText());
process.exitCode = failed === 0 ? 0 : 1;
