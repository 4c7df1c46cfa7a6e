import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  expectRead,
  readDocument,
} from '../../packages/document-reader/src/samples/document-reader.fixture.ts';
import {
  asJpeg,
  drawReceipt,
  scansAsPdf,
} from '../../packages/document-reader/src/samples/make-scans.fixture.ts';
import { writeWorkbook } from '../../packages/document-reader/src/samples/write-workbook.fixture.ts';
import { writeZip } from '../../packages/document-reader/src/samples/write-zip.fixture.ts';
import { claims } from '../support/claims.ts';

// The tests of a package know nothing of the product: what pages say of reports is claimed here.
const WORDS = 'Ada pays the rent on Monday';
const MAIL = `From: ada@example.com\r\nTo: bob@example.com\r\nSubject: Rent\r\n\r\n${WORDS}\r\n`;
const SLIDE =
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"';

const sample = (name: string): Buffer => readFileSync(path.join(import.meta.dirname, name));

function openText(): Buffer {
  const kind = 'application/vnd.oasis.opendocument.text';
  return writeZip([
    { name: 'mimetype', content: kind },
    {
      name: 'META-INF/manifest.xml',
      content: `<?xml version="1.0"?><manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry manifest:full-path="/" manifest:media-type="${kind}"/></manifest:manifest>`,
    },
    {
      name: 'content.xml',
      content: `<?xml version="1.0"?><office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text><text:p>${WORDS}</text:p></office:text></office:body></office:document-content>`,
    },
  ]);
}

function slides(): Buffer {
  return writeZip([
    {
      name: '[Content_Types].xml',
      content:
        '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/ppt/presentation.xml" ContentType="application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml"/></Types>',
    },
    { name: 'ppt/presentation.xml', content: `<p:presentation ${SLIDE}/>` },
    {
      name: 'ppt/slides/slide1.xml',
      content: `<?xml version="1.0"?><p:sld ${SLIDE}><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>${WORDS}</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>`,
    },
  ]);
}

const electronicInvoice = (total: string): string =>
  `<?xml version="1.0"?><Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" xmlns:cac="urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2" xmlns:cbc="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"><cbc:ID>R-7</cbc:ID><cbc:IssueDate>2026-03-02</cbc:IssueDate><cbc:DueDate>2026-04-01</cbc:DueDate><cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode><cac:TaxTotal><cbc:TaxAmount currencyID="EUR">19.00</cbc:TaxAmount></cac:TaxTotal><cac:LegalMonetaryTotal><cbc:TaxExclusiveAmount currencyID="EUR">100.00</cbc:TaxExclusiveAmount><cbc:TaxInclusiveAmount currencyID="EUR">${total}</cbc:TaxInclusiveAmount><cbc:PayableAmount currencyID="EUR">${total}</cbc:PayableAmount></cac:LegalMonetaryTotal></Invoice>`;

test('every kind of document that the site names is read', async () => {
  claims(
    'PDF, Word, OpenDocument, RTF and text; spreadsheets and presentations; mails, web pages and Markdown; photos and scans; and e-invoices in XML.',
  );
  const photo = drawReceipt(['MEMO', WORDS]);
  const documents: Readonly<Record<string, readonly [content: Buffer | string, words: string]>> = {
    'a.pdf': [sample('tenancy-agreement.pdf'), 'Thomas Adeyemi'],
    'a.docx': [sample('supplier-terms.docx'), 'terms'],
    'a.odt': [openText(), WORDS],
    'a.rtf': [`{\\rtf1\\ansi ${WORDS}}`, WORDS],
    'a.txt': [WORDS, WORDS],
    'a.csv': [`Who,What\n"Ada","${WORDS}"\n`, WORDS],
    'a.xlsx': [
      writeWorkbook([
        ['Who', 'What'],
        ['Ada', WORDS],
      ]),
      WORDS,
    ],
    'a.pptx': [slides(), WORDS],
    'a.eml': [MAIL, WORDS],
    'a.html': [`<!doctype html><html><body><p>${WORDS}</p></body></html>`, WORDS],
    'a.md': [`# Rent\n\n${WORDS}\n`, WORDS],
    'a.jpg': [asJpeg(photo.canvas), WORDS],
    'scan.pdf': [await scansAsPdf([photo]), WORDS],
    'a.xml': [electronicInvoice('119.00'), 'R-7'],
  };
  for (const [name, [content, words]] of Object.entries(documents)) {
    const { blocks } = expectRead(await readDocument(name, Buffer.from(content)));
    expect(blocks.map(({ text }) => text).join('\n'), name).toContain(words);
  }
});

test('a report says which payment is due, when a contract ends, which total is wrong, and which page it could not read', async () => {
  claims(
    'What needs your attention: a payment that is due, a contract that ends, a total that does not add up, a page that could not be read.',
  );
  const attention = async (name: string, content: Buffer | string, ocrPages = 30): Promise<string[]> => {
    const { report } = expectRead(await readDocument(name, Buffer.from(content), { ocrPages }));
    return report.attention.map(({ code }) => code);
  };
  expect(await attention('right.xml', electronicInvoice('119.00'))).toEqual(['payment_due']);
  expect(await attention('wrong.xml', electronicInvoice('129.00'))).toEqual(['payment_due', 'sum_mismatch']);
  expect(await attention('lease.pdf', sample('tenancy-agreement.pdf'))).toContain('ends');
  const scan = drawReceipt(['MEMO', WORDS]);
  expect(await attention('scans.pdf', await scansAsPdf([scan, scan]), 1)).toContain('pages_not_read');
});

test('a report marks sensitive data by its label or by its check digits, and no other digits', async () => {
  claims('Found by labels and check digits, so other sensitive data may stand in the document.');
  const letter = 'Pay to DE89 3704 0044 0532 0130 00.\n\nIt is not DE88 3704 0044 0532 0130 00.\n';
  const { report } = expectRead(await readDocument('letter.txt', Buffer.from(letter)));
  expect((report.pii ?? []).flatMap(({ cites }) => cites.map(({ quote }) => quote))).toEqual([
    'DE89 3704 0044 0532 0130 00',
  ]);
});
