import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** How a reader is isolated from the rest of the machine. */
export interface Sandbox {
  /** `own`: an account of its own, which only root can give; `ours`: the server's account. */
  readonly account: 'own' | 'ours';
  /** Whether the reader has no network. */
  readonly offline: boolean;
  /** The command that runs `program` with `args` in the sandbox, and the account to start it with. */
  command(program: string, args: readonly string[]): SandboxCommand;
}

/** The arguments of `spawn`. */
export interface SandboxCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly uid?: number;
  readonly gid?: number;
}

/** Accounts for services without a name (systemd's DynamicUser), which own no files. Each reader gets one. */
const ACCOUNTS = { from: 61_184, to: 65_519 } as const;
/** Lowers the reader's priority to about a third of the share of an ordinary process, so that it never stops for long. */
const NICE = ['nice', '-n', '5'] as const;
const LEAST_RIGHTS = ['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all'] as const;

type Wrap = (account: number) => { readonly words: readonly string[]; readonly asAccount?: true };

/** Ways to isolate a reader, strictest first; the first one that works on this machine is used. */
const WAYS: readonly (Pick<Sandbox, 'account' | 'offline'> & {
  readonly root: boolean;
  readonly wrap: Wrap;
})[] = [
  {
    root: true,
    account: 'own',
    offline: true,
    wrap: (id) => ({
      words: [
        ...['unshare', '--net', '--', 'setpriv', `--reuid=${id}`, `--regid=${id}`, '--clear-groups'],
        ...LEAST_RIGHTS,
        ...['--', ...NICE],
      ],
    }),
  },
  { root: true, account: 'own', offline: false, wrap: () => ({ words: NICE, asAccount: true }) },
  {
    root: false,
    account: 'ours',
    offline: true,
    wrap: () => ({
      words: ['unshare', '--map-root-user', '--net', '--', 'setpriv', ...LEAST_RIGHTS, '--', ...NICE],
    }),
  },
  {
    root: true,
    account: 'ours',
    offline: true,
    wrap: () => ({ words: ['unshare', '--net', '--', ...NICE] }),
  },
  { root: false, account: 'ours', offline: false, wrap: () => ({ words: NICE }) },
  { root: true, account: 'ours', offline: false, wrap: () => ({ words: [] }) },
  { root: false, account: 'ours', offline: false, wrap: () => ({ words: [] }) },
];

const PROBE = "for (const file of process.argv.slice(1)) require('node:fs').accessSync(file, 4)";
const PROBE_MS = 10_000;
/** PATH of the sandbox's programs; a reader has no other environment. */
export const SANDBOX_PATH = '/usr/bin:/bin';

/**
 * Finds the strictest sandbox of this machine in which the reader can still read its code. It tries each one: a container
 * may lack the rights, and another account cannot enter a checkout in root's home folder.
 *
 * @param code files that a reader must be able to open
 */
export async function findSandbox(code: readonly string[]): Promise<Sandbox> {
  const isRoot = process.geteuid?.() === 0;
  for (const way of WAYS) {
    if (way.root !== isRoot) continue;
    const sandbox = sandboxOf(way);
    if (await works(sandbox, code)) return sandbox;
  }
  return sandboxOf({ account: 'ours', offline: false, wrap: () => ({ words: [] }) });
}

function sandboxOf({ account, offline, wrap }: Omit<(typeof WAYS)[number], 'root'>): Sandbox {
  return {
    account,
    offline,
    command(program, args) {
      const id = randomInt(ACCOUNTS.from, ACCOUNTS.to);
      const { words, asAccount } = wrap(id);
      const [file = program, ...rest] = [...words, program, ...args];
      return { file, args: rest, ...(asAccount === true ? { uid: id, gid: id } : {}) };
    },
  };
}

async function works(sandbox: Sandbox, code: readonly string[]): Promise<boolean> {
  const { file, args, ...account } = sandbox.command(process.execPath, ['-e', PROBE, ...code]);
  try {
    await run(file, args, { ...account, env: { PATH: SANDBOX_PATH }, timeout: PROBE_MS, cwd: '/' });
    return true;
  } catch {
    return false;
  }
}
