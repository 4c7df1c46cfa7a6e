import path from 'node:path';
import { parseStorageUrl } from '../../kernel/config/storage-url.ts';
import {
  createS3Client,
  listKeys,
  type S3Client,
  S3Refusal,
} from '../../kernel/resources/object-store/s3-client.ts';
import { BACKUP_NAME, HEADER, parseHeader } from './backup-format.server.ts';

/** Prefix of the keys of all daily backups in a bucket. */
export const BACKUPS = 'northline-';
/**
 * Prefix of the mark that names the installation beside an unfinished transfer, so that each installation
 * removes only its own.
 */
export const MARK = 'of-';

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

/** The client of a bucket for backups. */
export function openBucket(place: string): S3Client {
  const address = parseStorageUrl(place);
  if (address.kind !== 's3') throw new Error('A place of backups is a folder or s3://…');
  return createS3Client(address);
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
    const { code } = error as { code?: unknown };
    if (code === 'storage_full')
      throw new Error(
        `The bucket of backups ${shownPlace(place)} is full: make space, or keep fewer backups.`,
        {
          cause: error,
        },
      );
    if (code === 'storage_unavailable')
      throw new Error(
        `The bucket of backups ${shownPlace(place)} does not answer: check its host and port.`,
        {
          cause: error,
        },
      );
    throw error;
  }
}

/** The keys in a bucket below a prefix. */
export async function keysUnder(client: S3Client, prefix: string): Promise<string[]> {
  return (await Array.fromAsync(listKeys(client, prefix))).map(({ key }) => key);
}

/** Names of the complete backups among the keys of a bucket, oldest first. */
export function completeNames(keys: readonly string[]): string[] {
  return keys
    .filter((key) => key.endsWith(`/${HEADER}`) && BACKUP_NAME.test(path.dirname(key)))
    .map((key) => path.dirname(key))
    .sort((left, right) => left.localeCompare(right, 'en', { numeric: true }));
}

/** Those of some backups in a bucket that one installation made, by its id. */
export async function namesOf(
  client: S3Client,
  names: readonly string[],
  installation: string,
): Promise<string[]> {
  const ours: string[] = [];
  for (const name of names) {
    const { text } = await client.send({ method: 'GET', key: `${name}/${HEADER}` });
    if (parseHeader(text)?.installation === installation) ours.push(name);
  }
  return ours;
}
