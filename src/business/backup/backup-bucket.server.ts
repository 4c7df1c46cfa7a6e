import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseStorageUrl } from '../../kernel/config/storage-url.ts';
import {
  createS3Client,
  listKeys,
  removeKeys,
  type S3Client,
  S3Refusal,
} from '../../kernel/resources/object-store/s3-client.ts';
import { abortUnfinished, fetchFile, sendFile } from '../../kernel/resources/object-store/s3-file.ts';
import { BACKUP_NAME, BackupRefused, findBackup, HEADER, parseHeader } from './backup-archive.server.ts';
import { type BackupOrder, createBackup, type MadeBackup } from './backup-creation.server.ts';
import { NOTES } from './erasure-notes.server.ts';

/** An unfinished transfer that is this old, in milliseconds, will not be completed. */
const ABANDONED_MS = 24 * 3600 * 1000;
/**
 * Prefix of the mark that names the installation beside an unfinished transfer, so that each installation
 * removes only its own.
 */
const MARK = 'of-';
const STAGING = 'backup-staging';
/** Prefix of the keys of all backups. */
const BACKUPS = 'northline-';

/** Whether a place for backups is a bucket, `s3://…`, and not a folder. */
export function isBucketPlace(place: string): boolean {
  return place.startsWith('s3://');
}

/** The address of a place for backups as people may see it: without the bucket's keys. */
export function shownPlace(place: string): string {
  return isBucketPlace(place) ? place.replace(/^s3:\/\/[^@]*@/, 's3://').replace(/\?.*$/, '') : place;
}

/**
 * The name of the backup in `folder` as people may see it: with its place in the bucket if it came from one.
 */
export function shownBackup(place: string, folder: string): string {
  if (!isBucketPlace(place)) return folder;
  const shown = shownPlace(place).replace(/\/$/, '');
  const name = path.basename(folder);
  return shown.endsWith(`/${name}`) ? shown : `${shown}/${name}`;
}

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
      const removed = await removeOld(client, order);
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
 * @throws BackupRefused when there is none
 */
export async function withBackupOf<Result>(
  place: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  if (!isBucketPlace(place)) return work(findBackup(place));
  const one = /\/(northline-\d{8}T\d{6}Z(?:-\d+)?)\/?(?=\?|$)/.exec(place)?.[1];
  const client = openBucket(one === undefined ? place : place.replace(`/${one}`, ''));
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'northline-fetched-'));
  try {
    const folder = await inSentence(place, async () => {
      const name = one ?? completeNames(await keysUnder(client, BACKUPS)).at(-1);
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

/** The client of a bucket of backups, without a request. @throws Error for another place */
export function openBucket(place: string): S3Client {
  const address = parseStorageUrl(place);
  if (address.kind !== 's3') throw new Error('A place of backups is a folder or s3://…');
  return createS3Client(address);
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

/** Removes complete backups beyond `keep`, and unfinished transfers whose sender died. */
async function removeOld(client: S3Client, { keep, keys }: BackupOrder): Promise<string[]> {
  const all = await keysUnder(client, BACKUPS);
  const complete = completeNames(all);
  const ours = [];
  for (const name of complete) {
    const { text } = await client.send({ method: 'GET', key: `${name}/${HEADER}` });
    if (parseHeader(text)?.installation === keys.voice_org_id) ours.push(name);
  }
  const old = keep === undefined ? [] : ours.slice(0, -keep);
  // The header is removed first, so that no backup is left half complete.
  await removeKeys(
    client,
    old.map((name) => `${name}/${HEADER}`),
  );
  const abandoned = all
    .filter((key) => key.endsWith(`/${MARK}${keys.voice_org_id}`))
    .map((key) => key.split('/')[0] ?? '')
    .filter((name) => !complete.includes(name) && Date.now() - madeAt(name) > ABANDONED_MS);
  for (const name of [...old, ...abandoned]) {
    await abortUnfinished(client, `${name}/`);
    await removeKeys(
      client,
      all.filter((key) => key.startsWith(`${name}/`)),
    );
  }
  return old;
}

async function keysUnder(client: S3Client, prefix: string): Promise<string[]> {
  return (await Array.fromAsync(listKeys(client, prefix))).map(({ key }) => key);
}

/** Names of the complete backups, oldest first. */
function completeNames(keys: readonly string[]): string[] {
  return keys
    .filter((key) => key.endsWith(`/${HEADER}`) && BACKUP_NAME.test(path.dirname(key)))
    .map((key) => path.dirname(key))
    .sort((left, right) => left.localeCompare(right, 'en', { numeric: true }));
}

/** The time in a backup's name, epoch ms. */
function madeAt(name: string): number {
  const [, year, month, day, hour, minute, second] =
    /^northline-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(name) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
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

/**
 * Runs requests to the bucket. @throws Error with a sentence about the bucket when it refuses or is
 * unavailable
 */
export async function inSentence<Result>(place: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof S3Refusal)
      throw new Error(
        `The bucket of backups ${shownPlace(place)} refused (${error.status} ${error.code}): check its name, keys and region.`,
        { cause: error },
      );
    if ((error as { code?: unknown }).code === 'storage_unavailable')
      throw new Error(
        `The bucket of backups ${shownPlace(place)} does not answer: check its host and port.`,
        {
          cause: error,
        },
      );
    throw error;
  }
}
