import { runStaticChecks, runTool } from './static-checks.ts';

/** What the tests hold of the sources as text: layers, folder sizes, words, references, listings. */
const TEXT_TESTS = [
  'architecture',
  'event-sources',
  'glossary',
  'prose',
  'references',
  'folder-listing',
  'decision-index',
].map((name) => `tests/${name}.test.ts`);

// `npm run lint`: everything that tools can say about the source, in about a minute.
const { failed } = runStaticChecks();
const held = runTool(['vitest', 'run', '--project=unit', ...TEXT_TESTS]);
process.exitCode = failed === 0 && held === 0 ? 0 : 1;
