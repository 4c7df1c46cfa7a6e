import { type ChildProcess, fork } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import path from 'node:path';

/** How a program is started. */
interface StartOptions {
  readonly words?: readonly string[];
  /** Node's own flags. */
  readonly flags?: readonly string[];
  /** Called when it could not be started or ended, or a message could not be sent. */
  readonly failed: (error: Error) => void;
}

/**
 * Starts a program of ours in a child process that exchanges messages with us. Neither the process nor its pipe
 * keeps the server from ending.
 *
 * @param file as `programFile` names it
 */
export function startProgram(file: string, { words = [], flags = [], failed }: StartOptions): ChildProcess {
  const child = fork(file, [...words], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning', ...flags],
    env: childEnvironment(),
  });
  child.on('error', failed);
  child.unref();
  child.channel?.unref();
  return child;
}

/**
 * The environment of our own child processes. It holds no secrets, and it names the folder in which Node keeps
 * compiled modules: a child that finds its modules there starts in half the time and need not load the
 * TypeScript compiler.
 */
function childEnvironment(): NodeJS.ProcessEnv {
  const compiled = getCompileCacheDir();
  return {
    PATH: process.env.PATH,
    // The C library gives large blocks back when they are free. Without this it keeps a fifth of what models need.
    MALLOC_ARENA_MAX: '1',
    MALLOC_MMAP_THRESHOLD_: '262144',
    ...(process.env.NODE_ENV === undefined ? {} : { NODE_ENV: process.env.NODE_ENV }),
    // Node adds a folder of its own for each version and account.
    ...(compiled === undefined ? {} : { NODE_COMPILE_CACHE: path.dirname(compiled) }),
  };
}
