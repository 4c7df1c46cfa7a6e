import { execFileSync } from 'node:child_process';
import { chownSync, cpSync, lchownSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serverAccount } from '../../src/kernel/resources/database/postgres-binaries.ts';
import {
  CHECKOUT,
  type RunOptions,
  runProduct,
  temporaryFolder,
} from '../support/servers/product-process.ts';

/** Root hands the clone to an ordinary account; anybody else is one. */
const account = serverAccount();
const NODE_PACKAGE = `node-${process.platform}-${process.arch}`;
/** An address at which no registry answers. */
const NOWHERE = 'http://127.0.0.1:9/';

/** The oldest versions that the README names. */
function oldestVersions(): { node: string; npm: string } {
  const readme = readFileSync(path.join(CHECKOUT, 'README.md'), 'utf8');
  const [, node, npm] = /\bNode (\d+\.\d+\.\d+)[^.]*\bnpm (\d+\.\d+\.\d+)/.exec(readme) ?? [];
  if (node === undefined || npm === undefined) throw new Error('README.md names no oldest Node and npm.');
  return { node, npm };
}

function freshFolder(name: string): string {
  const folder = temporaryFolder(name, account);
  onTestFinished(() => folder[Symbol.dispose]());
  return folder.path;
}

/** Puts the oldest Node and npm into a folder of their own; returns the PATH that has no others. */
function oldestTools(): string {
  const { node, npm } = oldestVersions();
  const folder = freshFolder('oldest');
  execFileSync('npm', ['install', '--no-save', '--prefix', folder, `${NODE_PACKAGE}@${node}`, `npm@${npm}`]);
  return `${path.join(folder, 'node_modules', '.bin')}:/usr/bin:/bin`;
}

/** What git has of this checkout, in an empty folder; nothing is installed or built. */
function freshClone(home: string): string {
  const clone = path.join(home, 'northline');
  const list = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: CHECKOUT,
    encoding: 'utf8',
  });
  for (const file of list.split('\0').filter(Boolean))
    cpSync(path.join(CHECKOUT, file), path.join(clone, file));
  return clone;
}

function handOver(folder: string): void {
  if (account === undefined) return;
  chownSync(folder, account.uid, account.gid);
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    lchownSync(path.join(folder, name), account.uid, account.gid);
}

/** Where a proxy of the network stands before the registry, this machine names the certificates to trust. */
function ownAuthorities(): Record<string, string> {
  const file = process.env.NODE_EXTRA_CA_CERTS;
  return file === undefined ? {} : { NODE_EXTRA_CA_CERTS: file };
}

/** How an ordinary user starts a clone with the oldest tools and nothing in npm's cache. */
function ordinaryStart(home: string, clone: string): RunOptions {
  return {
    folder: clone,
    settings: { HOME: home, PATH: oldestTools(), ...ownAuthorities() },
    ...(account === undefined ? {} : { account }),
  };
}

test('a fresh clone starts with the oldest Node and npm that the README names, later without network', async () => {
  const home = freshFolder('oldest-home');
  const clone = freshClone(home);
  handOver(home);
  const options = ordinaryStart(home, clone);
  for (const settings of [{}, { npm_config_registry: NOWHERE }]) {
    const product = runProduct({ ...options, settings: { ...options.settings, ...settings } });
    expect((await product.url.then((url) => fetch(`${url}/readyz`))).status).toBe(200);
    expect((await product.stop()).code).toBe(0);
  }
  expect(readdirSync(clone).filter((name) => name.startsWith('.installing'))).toEqual([]);
});

test('package.json asks for the oldest versions that the README names', () => {
  const { engines } = JSON.parse(readFileSync(path.join(CHECKOUT, 'package.json'), 'utf8')) as {
    engines: unknown;
  };
  const { node, npm } = oldestVersions();
  expect(engines).toEqual({ node: `>=${node}`, npm: `>=${npm}` });
});

test('a fetched Node whose hash is not that of the lock file installs nothing', async () => {
  const home = freshFolder('other-hash');
  const clone = freshClone(home);
  const lockFile = path.join(clone, 'package-lock.json');
  const lock = JSON.parse(readFileSync(lockFile, 'utf8')) as {
    packages: Record<string, { integrity?: string }>;
  };
  const node = lock.packages[`node_modules/${NODE_PACKAGE}`];
  if (node === undefined) throw new Error(`The lock file has no ${NODE_PACKAGE}.`);
  node.integrity = `sha512-${Buffer.alloc(64).toString('base64')}`;
  writeFileSync(lockFile, JSON.stringify(lock));
  handOver(home);
  const product = runProduct(ordinaryStart(home, clone));
  expect((await product.ended).code).toBe(1);
  expect(product.output()).toContain('EINTEGRITY');
  expect(product.output()).toContain('The dependencies could not be installed');
});
