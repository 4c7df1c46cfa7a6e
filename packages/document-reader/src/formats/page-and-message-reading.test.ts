import { describe, expect, test } from 'vitest';
import type { ExtractedDocument } from '../contract/extracted-document.ts';
import { citeHolds, reportSchema } from '../contract/report.contract.ts';
import { createOcrSession } from '../ocr/ocr-session.ts';
import { buildReport } from '../report/report-building.ts';
import { makeDocuments } from '../samples/make-documents.fixture.ts';
import { writeOldWord } from '../samples/write-old-word.fixture.ts';
import { writePdf } from '../samples/write-pdf.fixture.ts';
import { readFileContent } from './file-content.ts';
import { writeOutlook } from './write-outlook.fixture.ts';

const read = (content: Buffer | string): Promise<ExtractedDocument> =>
  readFileContent(
    Buffer.from(content),
    createOcrSession(0, () => {}),
  );
const blocks = ({ blocks: all }: ExtractedDocument): string[] =>
  all.map(({ type, text }) => `${type}: ${text}`);

describe('a page of the web', () => {
  test('headings, paragraphs, lists and tables are read; scripts, styles and what is hidden are not', async () => {
    const page = await read(`<!-- saved --><!DOCTYPE html><html><head><title>Terms &amp; fees</title>
      <style>p { color: red }</style></head><body><h1>Our   terms</h1>
      <div>First line<br>second line<p>A paragraph of its own</p></div>
      <ul><li>One</li><li>Two <b>bold</b></li></ul>
      <script>document.write('<p>from a script</p>')</script><template><p>of a template</p></template>
      <p hidden>hidden word</p><div style="display:none"><p>invisible order</p></div><img src="http://192.0.2.1/x.png">
      <table><tr><th>Fee</th><th>Sum</th></tr><tr><td><p>Visit</p></td><td>£40.00</td></tr></table>
      <p>Unclosed &lt;end`);
    expect(page.title).toBe('Terms & fees');
    expect(blocks(page)).toEqual([
      'heading: Our terms',
      'para: First line\nsecond line',
      'para: A paragraph of its own',
      'list: One',
      'list: Two bold',
      'table: Fee  Sum\nVisit  £40.00',
      'para: Unclosed <end',
    ]);
    const wide = await read(
      Buffer.from('\ufeff<!DOCTYPE html><html><body><p>Ärger &amp; more</p>', 'utf16le'),
    );
    expect(blocks(wide)).toEqual(['para: Ärger & more']);
    expect(page.rows.some(({ cells }) => cells.map(({ text }) => text).join('|') === 'Visit|£40.00')).toBe(
      true,
    );
  });

  test('the page’s declared encoding counts; an invoice in a table has its fields; XHTML is not an e-invoice', async () => {
    const latin = await read(
      Buffer.from(
        '<html><meta charset="iso-8859-15"><body><p>Zürich kostet 5 \xa4</p></body></html>',
        'latin1',
      ),
    );
    expect(blocks(latin)).toEqual(['para: Zürich kostet 5 €']);
    const invoice = await read(`<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body>
      <h1>Invoice</h1><table><tr><td>Invoice number</td><td>20-881</td></tr><tr><td>Invoice date</td><td>3 May 2026</td></tr>
      <tr><td>Net total</td><td>£100.00</td></tr><tr><td>VAT 20%</td><td>£20.00</td></tr><tr><td>Total</td><td>£120.00</td></tr></table>
      </body></html>`);
    const { document, fields } = buildReport(invoice, {
      fileName: 'x',
      sha256: '',
      createdAt: '2026-03-10T09:00:00.000Z',
    });
    expect(document.kind).toBe('invoice');
    const value = (key: string): string | undefined => fields.find((field) => field.key === key)?.normalized;
    expect([value('total'), value('tax_total'), value('issue_date')]).toEqual([
      '120.00',
      '20.00',
      '2026-05-03',
    ]);
  });

  test('a page without text is refused as such, and deep nesting or an endless tag does no harm', async () => {
    await expect(read('<html><body><img src="a.png"></body></html>')).rejects.toMatchObject({
      code: 'no_text',
    });
    const deep = await read(`<html><body>${'<div>'.repeat(50_000)}deep${'</span>'.repeat(1000)}<p title="`);
    expect(blocks(deep)).toEqual(['para: deep']);
  });
});

