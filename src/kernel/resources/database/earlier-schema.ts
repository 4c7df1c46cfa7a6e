import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { migrate } from './migrations.ts';

/** A migration that a database has: its name and the SHA-256 of its text, hex. */
export interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
}

/**
 * Gives an empty database the schema that the migrations `applied` created, from the files of `folder`;
 * `migrate` then brings it to this version.
 *
 * @throws Error with one sentence when a migration is unknown (from a newer version) or differs from ours
 */
export async function migrateAsFarAs(
  owner: pg.ClientConfig,
  folder: string,
  applied: readonly AppliedMigration[],
): Promise<void> {
  const chosen = chooseMigrations(folder, applied);
  const part = mkdtempSync(path.join(os.tmpdir(), 'northline-migrations-'));
  try {
    for (const name of chosen) cpSync(path.join(folder, name), path.join(part, name));
    await migrate(owner, part);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

/**
 * The files of `folder` that create the schema of `applied`. Where a baseline replaced them
 * (`replaced.sha256`, lines as `sha256sum` writes them), the baseline stands for all of them.
 *
 * @throws Error as `migrateAsFarAs`
 */
export function chooseMigrations(folder: string, applied: readonly AppliedMigration[]): string[] {
  const files = new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.sql'))
      .map((name) => [name.split(path.sep).join('/'), checksumOf(path.join(folder, name))]),
  );
  const replaced = readChecksums(path.join(folder, 'replaced.sha256'));
  for (const { name, checksum } of applied) {
    const here = files.get(name) ?? replaced.get(name);
    if (here === undefined) {
      throw new Error(
        `The backup was made by a newer version of Northline (it has ${name}): install that version.`,
      );
    }
    if (here !== checksum) {
      throw new Error(
        `The backup has another migration ${name} than this version: install the version that made it.`,
      );
    }
  }
  const chosen = applied.map(({ name }) => name).filter((name) => files.has(name));
  if (chosen.length === applied.length) return chosen.sort();
  refuseIncomplete(applied, replaced);
  const baseline = [...files.keys()].filter((name) => name.startsWith('baseline/'));
  return [...new Set([...chosen, ...baseline])].sort();
}

function refuseIncomplete(applied: readonly AppliedMigration[], replaced: ReadonlyMap<string, string>): void {
  const has = new Set(applied.map(({ name }) => name));
  const missing = [...replaced.keys()].find((name) => !has.has(name));
  if (missing !== undefined) {
    throw new Error(
      `The backup was made by a version of Northline that is too old for this one (it lacks ${missing}): restore it with the version that made it.`,
    );
  }
}

function checksumOf(file: string): string {
  return createHash('sha256').update(readFileSync(file, 'utf8')).digest('hex');
}

function readChecksums(file: string): Map<string, string> {
  if (!existsSync(file)) return new Map();
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}
