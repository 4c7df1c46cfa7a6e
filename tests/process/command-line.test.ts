import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { run } from '../../src/cli/northline.ts';
import { PROJECT_ROOT } from '../../src/kernel/config/project-root.ts';

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** `northline WORDS…` with an empty data folder and only the test's settings. */
function northline(words: readonly string[], settings: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = { PATH: process.env.PATH, DATA_DIR: folder, PORT: '1', ...settings };
  return new Promise((resolve) => {
    const entry = path.join(PROJECT_ROOT, 'src', 'cli', 'northline.ts');
    execFile(process.execPath, [entry, ...words], { env }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    );
  });
}

/** The help text, without starting a process. */
async function helpOf(words: readonly string[]): Promise<string> {
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    expect(await run(words)).toBe(0);
    return printed.mock.calls.map(([text]) => String(text)).join('');
  } finally {
    printed.mockRestore();
  }
}

const COMMANDS = [
  ...[
    'api-keys',
    'assistant',
    'backup',
    'billing',
    'calls',
    'doctor',
    'events',
    'install-service',
    'keys',
    'mailbox',
    'operators',
    'person',
    'restore',
    'settings',
    'storage',
    'upgrade',
    'upgrade-database',
    'verify',
    'voice',
  ],
];

test('help names every command, and each command lists its arguments', async () => {
  const list = await northline([]);
  expect(list).toMatchObject({ code: 0, err: '' });
  expect(list.out.match(/^ {2}([\w-]+)/gm)?.map((line) => line.trim())).toEqual([...COMMANDS, 'help']);
  for (const name of COMMANDS) {
    const asked = await helpOf(['help', name]);
    expect(asked).toContain(`  northline ${name} `);
    expect(await helpOf([name, '--help'])).toBe(asked);
  }
});

test('an unknown command, or words that fit none, exit with 2 and a hint', async () => {
  const misspelt = await northline(['biling']);
  expect(misspelt).toMatchObject({ code: 2, out: '' });
  expect(misspelt.err).toContain('There is no command biling. Did you mean billing?');
  const wrong = await northline(['billing', 'dance']);
  expect(wrong).toMatchObject({ code: 2, out: '' });
  expect(wrong.err).toContain('There is no billing dance.');
  expect(wrong.err).toContain('northline billing explain CUSTOMER');
});

test('a command that fails exits with 1 and one sentence', async () => {
  const nothing = await northline(['operators', 'list']);
  expect(nothing.code).toBe(1);
  expect(nothing.err).toMatch(
    /^There is no installation in .*: start the product once, or set DATA_DIR\.\n$/,
  );
  const wrong = await northline(['settings', 'check'], { LOG_LEVEL: 'loud' });
  expect(wrong.code).toBe(1);
  expect(wrong.err).toContain('LOG_LEVEL');
});

test('settings check prints every setting, and no secret', async () => {
  const { code, out } = await northline(['settings', 'check'], {
    SMTP_URL: 'smtps://agency:correct-horse@mail.example',
  });
  expect(code).toBe(0);
  expect(out).toContain('LOG_LEVEL=info');
  expect(out).not.toContain('correct-horse');
});
