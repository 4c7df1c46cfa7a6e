import { accessSync, constants } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..', '..');
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** The same engine without windows, in which a page costs a third of the processor time. */
const WITHOUT_WINDOWS = 'chromium-headless-shell';

/** The path of an installed Chromium (CHROMIUM_PATH, else on PATH), or undefined. */
export function findChromium(): string | undefined {
  return find(NAMES);
}

/** The browser that `npm test` uses: without windows if the system has it, else the whole Chromium. */
export function findTestChromium(): string | undefined {
  return find([WITHOUT_WINDOWS]) ?? find(NAMES);
}

/**
 * The environment of a test run. It names the browser if there is one, and a folder for compiled modules, so that
 * the many processes of the tests start sooner.
 *
 * @param isBuilt whether there is a current build, whose workers start sooner than those from the sources
 */
export function testEnvironment(isBuilt: boolean): NodeJS.ProcessEnv {
  return {
    ...process.env,
    CHROMIUM_PATH: findTestChromium(),
    NODE_COMPILE_CACHE: path.join(ROOT, 'node_modules', '.cache', 'compiled'),
    ...(isBuilt ? { NORTHLINE_PROGRAMS: path.join(ROOT, 'dist', 'server') } : {}),
  };
}

function find(names: readonly string[]): string | undefined {
  const given = process.env.CHROMIUM_PATH;
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const candidates = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
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
