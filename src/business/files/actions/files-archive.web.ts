import { LIMITS, UPLOADS_BUCKET } from '../../../kernel/contract/limits.ts';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { supabase } from '../../../ui/session/client.ts';
import type { FileRecord } from '../file-record.web.ts';

/** Most bytes: more does not fit into a tab's memory everywhere. */
const MOST_BYTES = 1024 ** 3;

/**
 * Saves the files as `files.zip`, uncompressed, because documents are compressed already.
 *
 * @param onFile called with the number of files that have arrived
 * @throws Error with the sentence for the user
 */
export async function downloadTogether(
  files: readonly FileRecord[],
  onFile: (count: number) => void,
): Promise<void> {
  if (files.reduce((sum, { file_size: size }) => sum + size, 0) > MOST_BYTES)
    throw new Error(MESSAGES.download.tooMuch);
  const [{ Zip, ZipPassThrough }, addresses] = await Promise.all([import('fflate'), signedUrls(files)]);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const archive = new Zip((error, part) => {
    if (error !== null) throw error;
    parts.push(part as Uint8Array<ArrayBuffer>);
  });
  const names = archiveNames(files.map(({ file_name: name }) => name));
  for (const [at, address] of addresses.entries()) {
    const entry = new ZipPassThrough(names[at] ?? 'file');
    archive.add(entry);
    entry.push(await bytesOf(address), true);
    onFile(at + 1);
  }
  archive.end();
  save(new Blob(parts, { type: 'application/zip' }));
}

async function signedUrls(files: readonly FileRecord[]): Promise<string[]> {
  try {
    const client = await supabase();
    const { data, error } = await client.storage.from(UPLOADS_BUCKET).createSignedUrls(
      files.map(({ file_path: path }) => path),
      LIMITS.signedUrlSeconds,
    );
    if (error !== null) throw error;
    return data.map(({ signedUrl, error: missing }) => {
      if (missing !== null || signedUrl === null) throw new Error(missing ?? 'no address');
      return signedUrl;
    });
  } catch (cause) {
    throw new Error(MESSAGES.download.noUrl, { cause });
  }
}

async function bytesOf(address: string): Promise<Uint8Array> {
  const reply = await fetch(address).catch((cause: unknown) => {
    throw new Error(MESSAGES.download.failed, { cause });
  });
  if (!reply.ok) throw new Error(MESSAGES.download.failed);
  return new Uint8Array(await reply.arrayBuffer());
}

/** File names for an archive: unique, and without paths that lead out of its folder. */
export function archiveNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((given) => {
    const name = given.replaceAll(/[/\\]/g, '_').replace(/^\.+$/, '_') || 'file';
    const dot = name.lastIndexOf('.');
    const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
    let free = name;
    for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${stem} (${number})${ending}`;
    taken.add(free.toLowerCase());
    return free;
  });
}

function save(archive: Blob): void {
  const address = URL.createObjectURL(archive);
  const link = document.createElement('a');
  link.href = address;
  link.download = 'files.zip';
  link.click();
  URL.revokeObjectURL(address);
}
