import { createCipheriv, createHash, pbkdf2Sync } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { encrypt } from 'officecrypto-tool';
import { describe, expect, test } from 'vitest';
import type { ExtractedDocument } from '../contract/extracted-document.ts';
import { createOcrSession } from '../ocr/ocr-session.ts';
import { buildReport } from '../report/report-building.ts';
import { expectRead, readDocument, textOf } from '../samples/document-reader.fixture.ts';
import { makeDocuments } from '../samples/make-documents.fixture.ts';
import { writePdf } from '../samples/write-pdf.fixture.ts';
import { writeWorkbook } from '../samples/write-workbook.fixture.ts';
import { writeZip } from '../samples/write-zip.fixture.ts';
import { readFileContent } from './file-content.ts';

const read = (content: Buffer, password?: string): Promise<ExtractedDocument> =>
  readFileContent(
    content,
    createOcrSession(0, () => {}),
    password,
  );
const text = ({ blocks }: ExtractedDocument): string => blocks.map((block) => block.text).join('\n');
const LOCKED = makeDocuments()['tenancy-agreement-locked.pdf'] ?? Buffer.alloc(0);

/** A text document with a password, as OpenDocument 1.2 part 3 §3.4 has it: AES-256 in CBC, PBKDF2. */
function lockedOdt(password: string, body: string): Buffer {
  const content = Buffer.from(
    `<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text><text:p>${body}</text:p></office:text></office:body></office:document-content>`,
  );
  const [salt, start] = [Buffer.alloc(16, 7), Buffer.alloc(16, 9)];
  const key = pbkdf2Sync(createHash('sha256').update(password).digest(), salt, 1000, 32, 'sha1');
  const packed = deflateRawSync(content);
  const cipher = createCipheriv('aes-256-cbc', key, start);
  const hidden = Buffer.concat([cipher.update(packed), cipher.final()]);
  const sum = createHash('sha256').update(packed.subarray(0, 1024)).digest('base64');
  const manifest = `<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0" manifest:version="1.2">
    <manifest:file-entry manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.text"/>
    <manifest:file-entry manifest:full-path="content.xml" manifest:media-type="text/xml" manifest:size="${content.length}">
    <manifest:encryption-data manifest:checksum-type="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0#sha256-1k" manifest:checksum="${sum}">
    <manifest:algorithm manifest:algorithm-name="http://www.w3.org/2001/04/xmlenc#aes256-cbc" manifest:initialisation-vector="${start.toString('base64')}"/>
    <manifest:key-derivation manifest:key-derivation-name="PBKDF2" manifest:key-size="32" manifest:iteration-count="1000" manifest:salt="${salt.toString('base64')}"/>
    <manifest:start-key-generation manifest:start-key-generation-name="http://www.w3.org/2000/09/xmldsig#sha256" manifest:key-size="32"/>
    </manifest:encryption-data></manifest:file-entry></manifest:manifest>`;
  return writeZip([
    { name: 'mimetype', content: 'application/vnd.oasis.opendocument.text' },
    { name: 'content.xml', content: hidden },
    { name: 'META-INF/manifest.xml', content: manifest },
  ]);
}

describe('documents with a password', () => {
  test('the reader’s process opens a PDF with the password that comes through its standard input', async () => {
    const reply = expectRead(await readDocument('locked.pdf', LOCKED, { password: 'tulip' }));
    expect(textOf(reply)).toContain('Eleanor Whitcombe');
  });

  test('the reader says that a password is wrong', async () => {
    await expect(read(LOCKED, 'rose')).rejects.toMatchObject({
      code: 'password_required',
      message: 'That password does not open this document. Check it and try again.',
    });
  });

  test('an OpenDocument text', async () => {
    const odt = lockedOdt('tulip', 'The lease of Mill Lane 4 ends in May.');
    await expect(read(odt)).rejects.toMatchObject({ code: 'password_required' });
    await expect(read(odt, 'rose')).rejects.toMatchObject({ code: 'password_required' });
    expect(text(await read(odt, 'tulip'))).toContain('Mill Lane 4');
  });

  test('a Word file with the older encryption, and a workbook with the newer one', async () => {
    const terms = makeDocuments()['supplier-terms.docx'] ?? Buffer.alloc(0);
    const word = await encrypt(terms, { password: 'tulip', type: 'standard' });
    await expect(read(word)).rejects.toMatchObject({ code: 'password_required' });
    await expect(read(word, 'rose')).rejects.toMatchObject({
      code: 'password_required',
      message: 'That password does not open this document. Check it and try again.',
    });
    expect(text(await read(word, 'tulip'))).toContain('Supplier terms for fresh produce');
    const fees = writeWorkbook([['Visit', [40, 0]]], 'Fees');
    const sheet = await encrypt(fees, { password: 'tulip' });
    expect(text(await read(sheet, 'tulip'))).toBe('Fees\nVisit  40');
  });
});

