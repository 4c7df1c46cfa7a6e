import { inflateRawSync } from 'node:zlib';
import { UnreadableDocument } from './extracted-document.server.ts';

/** Bounds of a packed document before any XML is looked at (contract §2.4). */
export const ZIP_LIMITS = { inflatedBytes: 256 * 1024 * 1024, ratio: 200, entries: 5000 } as const;
/** Small files may pack well: below this the ratio says nothing. */
const RATIO_MATTERS_FROM = 4 * 1024 * 1024;

const END_RECORD = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL_ENTRY = 0x04034b50;
const DEFLATED = 8;

interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly packed: number;
  readonly inflated: number;
  readonly offset: number;
}

/**
 * Reads the directory of a zip and inflates each part against its declared size, as that
 * size can lie. Gives the names of the parts.
 *
 * @throws UnreadableDocument `too_large` for a bomb, `corrupt` for a zip that is broken
 */
export function checkZip(bytes: Buffer): string[] {
  const entries = directory(bytes);
  const total = entries.reduce((sum, { inflated }) => sum + inflated, 0);
  if (total > ZIP_LIMITS.inflatedBytes || tooDense(total, bytes.length)) throw bomb();
  for (const entry of entries) {
    if (entry.method !== DEFLATED) continue;
    if (tooDense(entry.inflated, entry.packed)) throw bomb();
    inflateWithin(bytes, entry);
  }
  return entries.map(({ name }) => name);
}

function directory(bytes: Buffer): ZipEntry[] {
  const end = bytes
    .subarray(Math.max(0, bytes.length - 65_557))
    .lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end < 0) throw broken();
  const at = Math.max(0, bytes.length - 65_557) + end;
  try {
    if (bytes.readUInt32LE(at) !== END_RECORD) throw broken();
    const count = bytes.readUInt16LE(at + 10);
    if (count > ZIP_LIMITS.entries) throw bomb();
    const entries: ZipEntry[] = [];
    let position = bytes.readUInt32LE(at + 16);
    for (let index = 0; index < count; index += 1) {
      if (bytes.readUInt32LE(position) !== ENTRY) throw broken();
      const nameLength = bytes.readUInt16LE(position + 28);
      entries.push({
        name: bytes.toString('utf8', position + 46, position + 46 + nameLength),
        method: bytes.readUInt16LE(position + 10),
        packed: bytes.readUInt32LE(position + 20),
        inflated: bytes.readUInt32LE(position + 24),
        offset: bytes.readUInt32LE(position + 42),
      });
      position += 46 + nameLength + bytes.readUInt16LE(position + 30) + bytes.readUInt16LE(position + 32);
    }
    return entries;
  } catch (error) {
    throw error instanceof UnreadableDocument ? error : broken();
  }
}

function inflateWithin(bytes: Buffer, { offset, packed, inflated }: ZipEntry): void {
  if (offset + 30 > bytes.length || bytes.readUInt32LE(offset) !== LOCAL_ENTRY) throw broken();
  const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
  try {
    inflateRawSync(bytes.subarray(start, start + packed), { maxOutputLength: Math.max(1, inflated) });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? bomb() : broken();
  }
}

function tooDense(inflated: number, packed: number): boolean {
  return inflated > RATIO_MATTERS_FROM && inflated > packed * ZIP_LIMITS.ratio;
}

function bomb(): UnreadableDocument {
  return new UnreadableDocument(
    'too_large',
    'This file unpacks to far more than a document should, so it was not read.',
  );
}

function broken(): UnreadableDocument {
  return new UnreadableDocument(
    'corrupt',
    'This file is damaged and cannot be read. Open it in your word processor, save it again and upload the new copy.',
  );
}
