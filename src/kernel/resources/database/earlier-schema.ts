import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { isEarlierVersion, moveToEarlier } from './earlier-version.ts';
import { type AppliedMigration, readMigrations } from './migration-files.ts';
import { migrate } from './migrations.ts';

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
  const isEarlier = isEarlierVersion(folder, applied);
  const chosen = isEarlier ? baselineOf(folder) : chooseMigrations(folder, applied);
  const part = mkdtempSync(path.join(os.tmpdir(), 'northline-migrations-'));
  try {
    for (const name of chosen) cpSync(path.join(folder, name), path.join(part, name));
    await migrate(owner, part);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
  if (isEarlier) await moveToEarlier(owner, folder);
}

const baselineOf = (folder: string): string[] =>
  readMigrations(folder)
    .map(({ name }) => name)
    .filter((name) => name.startsWith('baseline/'));

/**
 * The files of `folder` that create the schema of `applied`.
 *
 * @throws Error as `migrateAsFarAs`
 */
export function chooseMigrations(folder: string, applied: readonly AppliedMigration[]): string[] {
  const files = new Map(readMigrations(folder).map(({ name, checksum }) => [name, checksum]));
  for (const { name, checksum } of applied) {
    const here = files.get(name);
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
  return applied.map(({ name }) => name).sort();
}
