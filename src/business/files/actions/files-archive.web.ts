import { LIMITS, UPLOADS_BUCKET } from '../../../kernel/contract/limits.ts';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import { ownTables, supabase } from '../../../ui/session/client.ts';
import { CallRefused, callPatiently } from '../../../ui/session/server-call.ts';
import type { FileRecord } from '../file-record.web.ts';

/** Most bytes: more does not fit into a tab's memory everywhere. */
const MOST_BYTES = 1024 ** 3;

/** Files whose ids one request names: they are in its address. */
const AT_ONCE = 100;

/**
 * Saves the files as `files.zip`, uncompressed, because documents are compressed already. Beside each scan that was analysed
 * stands a searchable PDF of it.
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
  const [{ Zip, ZipPassThrough }, addresses, scans] = await Promise.all([
    import('fflate'),
    signedUrls(files),
    findScans(files),
  ]);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const archive = new Zip((error, part) => {
    if (error !== null) throw error;
    parts.push(part as Uint8Array<ArrayBuffer>);
  });
  const add = (name: string, bytes: Uint8Array): void => {
    const entry = new ZipPassThrough(name);
    archive.add(entry);
    entry.push(bytes, true);
  };
  const names = archiveNames([
    ...files.map(({ file_name: name }) => name),
    ...scans.map(({ file_name: name }) => `${name.replace(/\.[^.]+$/, '')} searchable.pdf`),
  ]);
  for (const [at, address] of addresses.entries()) {
    const scan = scans.findIndex(({ id }) => id === files[at]?.id);
    add(names[at] ?? 'file', await bytesOf(address));
    const searchable = scan < 0 ? undefined : await searchableBytes(scans[scan]);
    if (searchable !== undefined) add(names[files.length + scan] ?? 'searchable.pdf', searchable);
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

/** Those of the files that were read from pictures. */
async function findScans(files: readonly FileRecord[]): Promise<FileRecord[]> {
  const client = await ownTables();
  const analyzed = files.filter((file) => file.analyzed);
  const found = new Set<string>();
  for (let at = 0; at < analyzed.length; at += AT_ONCE) {
    const ids = analyzed.slice(at, at + AT_ONCE).map(({ id }) => id);
    const { data, error } = await client
      .from('analysis_reports')
      .select('file_id')
      .in('file_id', ids)
      .not('report->coverage->pagesOcr->0', 'is', null)
      .returns<{ file_id: string }[]>();
    if (error !== null) throw new Error(MESSAGES.download.failed, { cause: error });
    for (const { file_id: id } of data) found.add(id);
  }
  return analyzed.filter(({ id }) => found.has(id));
}

/** A scan as a searchable PDF; undefined if it can no longer be made, so that the scan itself is there all the same. */
async function searchableBytes(file: FileRecord | undefined): Promise<Uint8Array | undefined> {
  try {
    const reply = await callPatiently(`${SERVICES.searchablePdf}?file_id=${file?.id}`, { as: 'user' });
    return new Uint8Array(await reply.arrayBuffer());
  } catch (error) {
    if (error instanceof CallRefused && error.status >= 400 && error.status < 500) return undefined;
    throw new Error(MESSAGES.download.failed, { cause: error });
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
