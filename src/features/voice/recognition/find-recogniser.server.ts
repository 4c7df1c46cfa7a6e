import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

/** Where the recogniser's libraries and its models for English lie. */
export interface RecogniserFiles {
  /** Folder of the libraries, with a slash at its end. */
  readonly libraries: string;
  /** Folder with `en-us` (acoustic model), `en-us.lm.bin` and `cmudict-en-us.dict`. */
  readonly models: string;
}

const LIBRARY = 'libpocketsphinx.so.3';
const MODELS = ['/usr/share/pocketsphinx/model/en-us', '/usr/local/share/pocketsphinx/model/en-us'] as const;

/**
 * Looks for PocketSphinx as Debian's packages `libpocketsphinx3` and `pocketsphinx-en-us` install it
 * (contract voice §9, risk 2).
 *
 * @returns null where it is not installed: calls are then typed
 */
export function findRecogniser(): RecogniserFiles | null {
  const libraries = libraryFolders().find((folder) => existsSync(path.join(folder, LIBRARY)));
  const models = MODELS.find((folder) => existsSync(path.join(folder, 'en-us.lm.bin')));
  return libraries && models ? { libraries: `${libraries}/`, models } : null;
}

function libraryFolders(): string[] {
  const ofArchitectures = existsSync('/usr/lib')
    ? readdirSync('/usr/lib').filter((name) => name.endsWith('-linux-gnu'))
    : [];
  return [...ofArchitectures.map((name) => `/usr/lib/${name}`), '/usr/lib', '/usr/local/lib'];
}
