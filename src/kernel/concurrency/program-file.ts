import path from 'node:path';
import { PROJECT_ROOT } from '../config/project-root.ts';

/**
 * The program of a worker. A built product has each of them bundled in one file, which starts in half the time
 * and without the TypeScript compiler; `src/cli/start.ts` and the tests name the folder in NORTHLINE_PROGRAMS.
 *
 * @param source its path in the checkout, such as `src/voice/engines/speech/speech-process.server.ts`
 */
export function programFile(source: string): string {
  const bundles = process.env.NORTHLINE_PROGRAMS;
  if (bundles === undefined) return path.join(PROJECT_ROOT, source);
  return path.join(bundles, `${path.basename(source).replace(/(\.server)?\.ts$/, '')}.js`);
}
