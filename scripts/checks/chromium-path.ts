import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { installPackages } from './install-packages.cjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The path of an installed Chromium (CHROMIUM_PATH, else on PATH), or undefined. */
export function findChromium(): string | undefined {
  const given = process.env.CHROMIUM_PATH;
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const candidates = folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name)));
  return [...(given ? [given] : []), ...candidates].find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Chromium's path; as root it is installed when it is missing. Undefined, with the reason said, when it cannot be. */
export function ensureChromium(): string | undefined {
  const found = findChromium();
  if (found !== undefined) return found;
  installPackages('Chromium', ['chromium']);
  return findChromium();
}