test('a PDF whose header follows other bytes is read', async () => {
  const pdf = writePdf([[{ x: 50, y: 700, size: 12, text: 'The harbour wall is rebuilt in spring.' }]]);
  expect(text(await read(Buffer.concat([Buffer.from('junk of a mail program\r\n'), pdf])))).toContain(
    'harbour wall',
  );
});

test('the text of an XML form (XFA) is read from its drawing', async () => {
  const draw = (words: string): string =>
    `<draw w="300pt" h="20pt"><value><text>${words}</text></value></draw>`;
  const xfa = `<xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"><template xmlns="http://www.xfa.org/schema/xfa-template/3.3/"><subform name="form1" layout="tb"><pageSet><pageArea><contentArea x="20pt" y="20pt" w="500pt" h="700pt"/><medium stock="a4" short="595pt" long="842pt"/></pageArea></pageSet><subform layout="tb">${draw('Application for a parking permit')}${draw('Name of the applicant')}</subform></subform></template></xdp:xdp>`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [] /XFA 4 0 R >> /NeedsRendering true >>',
    '<< /Type /Pages /Count 1 /Kids [3 0 R] >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>',
    `<< /Length ${xfa.length} >>\nstream\n${xfa}\nendstream`,
  ];
  let pdf = '%PDF-1.7\n';
  const places = objects.map((content, index) => {
    const at = pdf.length;
    pdf += `${index + 1} 0 obj\n${content}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  pdf += `xref\n0 5\n0000000000 65535 f \n${places.join('')}trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n${pdf.length}\n%%EOF\n`;
  const document = await read(Buffer.from(pdf));
  expect(text(document)).toContain('Application for a parking permit');
  expect(text(document)).toContain('Name of the applicant');
});

describe('XML alone', () => {
  const ubl = `<?xml version="1.0"?><Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" xmlns:cbc="urn:cbc" xmlns:cac="urn:cac">
    <cbc:ID>X-2041</cbc:ID><cbc:IssueDate>2026-05-03</cbc:IssueDate><cbc:DueDate>2026-06-02</cbc:DueDate><cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode>
    <cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
    <cac:AccountingSupplierParty><cac:Party><cac:PartyName><cbc:Name>Harlow Ltd</cbc:Name></cac:PartyName></cac:Party></cac:AccountingSupplierParty>
    <cac:TaxTotal><cbc:TaxAmount>19.00</cbc:TaxAmount></cac:TaxTotal>
    <cac:LegalMonetaryTotal><cbc:TaxExclusiveAmount>100.00</cbc:TaxExclusiveAmount><cbc:TaxInclusiveAmount>119.00</cbc:TaxInclusiveAmount><cbc:PayableAmount>119.00</cbc:PayableAmount></cac:LegalMonetaryTotal>
    <cac:InvoiceLine><cbc:InvoicedQuantity>2</cbc:InvoicedQuantity><cbc:LineExtensionAmount>100.00</cbc:LineExtensionAmount><cac:Item><cbc:Name>Oak table</cbc:Name></cac:Item><cac:Price><cbc:PriceAmount>50.00</cbc:PriceAmount></cac:Price></cac:InvoiceLine></Invoice>`;

  test('a UBL invoice gives its facts, its lines and a title that names it', async () => {
    const document = await read(Buffer.from(ubl));
    const report = buildReport(document, {
      fileName: 'x.xml',
      sha256: '0',
      createdAt: '2026-03-10T09:00:00.000Z',
    });
    const facts = Object.fromEntries(
      report.fields.map(({ key, normalized, value }) => [key, normalized ?? value]),
    );
    expect(facts).toMatchObject({
      document_number: 'X-2041',
      total: '119.00',
      tax_total: '19.00',
      due_date: '2026-06-02',
      supplier: 'Harlow Ltd',
    });
    expect(report.document).toMatchObject({ kind: 'invoice', title: 'Invoice X-2041 from Harlow Ltd' });
    expect(text(document)).toContain('Oak table  Quantity 2  Price 50.00  100.00');
  });

  test('XML that is not an invoice is refused with the reason', async () => {
    await expect(read(Buffer.from('<?xml version="1.0"?><song><verse/></song>'))).rejects.toMatchObject({
      code: 'unsupported',
    });
  });
});
