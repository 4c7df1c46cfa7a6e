import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inSentence, isBucketPlace, openBucket } from './backup-place.server.ts';

/**
 * Writes a small file to a place of backups, reads it and deletes it, so that the keys, the room and the rights are known
 * to do.
 *
 * @param place a folder or `s3://…`
 * @throws Error with a sentence
 */
export async function tryBackupPlace(place: string): Promise<void> {
  const words = randomBytes(24).toString('hex');
  const name = `northline-trial-${words.slice(0, 12)}`;
  const read = isBucketPlace(place) ? await inBucket(place, name, words) : inFolder(place, name, words);
  if (read !== words) throw new Error(`${name} came back with other bytes.`);
}

async function inBucket(place: string, key: string, words: string): Promise<string> {
  const client = openBucket(place);
  return inSentence(place, async () => {
    await client.send({ method: 'PUT', key, body: Buffer.from(words) });
    try {
      return (await client.send({ method: 'GET', key })).text;
    } finally {
      await client.send({ method: 'DELETE', key });
    }
  });
}

/**
 * Makes sure that a folder for backups is there. Only the last part of its path is made: Node.js never returns from
 * making several parts where the system allows none, such as below /proc.
 *
 * @throws Error with a sentence
 */
export function prepareFolder(folder: string): void {
  try {
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    throw cannotUse(folder, error);
  }
}

const cannotUse = (folder: string, error: unknown): Error =>
  new Error(`The folder ${folder} cannot be used: ${(error as Error).message}.`, { cause: error });

function inFolder(folder: string, name: string, words: string): string {
  const file = path.join(folder, name);
  prepareFolder(folder);
  try {
    writeFileSync(file, words, { mode: 0o600, flag: 'wx' });
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw cannotUse(folder, error);
  } finally {
    rmSync(file, { force: true });
  }
}
