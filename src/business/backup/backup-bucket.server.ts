import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { S3Client } from '../../kernel/resources/object-store/s3-client.ts';
import { fetchFile, sendFile } from '../../kernel/resources/object-store/s3-file.ts';
import { type BackupOrder, createBackup, type MadeBackup } from './backup-creation.server.ts';
import { expireInBucket } from './backup-expiry.server.ts';
import { BACKUP_NAME, BackupRefused, findBackup, HEADER } from './backup-format.server.ts';
import {
  BACKUPS,
  completeNames,
  inSentence,
  isBucketPlace,
  keysUnder,
  MARK,
  namesOf,
  openBucket,
  shownBackup,
  shownPlace,
} from './backup-place.server.ts';
import { NOTES } from './erasure-notes.server.ts';

const STAGING = 'backup-staging';

/**
 * Makes a backup in a folder below DATA_DIR and sends it to a bucket; the header, which makes it a backup, is
 * sent last. Then removes the oldest backups of this installation there beyond `keep`.
 *
 * @param order `to` is `s3://…`
 * @throws Error with a sentence; in that case the bucket has no incomplete backup
 */
export async function createBackupInBucket(order: BackupOrder): Promise<MadeBackup> {
  const client = openBucket(order.to);
  const parent = path.join(order.dataDir, STAGING);
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  removeLeftStaging(parent);
  const staging = mkdtempSync(path.join(parent, `${os.hostname()}-${process.pid}-`));
  try {
    await inSentence(order.to, () => fetchNotes(client, staging));
    // A name taken in the bucket is taken here too: another backup of the same second is never overwritten.
    const taken = await inSentence(order.to, () => keysUnder(client, BACKUPS));
    for (const name of new Set(taken.map((key) => key.split('/')[0] ?? '')))
      if (BACKUP_NAME.test(name)) mkdirSync(path.join(staging, name));
    const made = await createBackup({ ...order, to: staging, keep: undefined });
    const name = path.basename(made.folder);
    return await inSentence(order.to, async () => {
      await sendBackup(client, made.folder, order.keys.voice_org_id);
      const notes = path.join(staging, NOTES);
      if (existsSync(notes)) await sendFile(client, NOTES, notes);
      const removed = await expireInBucket(client, order);
      const shown = (one: string): string => shownBackup(order.to, one);
      return { ...made, folder: shown(name), removed: removed.map(shown) };
    });
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/**
 * Downloads a backup from a bucket and passes its folder to `work`; the folder is removed afterwards.
 *
 * @param place `s3://…` with the backups below its prefix, or the address of one backup
 * @param which the newest of one installation, by its id, and of all without it; and the folder to download into
 * @throws BackupRefused when there is none
 */
export async function withBackupOf<Result>(
  place: string,
  work: (folder: string) => Promise<Result>,
  { installation, parent = os.tmpdir() }: { readonly installation?: string; readonly parent?: string } = {},
): Promise<Result> {
  if (!isBucketPlace(place)) return work(findBackup(place, installation));
  const one = /\/(northline-\d{8}T\d{6}Z(?:-\d+)?)\/?(?=\?|$)/.exec(place)?.[1];
  const client = openBucket(one === undefined ? place : place.replace(`/${one}`, ''));
  const scratch = mkdtempSync(path.join(parent, 'northline-fetched-'));
  try {
    const folder = await inSentence(place, async () => {
      const complete = one === undefined ? completeNames(await keysUnder(client, BACKUPS)) : [one];
      const ours = installation === undefined ? complete : await namesOf(client, complete, installation);
      const name = ours.at(-1);
      const keys = name === undefined ? [] : await keysUnder(client, `${name}/`);
      if (name === undefined || !keys.includes(`${name}/${HEADER}`))
        throw new BackupRefused(`There is no backup in ${shownPlace(place)}.`);
      for (const key of keys) {
        if (isSafe(key) && !key.startsWith(`${name}/${MARK}`))
          await fetchFile(client, key, path.join(scratch, key));
      }
      await fetchNotes(client, scratch);
      return path.join(scratch, name);
    });
    return await work(folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** False for a key that would lead out of the folder; anybody may have made the keys. */
function isSafe(key: string): boolean {
  return /^[a-z0-9_./-]+$/i.test(key) && !key.split('/').includes('..');
}

async function sendBackup(client: S3Client, folder: string, installation: string): Promise<void> {
  const name = path.basename(folder);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .filter((file) => file !== HEADER);
  await client.send({ method: 'PUT', key: `${name}/${MARK}${installation}`, body: Buffer.alloc(0) });
  for (const file of files) await sendFile(client, `${name}/${file}`, path.join(folder, file));
  await sendFile(client, `${name}/${HEADER}`, path.join(folder, HEADER));
}

/** Downloads the list of erased people, which is beside the backups. */
async function fetchNotes(client: S3Client, folder: string): Promise<void> {
  if ((await keysUnder(client, NOTES)).includes(NOTES))
    await fetchFile(client, NOTES, path.join(folder, NOTES));
}

/** Removes what ended processes of this machine left here. */
function removeLeftStaging(parent: string): void {
  const own = `${os.hostname()}-`;
  for (const name of readdirSync(parent)) {
    const pid = Number(name.startsWith(own) ? name.slice(own.length).split('-')[0] : Number.NaN);
    if (!Number.isInteger(pid) || isAlive(pid)) continue;
    rmSync(path.join(parent, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
