import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The programs that this package runs in processes of their own. */
export type ReaderProgram = 'reader-process' | 'searchable-process';

/**
 * The file of a program. A product that was built has it bundled in the folder NORTHLINE_PROGRAMS, where it starts in
 * half the time; without that variable it runs from the sources.
 */
export function readerProgram(name: ReaderProgram): string {
  const bundles = process.env.NORTHLINE_PROGRAMS;
  if (bundles !== undefined) return path.join(bundles, `${name}.js`);
  return fileURLToPath(import.meta.resolve(`@northline/document-reader/${name}`));
}

/** The folder that holds all code of the programs, apart from libraries. */
export function programFolder(): string {
  return (
    process.env.NORTHLINE_PROGRAMS ?? path.resolve(readerProgram('reader-process'), '..', '..', '..', '..')
  );
}
