import { crc32, deflateRawSync } from 'node:zlib';

/** One part of a zip; `declaredSize` is a wrong inflated size, for tests of hostile files. */
export interface ZipPart {
  readonly name: string;
  readonly content: string | Buffer;
  readonly declaredSize?: number;
}

/** Writes a zip with deflated parts. */
export function writeZip(parts: readonly ZipPart[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, declaredSize } of parts) {
    const plain = Buffer.from(content);
    const packed = deflateRawSync(plain, { level: 9 });
    const label = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x0800, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(0x21 << 16, 6);
    common.writeUInt32LE(crc32(plain), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(declaredSize ?? plain.length, 18);
    common.writeUInt16LE(label.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, label, packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, rest, label]));
    files.push(local);
    offset += local.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, list, end]);
}

/** A paragraph of a Word document; `style` is a heading's, e.g. `Heading1`. */
type WordParagraph =
  | string
  | { readonly style: string; readonly text: string }
  | { readonly rows: readonly (readonly WordCell[])[] };

/** A cell of a table; `span` is the number of columns that it takes. */
type WordCell = string | { readonly text: string; readonly span: number };

/** Writes a DOCX of paragraphs, headings and tables. */
export function writeDocx(paragraphs: readonly WordParagraph[], title?: string): Buffer {
  const space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  const styles = ['Title', 'Heading1', 'Heading2']
    .map(
      (id) =>
        `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${id.replace(/(\d)/, ' $1').toLowerCase()}"/></w:style>`,
    )
    .join('');
  return writeZip([
    {
      name: '[Content_Types].xml',
      content:
        '<?xml version="1.0" encoding="UTF-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/><Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>',
    },
    {
      name: '_rels/.rels',
      content:
        '<?xml version="1.0" encoding="UTF-8"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/><Relationship Id="r2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>',
    },
    {
      name: 'word/_rels/document.xml.rels',
      content:
        '<?xml version="1.0" encoding="UTF-8"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>',
    },
    {
      name: 'word/styles.xml',
      content: `<?xml version="1.0" encoding="UTF-8"?><w:styles ${space}>${styles}</w:styles>`,
    },
    {
      name: 'docProps/core.xml',
      content: `<?xml version="1.0" encoding="UTF-8"?><cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/">${title === undefined ? '' : `<dc:title>${escapeXml(title)}</dc:title>`}</cp:coreProperties>`,
    },
    {
      name: 'word/document.xml',
      content: `<?xml version="1.0" encoding="UTF-8"?><w:document ${space}><w:body>${paragraphs.map(wordXml).join('')}</w:body></w:document>`,
    },
  ]);
}

function wordXml(part: WordParagraph): string {
  if (typeof part === 'string') return paragraphXml(part, undefined);
  if ('text' in part) return paragraphXml(part.text, part.style);
  const rows = part.rows.map((cells) => `<w:tr>${cells.map(cellXml).join('')}</w:tr>`);
  return `<w:tbl>${rows.join('')}</w:tbl>`;
}

function cellXml(cell: WordCell): string {
  if (typeof cell === 'string') return `<w:tc>${paragraphXml(cell, undefined)}</w:tc>`;
  const { text, span } = cell;
  return `<w:tc><w:tcPr><w:gridSpan w:val="${span}"/></w:tcPr>${paragraphXml(text, undefined)}</w:tc>`;
}

function paragraphXml(text: string, style: string | undefined): string {
  const properties = style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${properties}<w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r></w:p>`;
}

function escapeXml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** The part with which every Word document begins; add its text. */
export function partsOfWord() {
  return [
    {
      name: '[Content_Types].xml',
      content:
        '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    },
  ];
}
