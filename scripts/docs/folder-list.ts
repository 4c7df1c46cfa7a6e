import { readdirSync } from 'node:fs';
import path from 'node:path';
import { FEATURE_IMPORTS, FOLDERS } from '../../src/plan.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const HEAD = '## Folders\n\n```\nsrc/\n';
const TAIL = '```\n';
/** Width of a name in the listing. */
const WIDTH = 15;

/** `ARCHITECTURE.md` with the listing of the folders of `src` as `src/plan.ts` has them. @throws Error without a place for it */
export function withFolderList(page: string): string {
  const from = page.indexOf(HEAD);
  const to = page.indexOf(TAIL, from + HEAD.length);
  if (from === -1 || to === -1) throw new Error('ARCHITECTURE.md has lost its listing below "## Folders".');
  const lines = Object.entries(FOLDERS).map(([folder, about]) => {
    const [wing = '', inside] = folder.split('/');
    return inside === undefined
      ? `  ${`${wing}/`.padEnd(WIDTH)}${about}\n`
      : `    ${inside.padEnd(WIDTH)}${about}\n`;
  });
  return `${page.slice(0, from)}${HEAD}${lines.join('')}${page.slice(to)}`;
}

/** What is wrong between the folders of `src`, two levels deep, and `src/plan.ts`; each with what to do. */
export function folderFaults(): string[] {
  const wings = foldersIn('src');
  const found = wings.flatMap((wing) => [wing, ...foldersIn(`src/${wing}`).map((name) => `${wing}/${name}`)]);
  const wingsOfFeatures = new Set(Object.keys(FEATURE_IMPORTS).map((feature) => path.dirname(feature)));
  return [
    ...found
      .filter((folder) => wingsOfFeatures.has(path.dirname(folder)) && FEATURE_IMPORTS[folder] === undefined)
      .map((folder) => `src/${folder} is not in src/plan.ts: say in FEATURE_IMPORTS what it may import.`),
    ...found
      .filter((folder) => FOLDERS[folder] === undefined)
      .map((folder) => `src/${folder} is not in src/plan.ts: say in FOLDERS what it is.`),
    ...Object.keys(FOLDERS)
      .filter((folder) => !found.includes(folder))
      .map(
        (folder) => `src/plan.ts lists the folder ${folder}, which does not exist: take it out of FOLDERS.`,
      ),
  ];
}

/** The names of the folders in a folder of the checkout. */
export function foldersIn(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}
