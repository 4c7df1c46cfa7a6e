import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { SealBroken, seal, unseal } from './part-encryption.server.ts';

/**
 * One file of a backup: its path in the backup's folder, and the size and SHA-256 (hex) of its stored bytes.
 */
export const part = z.object({
  file: z
    .string()
    .regex(/^[a-z0-9_./-]+$/i)
    .refine((name) => !name.split('/').includes('..')),
  bytes: z.number(),
  sha256: z.string(),
});
export type Part = z.output<typeof part>;

/** A part is missing or has changed; the message continues a sentence. */
export class PartDamaged extends Error {}

/** Writes a part durably, encrypted if a key is given. */
export async function writePart(
  folder: string,
  file: string,
  source: AsyncIterable<Buffer>,
  key: Buffer | undefined,
): Promise<Part> {
  const place = path.join(folder, file);
  await mkdir(path.dirname(place), { recursive: true, mode: 0o700 });
  const handle = await open(place, 'wx', 0o600);
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const piece of key === undefined ? source : seal(source, key, file)) {
      hash.update(piece);
      bytes += piece.length;
      await handle.writeFile(piece);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { file, bytes, sha256: hash.digest('hex') };
}

/** The stored bytes of a part, compared with its size and hash while they are read. @throws PartDamaged */
export async function* readPart(folder: string, { file, bytes, sha256 }: Part): AsyncGenerator<Buffer> {
  const place = path.join(folder, file);
  if (!existsSync(place)) throw new PartDamaged(`${file} is missing`);
  const hash = createHash('sha256');
  let seen = 0;
  for await (const piece of createReadStream(place, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    hash.update(piece);
    seen += piece.length;
    yield piece;
  }
  if (seen !== bytes || hash.digest('hex') !== sha256)
    throw new PartDamaged(`${file} is not what was written`);
}

/** The content of a part. @throws PartDamaged, possibly after some of it was read */
export async function* openPart(folder: string, one: Part, key: Buffer | undefined): AsyncGenerator<Buffer> {
  const stored = readPart(folder, one);
  try {
    yield* key === undefined ? stored : unseal(stored, key, one.file);
  } catch (error) {
    if (error instanceof SealBroken) throw new PartDamaged(error.message, { cause: error });
    throw error;
  }
}

/** Reads a part that fits into memory. @throws PartDamaged */
export async function readSmallPart(folder: string, one: Part, key: Buffer | undefined): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(openPart(folder, one, key)));
}
