const SECTOR = 512;
/** Streams below this size are stored together; both of ours are filled up to it. */
const LEAST_STREAM = 4096;
const [FREE, END, TABLE] = [-1, -2, -3];
/** Where the text begins in the document's stream. */
const TEXT_AT = 1024;

/**
 * Writes a Word 97 to 2003 document (.doc) with plain paragraphs: a compound file with the two streams that a
 * text needs.
 */
export function writeOldWord(paragraphs: readonly string[]): Buffer {
  const text = paragraphs.map((paragraph) => `${paragraph}\r`).join('');
  const streams = [documentStream(text), pieceTable(text.length)];
  const sectors = streams.map((stream) => stream.length / SECTOR);
  const allocation = Buffer.alloc(SECTOR, 0xff);
  allocation.writeInt32LE(TABLE, 0);
  allocation.writeInt32LE(END, 4);
  const starts: number[] = [];
  let next = 2;
  for (const count of sectors) {
    starts.push(next);
    for (let at = next; at < next + count; at += 1)
      allocation.writeInt32LE(at === next + count - 1 ? END : at + 1, at * 4);
    next += count;
  }
  const [document = 0, table = 0] = starts;
  const directory = Buffer.concat([
    entry('Root Entry', { type: 5, child: 1, start: END, size: 0 }),
    entry('WordDocument', { type: 2, left: 2, start: document, size: streams[0]?.length ?? 0 }),
    entry('1Table', { type: 2, start: table, size: streams[1]?.length ?? 0 }),
    entry('', { type: 0, start: END, size: 0 }),
  ]);
  return Buffer.concat([header(), allocation, directory, ...streams]);
}

function header(): Buffer {
  const head = Buffer.alloc(SECTOR, 0xff);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(head);
  head.fill(0, 8, 76);
  head.writeUInt16LE(0x3e, 24);
  head.writeUInt16LE(3, 26);
  head.writeUInt16LE(0xfffe, 28);
  // Powers of two: 512 and 64.
  head.writeUInt16LE(9, 30);
  head.writeUInt16LE(6, 32);
  head.writeInt32LE(1, 44);
  head.writeInt32LE(1, 48);
  head.writeInt32LE(LEAST_STREAM, 56);
  head.writeInt32LE(END, 60);
  head.writeInt32LE(END, 68);
  head.writeInt32LE(0, 76);
  return head;
}

interface Entry {
  readonly type: number;
  readonly left?: number;
  readonly child?: number;
  readonly start: number;
  readonly size: number;
}

function entry(name: string, { type, left = FREE, child = FREE, start, size }: Entry): Buffer {
  const bytes = Buffer.alloc(128);
  bytes.write(name, 0, 'utf16le');
  bytes.writeUInt16LE(name === '' ? 0 : (name.length + 1) * 2, 64);
  bytes.writeUInt8(type, 66);
  bytes.writeUInt8(1, 67);
  bytes.writeInt32LE(left, 68);
  bytes.writeInt32LE(FREE, 72);
  bytes.writeInt32LE(child, 76);
  bytes.writeInt32LE(start, 116);
  bytes.writeInt32LE(size, 120);
  return bytes;
}

/** The file's information block, then the text in UTF-16. */
function documentStream(text: string): Buffer {
  const stream = Buffer.alloc(filledUp(TEXT_AT + text.length * 2));
  stream.writeUInt16LE(0xa5ec, 0);
  stream.writeUInt16LE(0xc1, 2);
  // The other stream is `1Table`.
  stream.writeUInt16LE(0x0200, 0x0a);
  stream.writeUInt32LE(TEXT_AT, 0x18);
  stream.writeUInt32LE(text.length, 0x4c);
  // Empty tables of properties.
  stream.writeUInt32LE(4, 0xfe);
  stream.writeUInt32LE(4, 0x0106);
  stream.write(text, TEXT_AT, 'utf16le');
  return stream;
}

/** One piece with the whole text. */
function pieceTable(letters: number): Buffer {
  const stream = Buffer.alloc(LEAST_STREAM);
  stream.writeUInt8(2, 0);
  stream.writeUInt32LE(16, 1);
  stream.writeUInt32LE(0, 5);
  stream.writeUInt32LE(letters, 9);
  stream.writeUInt32LE(TEXT_AT, 15);
  return stream;
}

function filledUp(length: number): number {
  return Math.max(LEAST_STREAM, Math.ceil(length / SECTOR) * SECTOR);
}
