import { timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import {
  type BackupHeader,
  BackupRefused,
  FORMAT,
  HEADER,
  header,
  type Manifest,
  macOf,
  manifest,
  parseJson,
} from './backup-format.server.ts';
import { PartDamaged, readPart, readSmallPart } from './backup-part.server.ts';
import { deriveBackupKey, subkey } from './part-encryption.server.ts';

/** An opened backup; its manifest has been proved genuine. */
export interface OpenBackup {
  readonly folder: string;
  readonly header: BackupHeader;
  readonly manifest: Manifest;
  /** Decrypts the parts. */
  readonly key: Buffer | undefined;
}

/**
 * Opens a backup, and proves its header and manifest genuine.
 *
 * @param passphrase '' when there is none
 * @throws BackupRefused with a sentence
 */
export async function openBackup(folder: string, passphrase: string): Promise<OpenBackup> {
  const found = readHeader(folder);
  const damaged = new BackupRefused(
    `The backup ${folder} was changed or is damaged: its manifest is not the one that was written.`,
  );
  const key = await keyOf(found, folder, passphrase);
  try {
    const text = await readSmallPart(folder, found.manifest, key);
    const content = manifest.parse(JSON.parse(text.toString()));
    const keys = JSON.parse((await readSmallPart(folder, content.keys, key)).toString()) as {
      master_secret?: unknown;
    };
    const { mac, ...unsigned } = found;
    const expected = macOf(unsigned, { key, masterSecret: String(keys.master_secret) });
    if (
      !timingSafeEqual(
        Buffer.from(expected),
        Buffer.from(mac.padEnd(expected.length).slice(0, expected.length)),
      )
    )
      throw damaged;
    return { folder, header: found, manifest: content, key };
  } catch (error) {
    if (error instanceof PartDamaged)
      throw new BackupRefused(`The backup ${folder} was changed or is damaged: ${error.message}.`, {
        cause: error,
      });
    if (error instanceof SyntaxError || error instanceof z.ZodError) throw damaged;
    throw error;
  }
}

/**
 * Reads every part of an opened backup and compares it with the manifest. @throws BackupRefused for the first
 * one that differs
 */
export async function checkParts({ folder, manifest: content }: OpenBackup): Promise<void> {
  for (const one of [...content.tables.map((table) => table.part), content.keys]) {
    try {
      for await (const _ of readPart(folder, one)) {
        // Reading compares the bytes with size and hash.
      }
    } catch (error) {
      if (!(error instanceof PartDamaged)) throw error;
      throw new BackupRefused(`The backup ${folder} was changed or is damaged: ${error.message}.`, {
        cause: error,
      });
    }
  }
}

function readHeader(folder: string): BackupHeader {
  const file = path.join(folder, HEADER);
  if (!existsSync(file)) throw new BackupRefused(`There is no backup in ${folder}.`);
  const given = parseJson(readFileSync(file, 'utf8'));
  const { format } = (given ?? {}) as { format?: unknown };
  if (typeof format === 'number' && format > FORMAT) {
    throw new BackupRefused(
      `The backup ${folder} was made by a newer version of Northline: install that version.`,
    );
  }
  const parsed = header.safeParse(given);
  if (!parsed.success)
    throw new BackupRefused(
      `The backup ${folder} was changed or is damaged: ${HEADER} cannot be understood.`,
    );
  return parsed.data;
}

/**
 * The key that decrypts what a header describes; undefined when it is not encrypted.
 *
 * @param folder its name, for people
 * @throws BackupRefused without a passphrase, or with a wrong one
 */
export async function keyOf(
  found: Pick<BackupHeader, 'encryption'>,
  folder: string,
  passphrase: string,
): Promise<Buffer | undefined> {
  if (found.encryption === null) return undefined;
  if (passphrase === '')
    throw new BackupRefused(`The backup ${folder} is encrypted: name the file with its passphrase.`);
  const key = await deriveBackupKey(passphrase, Buffer.from(found.encryption.salt, 'base64url'));
  if (subkey(key, 'check').toString('base64url') !== found.encryption.check) {
    throw new BackupRefused(`The passphrase does not fit the backup ${folder}.`);
  }
  return key;
}
