import { createHash } from 'node:crypto';

/** A run of text on a page: points from the left and from the bottom. */
export interface PdfText {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly bold?: boolean;
  readonly text: string;
}

/** Options for a test's PDF. */
interface PdfOptions {
  readonly title?: string;
  /** The password that opens it (RC4, 40 bits: the oldest scheme of the format). */
  readonly password?: string;
}

const PADDING = Buffer.from('28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a', 'hex');
const ID = Buffer.from('6e6f7274686c696e652d746573742121', 'hex');

/** Writes an A4 PDF of Helvetica text, a page per list; the text keeps the order given. */
export function writePdf(pages: readonly (readonly PdfText[])[], options: PdfOptions = {}): Buffer {
  const key = options.password === undefined ? undefined : encryption(options.password);
  const objects: Buffer[] = [];
  const add = (content: string | Buffer): number => objects.push(Buffer.from(content));
  const pageNumbers = pages.map((_, index) => 5 + index * 2);
  add('<< /Type /Catalog /Pages 2 0 R >>');
  add(`<< /Type /Pages /Count ${pages.length} /Kids [${pageNumbers.map((n) => `${n} 0 R`).join(' ')}] >>`);
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>');
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>');
  for (const [index, page] of pages.entries()) {
    const number = pageNumbers[index] ?? 0;
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents ${number + 1} 0 R >>`,
    );
    const plain = Buffer.from(page.map(drawText).join('\n'), 'latin1');
    const data = key === undefined ? plain : rc4(objectKey(key.file, number + 1), plain);
    add(
      Buffer.concat([
        Buffer.from(`<< /Length ${data.length} >>\nstream\n`),
        data,
        Buffer.from('\nendstream'),
      ]),
    );
  }
  let info = '';
  if (options.title !== undefined && key === undefined) {
    info = ` /Info ${add(`<< /Title (${escapeText(options.title)}) >>`)} 0 R`;
  }
  const encrypt = key === undefined ? '' : ` /Encrypt ${add(key.dictionary)} 0 R`;
  return assemble(objects, `${info}${encrypt} /ID [<${ID.toString('hex')}> <${ID.toString('hex')}>]`);
}

function assemble(objects: readonly Buffer[], trailer: string): Buffer {
  const parts = [Buffer.from('%PDF-1.4\n%\xe2\xe3\xcf\xd3\n', 'latin1')];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  for (const [index, content] of objects.entries()) {
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), content, Buffer.from('\nendobj\n')]);
    offsets.push(length);
    length += part.length;
    parts.push(part);
  }
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R${trailer} >>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

function drawText({ x, y, size, bold, text }: PdfText): string {
  return `BT /F${bold ? 2 : 1} ${size} Tf ${x} ${y} Td (${escapeText(text)}) Tj ET`;
}

/** WinAnsi: characters outside of Latin-1 have to be mapped. */
function escapeText(text: string): string {
  return text
    .replace(/[\\()]/g, (character) => `\\${character}`)
    .replace(/’/g, '\x92')
    .replace(/“/g, '\x93')
    .replace(/”/g, '\x94')
    .replace(/–/g, '\x96')
    .replace(/•/g, '\x95')
    .replace(/€/g, '\x80');
}

function encryption(password: string): { file: Buffer; dictionary: string } {
  const padded = Buffer.concat([Buffer.from(password, 'latin1'), PADDING]).subarray(0, 32);
  const owner = rc4(md5(padded).subarray(0, 5), padded);
  const rights = Buffer.alloc(4);
  rights.writeInt32LE(-4);
  const file = md5(Buffer.concat([padded, owner, rights, ID])).subarray(0, 5);
  const user = rc4(file, PADDING);
  return {
    file,
    dictionary: `<< /Filter /Standard /V 1 /R 2 /O <${owner.toString('hex')}> /U <${user.toString('hex')}> /P -4 >>`,
  };
}

function objectKey(file: Buffer, number: number): Buffer {
  const suffix = Buffer.from([number & 0xff, (number >> 8) & 0xff, (number >> 16) & 0xff, 0, 0]);
  return md5(Buffer.concat([file, suffix])).subarray(0, 10);
}

function md5(data: Buffer): Buffer {
  return createHash('md5').update(data).digest();
}

function rc4(key: Buffer, data: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const at = (index: number): number => state[index] ?? 0;
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + at(i) + (key[i % key.length] ?? 0)) & 0xff;
    const swap = at(i);
    state[i] = at(j);
    state[j] = swap;
  }
  let i = 0;
  let j = 0;
  return Buffer.from(
    data.map((byte) => {
      i = (i + 1) & 0xff;
      j = (j + at(i)) & 0xff;
      const swap = at(i);
      state[i] = at(j);
      state[j] = swap;
      return byte ^ at((at(i) + at(j)) & 0xff);
    }),
  );
}
