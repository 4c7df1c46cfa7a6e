import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Destinations, deadReferences, pagesOf, type TextFile } from './support/docs/dead-references.ts';

const ROOT = path.join(import.meta.dirname, '..');
const TREES = '{src,packages,tests,scripts,bench,docs,migrations,bin,deploy}';

const read = (file: string): TextFile => ({ file, text: readFileSync(path.join(ROOT, file), 'utf8') });

const everything = globSync(['*', `${TREES}/**`], {
  cwd: ROOT,
  exclude: (name) => /^(node_modules|dist|data|\.git)$/.test(path.basename(name)),
}).map((file) => file.replaceAll(path.sep, '/'));
const texts = everything
  .filter((file) => /\.(tsx?|c?[tj]s|sql|css|md)$/.test(file) && file !== 'tests/references.test.ts')
  .map(read);
const { scripts } = JSON.parse(read('package.json').text) as { scripts: Record<string, string> };
const to: Destinations = {
  paths: new Set(everything),
  pages: pagesOf(texts),
  scripts: new Set(Object.keys(scripts)),
};

test('every reference in sources and documents leads somewhere', () => {
  expect(texts.length).toBeGreaterThan(500);
  expect(texts.flatMap((source) => deadReferences(source, to))).toEqual([]);
});

describe('a dead reference is found', () => {
  test.each([
    ['a section that is not on its page', '/** See docs/contracts/platform.md §3, §99. */', '§99'],
    ['a section broken over two lines', ' * (docs/specification/site.md\n * §42)', '§42'],
    ['a section without its page', '// as contract §2 says', 'contract §2'],
    ['a paper of another place', '// spec/site.md, security.md', 'spec/site.md'],
    ['an attack', '/** Refused (attacks 4 and 99). */', 'attack 99'],
    ['a decision', '// decisions 0001 and 0999', 'decision 0999'],
    ['a page', '// docs/no-such-page.md', 'docs/no-such-page.md'],
  ])('%s in a source', (_, text, dead) => {
    expect(deadReferences({ file: 'src/example.ts', text }, to)[0]).toContain(dead);
  });

  test.each([
    ['a link to a missing page', '[it](no-such-page.md)', 'no-such-page.md'],
    ['a link to a missing heading', '[it](glossary.md#no-such-heading)', '#no-such-heading'],
    ['a path', '`src/no-such-file.ts`', 'src/no-such-file.ts'],
    ['a name of a file', '`no-such-file.server.ts`', 'no-such-file.server.ts'],
    ['a script', '`npm run no_such_script`', 'no_such_script'],
    ['a command', '`npm run northline -- nosuch`', 'northline nosuch'],
  ])('%s in a document', (_, text, dead) => {
    expect(deadReferences({ file: 'docs/example.md', text }, to)[0]).toContain(dead);
  });

  test('and living ones are not', () => {
    const text = [
      'docs/contracts/voice.md §2.1, §3 and §6; attacks 8 and 18; decision 0112; RFC 9110 §13.1.2',
      '[it](decisions/README.md) [there](contracts/voice.md#3-rest-api) `src/app.ts` `npm run bench`',
    ].join('\n');
    expect(deadReferences({ file: 'docs/example.md', text }, to)).toEqual([]);
  });
});
