import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A migration that a database has. */
export interface AppliedMigration {
  /**
   * Its path in the folder, under which the database remembers it: `baseline/01-roles.sql`,
   * `0200_parcels.sql`.
   */
  readonly name: string;
  /** SHA-256 of the text, in hexadecimal. */
  readonly checksum: string;
}

/** One file of the migrations' folder. */
export interface MigrationFile extends AppliedMigration {
  readonly sql: string;
}

/** The migrations of `folder` in the order in which they are applied: the baseline, then what was added since. */
export function readMigrations(folder: string): MigrationFile[] {
  const names = ['baseline', ''].flatMap((inside) => {
    const place = path.join(folder, inside);
    if (!existsSync(place)) return [];
    const files = readdirSync(place).filter((name) => name.endsWith('.sql'));
    return files.sort().map((name) => path.posix.join(inside, name));
  });
  return names.map((name) => {
    const sql = readFileSync(path.join(folder, name), 'utf8');
    return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
  });
}

/**
 * Reads a list of checksums in the format of `sha256sum`, by file name; empty when the file does not exist.
 */
export function readChecksums(file: string): Map<string, string> {
  return existsSync(file) ? parseChecksums(readFileSync(file, 'utf8')) : new Map();
}

/** The lines of such a list, by name. */
export function parseChecksums(text: string): Map<string, string> {
  return new Map(
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  );
}
