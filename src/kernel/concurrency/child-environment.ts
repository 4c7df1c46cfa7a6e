import { getCompileCacheDir } from 'node:module';
import path from 'node:path';

/**
 * The environment of our own child processes. It holds no secrets, and it names the folder in which Node keeps
 * compiled modules: a child that finds its modules there starts in half the time and need not load the
 * TypeScript compiler.
 */
export function childEnvironment(): NodeJS.ProcessEnv {
  const compiled = getCompileCacheDir();
  return {
    PATH: process.env.PATH,
    ...(process.env.NODE_ENV === undefined ? {} : { NODE_ENV: process.env.NODE_ENV }),
    // Node adds a folder of its own for each version and account.
    ...(compiled === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(compiled) }),
  };
}