const MAIL = [
  'Received: from a.example by b.example; Mon, 2 Mar 2026 10:00:00 +0000',
  'From: =?utf-8?Q?J=C3=BCrgen_Brandt?= <j@holz.example>',
  'To: Priya Shah <priya@customers.example>, orders@customers.example',
  'Subject: Your order 4711',
  'Date: Mon, 2 Mar 2026 09:59:00 +0000',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=b1',
  '',
  '--b1',
  'Content-Type: text/plain; charset=iso-8859-1',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Good morning,',
  '',
  'the table leaves M=FCnchen on 9 March 2026.',
  '--b1',
  'Content-Type: application/pdf; name="offer.pdf"',
  'Content-Disposition: attachment; filename="offer.pdf"',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from('%PDF-1.4 not read').toString('base64'),
  '--b1--',
].join('\r\n');

describe('a mail', () => {
  test('subject, people, date and text are read; an attachment that cannot be read is listed, and the report says so', async () => {
    const mail = await read(MAIL);
    expect(mail.title).toBe('Your order 4711');
    expect(blocks(mail)).toEqual([
      'heading: Your order 4711',
      'para: From: Jürgen Brandt <j@holz.example>',
      'para: To: Priya Shah <priya@customers.example>, orders@customers.example',
      'para: Date: 2 March 2026 at 09:59 UTC',
      'para: Good morning,',
      'para: the table leaves München on 9 March 2026.',
      'list: Attached: offer.pdf (application/pdf, 1 KB)',
    ]);
    expect(mail.warnings).toContainEqual({
      code: 'attachments_unread',
      text: 'One attachment of this message is listed, but not read. To have one read, upload it by itself.',
    });
  });

  test('attachments, inline ones too, are documents of their own with facts and quotes; the date keeps its zone', async () => {
    const part = (head: string, content: Buffer): string =>
      `--b1\r\n${head}\r\nContent-Transfer-Encoding: base64\r\n\r\n${content.toString('base64')}\r\n`;
    const { 'invoice-HF-2041.pdf': invoice, 'supplier-terms.docx': terms } = makeDocuments();
    const mail = [
      'From: a@b.example\r\nTo: c@d.example\r\nSubject: Two papers',
      'Date: Mon, 2 Mar 2026 09:10:00 +0100 (CET)\r\nMIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b1\r\n\r\n--b1\r\nContent-Type: text/plain\r\n\r\nSee below.\r\n',
    ].join('\r\n');
    const file = Buffer.from(
      mail +
        part(
          'Content-Type: application/pdf; name="inv.pdf"\r\nContent-Disposition: inline; filename="inv.pdf"',
          invoice ?? Buffer.alloc(0),
        ) +
        part('Content-Type: application/octet-stream; name="terms.docx"', terms ?? Buffer.alloc(0)) +
        '--b1--',
    );
    const document = await readFileContent(
      file,
      createOcrSession(0, () => {}),
    );
    expect(blocks(document)).toContain('para: Date: 2 March 2026 at 09:10 UTC+01:00');
    expect(document.warnings.map(({ code }) => code)).not.toContain('attachments_unread');
    const report = buildReport(document, {
      fileName: 'mail.eml',
      sha256: '',
      createdAt: '2026-03-10T09:00:00.000Z',
    });
    expect(reportSchema.parse(report).parts?.map(({ name, document: part }) => [name, part?.kind])).toEqual([
      ['inv.pdf', 'invoice'],
      ['terms.docx', 'terms'],
    ]);
    const [bill] = report.parts ?? [];
    expect(bill?.fields.find(({ key }) => key === 'total')?.normalized).toBe('1238.40');
    const texts = new Map(document.blocks.map((block) => [block.id, block.text]));
    const cites = (report.parts ?? []).flatMap(({ fields }) => fields.flatMap(({ cites }) => cites));
    expect(cites.length).toBeGreaterThan(10);
    expect(cites.every((cite) => citeHolds(cite, texts) && cite.page === undefined)).toBe(true);
    // The mail's own facts are not those of its attachments.
    expect(report.fields.some(({ key }) => key === 'total')).toBe(false);
  });

  test('a mail without plain text is read from its HTML; a letter that names a sender is not a mail', async () => {
    const page = await read(
      'From: a@b.example\nTo: c@d.example\nSubject: Hi\nContent-Type: text/html\n\n<p>Hello <b>there</b></p><script>x()</script>',
    );
    expect(blocks(page)).toContain('para: Hello there');
    const letter = await read('From: Harlow Ltd\n\nDear Priya,\n\nthis is a letter and no mail.');
    expect(blocks(letter)[0]).toContain('From: Harlow Ltd');
    expect(letter.warnings.map(({ code }) => code)).toEqual(['no_pages']);
  });
});

