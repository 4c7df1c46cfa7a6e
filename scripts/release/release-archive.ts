import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { PRODUCT_VERSION } from '../../src/kernel/config/product-version.ts';
import { PROJECT_ROOT } from '../../src/kernel/config/project-root.ts';
import { findPostgresBinaries } from '../../src/kernel/resources/database/postgres-binaries.ts';
import { billOfMaterials } from './bill-of-materials.ts';
import { releaseFiles } from './release-files.ts';

/**
 * Makes a release of this checkout for this platform in `folder`: the archive with everything that it needs
 * to run (Node, PostgreSQL, packages, the built site), its bill of materials, and the checksums of both. Two
 * runs on the same sources and packages make the same bytes.
 *
 * @returns the names of the files
 */
export async function makeRelease(folder: string, level = 6): Promise<string[]> {
  const platform = `${process.platform}-${process.arch}`;
  if (process.platform !== 'linux') throw new Error('A release is made on Linux, with GNU tar.');
  const name = `northline-${PRODUCT_VERSION}`;
  const archive = `${name}-${platform}.tar.gz`;
  const epoch = releaseTime();
  mkdirSync(folder, { recursive: true });
  // The links of the database's libraries must exist where nothing can be written at run time.
  findPostgresBinaries(undefined);
  const files = releaseFiles(PROJECT_ROOT, platform);
  await pack(path.join(folder, archive), { files, name, epoch, level });
  const bill = `${name}.cdx.json`;
  writeFileSync(path.join(folder, bill), billOfMaterials(PROJECT_ROOT, epoch));
  const sums = await Promise.all(
    [archive, bill].map(async (file) => `${await sha256(path.join(folder, file))}  ${file}\n`),
  );
  writeFileSync(path.join(folder, 'SHA256SUMS'), sums.join(''));
  return [archive, bill, 'SHA256SUMS'];
}

/** The time of all files, seconds since 1970: SOURCE_DATE_EPOCH, or that of the last commit. */
function releaseTime(): number {
  const given = process.env.SOURCE_DATE_EPOCH;
  const text =
    given ?? execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: PROJECT_ROOT, encoding: 'utf8' });
  return Number(text.trim());
}

/** GNU tar without any trace of this machine, compressed; it gets its name only when it is complete. */
async function pack(
  target: string,
  { files, name, epoch, level }: { files: string[]; name: string; epoch: number; level: number },
): Promise<void> {
  const flags = [
    ...['--create', '--format=gnu', '--no-recursion', '--null', '--verbatim-files-from', '--files-from=-'],
    ...['--owner=0', '--group=0', '--numeric-owner', `--mtime=@${epoch}`, '--mode=u=rwX,go=rX'],
    `--transform=flags=r;s,^,${name}/,`,
  ];
  const tar = spawn('tar', flags, { cwd: PROJECT_ROOT, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve, reject) => {
    tar.on('error', reject);
    tar.on('close', resolve);
  });
  const unfinished = `${target}.unfinished`;
  await Promise.all([
    pipeline(Readable.from(files.map((file) => `${file}\0`)), tar.stdin),
    pipeline(tar.stdout, createGzip({ level }), createWriteStream(unfinished)),
  ]);
  if ((await ended) !== 0) throw new Error('tar could not pack the release: see its message above.');
  renameSync(unfinished, target);
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece);
  return hash.digest('hex');
}
