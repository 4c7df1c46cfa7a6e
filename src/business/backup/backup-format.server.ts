import { createHmac, randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { derivedSecret } from '../../kernel/resources/crypto/secrets.ts';
import { part } from './backup-part.server.ts';
import { deriveBackupKey, SCRYPT_COST, subkey } from './part-encryption.server.ts';

/** Version of the layout; a newer product writes a higher one. */
export const FORMAT = 1;
/** Written last, so a folder without it is not a backup. */
export const HEADER = 'backup.json';
/** `northline-20261122T030000Z`, followed by a number if two backups were made in the same second. */
export const BACKUP_NAME = /^northline-\d{8}T\d{6}Z(-\d+)?$/;

/** How a backup is encrypted, without its key. */
export const encryption = z.object({
  kdf: z.literal('scrypt'),
  n: z.literal(SCRYPT_COST.n),
  r: z.literal(SCRYPT_COST.r),
  p: z.literal(SCRYPT_COST.p),
  salt: z.string(),
  /** Proves the passphrase, so that a wrong one is not taken for damage. */
  check: z.string(),
});

/** The header as it is stored. */
export const header = z.object({
  format: z.number().int(),
  /** Version of the product, for people. */
  made_by: z.string(),
  made_at: z.iso.datetime(),
  /** The installation that made it: the id of its organisation at /voice/v1. */
  installation: z.string(),
  encryption: encryption.nullable(),
  /** The manifest, as it is stored. */
  manifest: part,
  /** HMAC-SHA-256 of everything above. */
  mac: z.string(),
});
/** The parts of a backup that can be read without its passphrase. */
export type BackupHeader = z.output<typeof header>;

/** The manifest as it is stored. */
export const manifest = z.object({
  /** `server_version_num` of the database. */
  postgres: z.number(),
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })),
  /** Each table with its stored columns, and its rows as PostgreSQL's COPY text. */
  tables: z.array(
    z.object({ schema: z.string(), name: z.string(), columns: z.array(z.string()), rows: z.number(), part }),
  ),
  sequences: z.array(
    z.object({ schema: z.string(), name: z.string(), value: z.string(), called: z.boolean() }),
  ),
  keys: part,
  files: z.object({
    /** `here`: the bytes are in the backup. `bucket`: they stayed in the bucket of STORAGE_URL. */
    bytes_are: z.enum(['here', 'bucket']),
    /** Number of objects in the snapshot, and their total size. */
    count: z.number(),
    size: z.number(),
    /** Objects whose bytes the installation itself had lost: `bucket/path`, their version. */
    lost: z.array(z.object({ object: z.string(), version: z.string(), what: z.string() })),
  }),
});
/** The content of a backup. */
export type Manifest = z.output<typeof manifest>;

/** A backup cannot be restored; the message is a sentence for the operator. */
export class BackupRefused extends Error {}

/** Encryption settings for the header, and the key for a new backup. */
export async function newEncryption(
  passphrase: string,
): Promise<{ key: Buffer; encryption: z.output<typeof encryption> }> {
  const salt = randomBytes(32);
  const key = await deriveBackupKey(passphrase, salt);
  return {
    key,
    encryption: {
      kdf: 'scrypt',
      ...SCRYPT_COST,
      salt: salt.toString('base64url'),
      check: subkey(key, 'check').toString('base64url'),
    },
  };
}

/**
 * The header's text. Its MAC is made with the passphrase. Without one it is made with the installation's
 * master secret; it then detects damage, but does not stop anybody who can read keys.json in the backup.
 */
export function writeHeader(
  fields: Omit<BackupHeader, 'mac' | 'format'>,
  secret: { key: Buffer | undefined; masterSecret: string },
): { name: string; text: string } {
  const unsigned = { format: FORMAT, ...fields };
  return {
    name: HEADER,
    text: `${JSON.stringify({ ...unsigned, mac: macOf(unsigned, secret) }, null, 2)}\n`,
  };
}

/** A manifest's text. */
export function writeManifest(content: Manifest): string {
  return `${JSON.stringify(content, null, 1)}\n`;
}

/** The complete backups in a folder, oldest first; only those of one installation if it is given. */
export function listBackups(
  folder: string,
  installation?: string,
): { folder: string; header: BackupHeader }[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => BACKUP_NAME.test(name) && existsSync(path.join(folder, name, HEADER)))
    .sort((left, right) => left.localeCompare(right, 'en', { numeric: true }))
    .flatMap((name) => {
      const found = parseHeader(readFileSync(path.join(folder, name, HEADER), 'utf8'));
      return found === undefined ? [] : [{ folder: path.join(folder, name), header: found }];
    })
    .filter((one) => installation === undefined || one.header.installation === installation);
}

/** Parses a header without proving it; undefined when it cannot be understood. */
export function parseHeader(text: string): BackupHeader | undefined {
  return header.safeParse(parseJson(text)).data;
}

/**
 * The backup that `--from` names: the folder itself, or the newest backup in it, of one installation if it is given.
 * @throws BackupRefused when there is none
 */
export function findBackup(folder: string, installation?: string): string {
  if (existsSync(path.join(folder, HEADER))) return folder;
  const newest = listBackups(folder, installation).at(-1);
  if (newest === undefined) throw new BackupRefused(`There is no backup in ${folder}.`);
  return newest.folder;
}

/** HMAC-SHA-256 (hex) of a header's fields, with the key of the passphrase, or without one with the master secret. */
export function macOf(unsigned: object, secret: { key: Buffer | undefined; masterSecret: string }): string {
  const key =
    secret.key === undefined
      ? derivedSecret({ master_secret: secret.masterSecret }, 'backup')
      : subkey(secret.key, 'header');
  return createHmac('sha256', key).update(canonical(unsigned)).digest('hex');
}

/** Puts the fields into one order, whatever the order in the file. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
      : inner,
  );
}

/** The value of a JSON text; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
