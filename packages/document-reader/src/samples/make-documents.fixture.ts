/**
 * Makes the documents for the tests. `node packages/document-reader/src/samples/make-documents.fixture.ts FOLDER` writes
 * them into a folder. All names, numbers and addresses are invented.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { NEWSLETTER, SUPPLIER_TERMS, TENANCY } from './document-texts.fixture.ts';
import { type PdfText, writePdf } from './write-pdf.fixture.ts';
import { writeDocx } from './write-zip.fixture.ts';

/** Every document by its file name. */
export function makeDocuments(): Record<string, Buffer> {
  const tenancy = prosePages(TENANCY);
  const pdf = writePdf(tenancy, { title: 'Assured shorthold tenancy agreement' });
  return {
    'tenancy-agreement.pdf': pdf,
    'invoice-HF-2041.pdf': writePdf([invoice()]),
    'newsletter-two-columns.pdf': writePdf([twoColumns()]),
    'tenancy-agreement-locked.pdf': writePdf(tenancy, { password: 'tulip' }),
    'damaged.pdf': Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(600, 'endobj 7 0 R << /Type ')]),
    'supplier-terms.docx': writeDocx(SUPPLIER_TERMS, 'Supplier terms for fresh produce'),
    'letter-rent-review.txt': Buffer.from(LETTER),
    'letter-windows-1252.txt': Buffer.from(LETTER.replaceAll('—', '-').replaceAll('’', "'"), 'latin1'),
  };
}

const LINE = 15;

/** Lays out headings (`# …`) and paragraphs on as many pages as needed. */
function prosePages(text: string): PdfText[][] {
  const pages: PdfText[][] = [[]];
  let y = 780;
  const put = (line: PdfText): void => {
    pages.at(-1)?.push(line);
  };
  for (const part of text.trim().split(/\n\n+/)) {
    const heading = part.startsWith('# ');
    const lines = wrap(part.replace(/^# /, '').replace(/\n/g, ' '), heading ? 60 : 92);
    if (y - lines.length * LINE < 70) {
      pages.push([]);
      y = 780;
    }
    for (const line of lines) {
      put({ x: 60, y, size: heading ? 14 : 10.5, bold: heading, text: line });
      y -= LINE;
    }
    y -= heading ? 6 : 12;
  }
  for (const [index, page] of pages.entries()) {
    page.push({ x: 260, y: 36, size: 8, text: `Page ${index + 1} of ${pages.length}` });
  }
  return pages;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + word.length + 1 > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function twoColumns(): PdfText[] {
  const page: PdfText[] = [{ x: 60, y: 790, size: 20, bold: true, text: 'Harbour news' }];
  for (const [column, text] of NEWSLETTER.entries()) {
    let y = 750;
    for (const paragraph of text.trim().split(/\n\n+/)) {
      for (const line of wrap(paragraph.replace(/\n/g, ' '), 42)) {
        page.push({ x: 60 + column * 250, y, size: 10, text: line });
        y -= 13;
      }
      y -= 10;
    }
  }
  return page;
}

function invoice(): PdfText[] {
  const rows: PdfText[] = [];
  const put = (x: number, y: number, text: string, { size = 10, bold = false } = {}): void => {
    rows.push({ x, y, size, bold, text });
  };
  put(60, 790, 'Harbour & Field Ltd', { size: 16, bold: true });
  put(60, 772, '14 Quay Street, Bristol BS1 4TR');
  put(60, 758, 'accounts@harbourfield.example   0117 496 0182');
  put(400, 790, 'INVOICE', { size: 22, bold: true });
  put(360, 760, 'Invoice number:');
  put(460, 760, 'HF-2041');
  put(360, 745, 'Invoice date:');
  put(460, 745, '3 March 2026');
  put(360, 730, 'Due date:');
  put(460, 730, '2 April 2026');
  put(360, 715, 'Customer number:');
  put(460, 715, 'C-00317');
  put(60, 715, 'Bill to:');
  put(60, 700, 'Maple Court Catering LLP');
  put(60, 686, '8 Orchard Lane, Bath BA1 5QN');
  const lines = [
    ['Description', 'Quantity', 'Unit price', 'Amount'],
    ['Seasonal vegetable box, large', '24', '£18.50', '£444.00'],
    ['Smoked trout, side', '16', '£27.25', '£436.00'],
    ['Delivery, chilled van', '4', '£38.00', '£152.00'],
  ];
  for (const [index, cells] of lines.entries()) {
    for (const [column, text] of cells.entries())
      put([60, 300, 380, 480][column] ?? 0, 640 - index * 18, text, { bold: index === 0 });
  }
  put(380, 550, 'Subtotal');
  put(480, 550, '£1,032.00');
  put(380, 534, 'VAT at 20%');
  put(480, 534, '£206.40');
  put(380, 514, 'Total due', { size: 12, bold: true });
  put(480, 514, '£1,238.40', { size: 12, bold: true });
  put(60, 470, 'Please pay by bank transfer, quoting the invoice number.');
  put(60, 455, 'IBAN: GB29 NWBK 6016 1331 9268 19');
  put(60, 440, 'VAT registration number: GB 123 4567 89');
  put(60, 425, 'Company number: 09876543');
  return rows;
}

const LETTER = `Maple Court Management
22 Linden Avenue, Leeds LS6 3QR
lettings@maplecourt.example

12 January 2026

Dear Ms Okafor,

Rent review for Flat 4, 17 Wharf Road

We have reviewed the rent of your flat, as the tenancy agreement provides for once a year. The new rent is £1,175 per month, an increase of £50. It will be due from 1 April 2026. The increase follows the rise in the cost of insurance and of the repairs to the roof that were finished in November.

You do not need to sign anything if you agree to the new rent. If you do not agree, please write to us before 28 February 2026, and we will arrange a meeting. You may also ask the tribunal to decide on the rent; the enclosed leaflet explains how.

We also want to let you know that the lift will be serviced in the second week of February. Residents who need help with the stairs on those days can telephone the office on 0113 496 0733.

Yours sincerely,

Daniel Price
Property manager
`;

const [program, folder] = process.argv.slice(1);
if (program === import.meta.filename && folder !== undefined) {
  for (const [name, content] of Object.entries(makeDocuments())) {
    writeFileSync(path.join(folder, name), content);
  }
}
