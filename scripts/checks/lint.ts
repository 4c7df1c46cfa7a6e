import { runStaticChecks, runTool } from './static-checks.ts';

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

// `npm run lint`: all checks of the source by tools, in about a minute.
const { failed } = runStaticChecks();
const held = runTool(['vitest', 'run', '--project=unit', ...TEXT_TESTS]);
process.exitCode = failed === 0 && held === 0 ? 0 : 1;
