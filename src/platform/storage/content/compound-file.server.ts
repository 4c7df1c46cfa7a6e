import { type FileHandle, open } from 'node:fs/promises';

const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
const FIRST_SPECIAL_SECTOR = 0xfffffffa;
/** More than any real Word file has; limits the work on a hostile file. */
const MAX_DIRECTORY_SECTORS = 64;

/**
 * Names of the streams and storages in a compound file ([MS-CFB]), read from its directory only. Empty for a
 * damaged file or one of another kind.
 */
export async function compoundFileEntries(file: string): Promise<string[]> {
  const handle = await open(file, 'r');
  try {
    return await readDirectory(handle);
  } finally {
    await handle.close();
  }
}

async function readDirectory(handle: FileHandle): Promise<string[]> {
  const header = await readAt(handle, 0, HEADER_BYTES);
  if (header === undefined) return [];
  const shift = header.readUInt16LE(30);
  if (shift !== 9 && shift !== 12) return [];
  const sectorBytes = 1 << shift;
  const sectorAt = (sector: number): number => (sector + 1) * sectorBytes;
  const names: string[] = [];
  let sector = header.readUInt32LE(48);
  for (let count = 0; count < MAX_DIRECTORY_SECTORS && sector < FIRST_SPECIAL_SECTOR; count += 1) {
    const entries = await readAt(handle, sectorAt(sector), sectorBytes);
    if (entries === undefined) break;
    names.push(...entryNames(entries));
    // The allocation table's own sectors are listed in the header, 109 of them.
    const perTable = sectorBytes / 4;
    const tableIndex = Math.floor(sector / perTable);
    if (tableIndex >= 109) break;
    const table = header.readUInt32LE(76 + tableIndex * 4);
    const next = await readAt(handle, sectorAt(table) + (sector % perTable) * 4, 4);
    if (next === undefined) break;
    sector = next.readUInt32LE(0);
  }
  return names;
}

function entryNames(entries: Buffer): string[] {
  const names: string[] = [];
  for (let at = 0; at + ENTRY_BYTES <= entries.length; at += ENTRY_BYTES) {
    const length = entries.readUInt16LE(at + 64);
    if (length >= 2 && length <= 64) names.push(entries.toString('utf16le', at, at + length - 2));
  }
  return names;
}

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer | undefined> {
  if (!Number.isSafeInteger(position)) return undefined;
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, position);
  return bytesRead === length ? buffer : undefined;
}