test('a Word document of 97 to 2003 is read without a word processor', async () => {
  const document = await read(
    writeOldWord(['Service agreement', 'The supplier repairs the lift within two days of a call.']),
  );
  expect(blocks(document)).toEqual([
    'heading: Service agreement',
    'para: The supplier repairs the lift within two days of a call.',
  ]);
  const short = writeOldWord(['Hello']);
  // The flag of encryption in the head of its stream.
  short.writeUInt16LE(short.readUInt16LE(3 * 512 + 0x0a) | 0x0100, 3 * 512 + 0x0a);
  // A password would not help: there is no program here that unlocks this format.
  await expect(read(short)).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('this type cannot be unlocked here'),
  });
});

test('text from a mainframe is refused as such, and not read as nonsense', async () => {
  // "HELLO WORLD " in EBCDIC.
  const line = Buffer.from('c8c5d3d3d640e6d6d9d3c440', 'hex');
  await expect(read(Buffer.concat(Array(20).fill(line)))).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('EBCDIC'),
  });
  const russian = await read(Buffer.from('cff0e8e2e5f220ece8f0210a'.repeat(8), 'hex'));
  expect(blocks(russian)[0]).toContain('Привет мир');
});

describe('a message of Outlook', () => {
  const invoice = writePdf([[{ x: 50, y: 700, size: 12, text: 'Invoice 4711 of Harbour Foods' }]]);
  const note = {
    subject: 'Rent for April',
    from: { name: 'Ann Wood', address: 'ann@example.com' },
    to: [
      { name: 'Office', address: 'office@example.com', kind: 'to' },
      { name: 'Łukasz', address: 'l@example.com', kind: 'cc' },
    ],
    delivered: new Date('2026-03-02T09:59:00Z'),
    files: [{ name: 'invoice.pdf', type: 'application/pdf', bytes: invoice }],
  } as const;

  test('it is read as any mail: people, date, text, and its attachments as documents of their own', async () => {
    const message = await read(writeOutlook({ ...note, body: 'Dear all,\r\n\r\nthe rent is £900.' }));
    expect(message.title).toBe('Rent for April');
    expect(blocks(message)).toEqual([
      'heading: Rent for April',
      'para: From: Ann Wood <ann@example.com>',
      'para: To: Office <office@example.com>',
      'para: Cc: Łukasz <l@example.com>',
      'para: Date: 2 March 2026 at 09:59 UTC',
      'para: Dear all,',
      'para: the rent is £900.',
      'list: Attached: invoice.pdf (application/pdf, 1 KB)',
      'heading: invoice.pdf',
      expect.stringContaining('Invoice 4711 of Harbour Foods'),
    ]);
    expect(message.attachments).toMatchObject([{ name: 'invoice.pdf', document: { pages: 1 } }]);
  });

  test('its HTML is read where it has no plain text; a damaged one is refused in a sentence', async () => {
    const file = writeOutlook({ ...note, files: [], html: '<p>Only <b>bold</b> é</p>' });
    expect(blocks(await read(file)).at(-1)).toBe('para: Only bold é');
    await expect(read(file.subarray(0, 2600))).rejects.toMatchObject({ code: 'corrupt' });
  });
});
