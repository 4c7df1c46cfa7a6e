import { expect, test } from 'vitest';
import type { ExtractedDocument } from '../contract/extracted-document.ts';
import type { Report } from '../contract/report.contract.ts';
import { createOcrSession } from '../ocr/ocr-session.ts';
import { buildReport } from '../report/report-building.ts';
import { officePdf } from '../samples/office-prints.fixture.ts';
import { writeDocx } from '../samples/write-zip.fixture.ts';
import { readFileContent } from './file-content.ts';

const read = (content: Buffer): Promise<ExtractedDocument> =>
  readFileContent(
    content,
    createOcrSession(0, () => {}),
  );
const reportOf = async (content: Buffer): Promise<Report> =>
  buildReport(await read(content), { fileName: 'x', sha256: '', createdAt: '2026-03-10T09:00:00.000Z' });
const print = (text: string): Buffer => officePdf({ name: 'x', truth: {}, text });

test('a short table with a few accents is western text and not Hebrew or boxes, and the report says that the encoding was guessed', async () => {
  const western =
    'Kunde\tWare\tMenge\tPreis\r\nMüller\tKäse\t12\t4,50 €\r\nÖzdemir\tBrötchen\t40\t0,45 €\r\nNúñez\tJamón\t2\t31,00 €\r\n';
  const document = await read(Buffer.from(western.replaceAll('€', '\x80'), 'latin1'));
  expect(document.blocks[0]?.text).toContain('Müller  Käse  12  4,50 €\nÖzdemir  Brötchen');
  expect(document.warnings.map(({ code }) => code)).toContain('encoding_guess');
});

test('a text that begins like a video or a picture is a text', async () => {
  const words = 'Goods are sold here in the old market hall, and none of them is taken back. ';
  const video = `G${words.repeat(3).slice(0, 187)}G${words.repeat(3)}`;
  for (const text of [video, `BM ${words}`, `ID3 ${words}`])
    expect((await read(Buffer.from(text))).blocks[0]?.text.slice(0, 30)).toBe(text.slice(0, 30));
  await expect(read(Buffer.from(`%!PS-Adobe-3.0\n${words}`))).rejects.toThrow('(PS)');
});

test('a table that names its separator, as Excel writes it, is read without that line', async () => {
  const { tables } = await reportOf(
    Buffer.from('sep=;\r\nCode;Name;Price\r\nA1;"Bolt; long";0.12\r\nA2;Nut;0.05\r\nA3;Washer;0.01\r\n'),
  );
  expect(tables).toMatchObject([
    { header: ['Code', 'Name', 'Price'], rows: [['A1', 'Bolt; long', '0.12'], {}, {}] },
  ]);
});

test('headings of Markdown are headings, and the first is the title', async () => {
  const report = await reportOf(
    Buffer.from(
      '# Minutes of the committee\n\nHeld on 4 May 2026.\n\n## Matters arising\nThe roof was discussed.\n',
    ),
  );
  expect(report.document.title).toBe('Minutes of the committee');
  expect(report.outline.map(({ level, text }) => [level, text])).toEqual([
    [1, 'Minutes of the committee'],
    [2, 'Matters arising'],
  ]);
});

const REMINDER = `Fenwick Plumbing Supplies
Gateshead NE8 2BJ

20 May 2026

Tom Baxter Heating
4 Quarry Bank
Durham DH1 3PX

PAYMENT REMINDER

Dear Mr Baxter

Our records show that the following invoices are overdue:

Invoice      Date           Due            Amount
7711         02/03/2026     01/04/2026     £310.40
7790         16/03/2026     15/04/2026     £122.00
             Total overdue                 £432.40

Please pay by 30 May 2026. If you have paid in the last few days, please ignore this letter.

Yours sincerely
Accounts Department`;

test('the heads of a table are not labels of the letter, and a line of an address is not its title', async () => {
  const { document, fields } = await reportOf(print(REMINDER));
  expect(document).toMatchObject({ kind: 'reminder' });
  const value = (key: string) => fields.find((field) => field.key === key)?.normalized;
  expect([value('issue_date'), value('due_date')]).toEqual([undefined, '2026-05-30']);
});

test('a notice of some weeks is the period of notice, however the sentence puts it', async () => {
  for (const sentence of [
    'Either party may terminate this agreement with six weeks’ written notice.',
    "Either party may end this agreement by giving six weeks' notice.",
    'This agreement may be terminated upon six weeks prior written notice.',
  ]) {
    const { fields } = await reportOf(
      writeDocx([
        'This agreement is made between Sparkle Team Ltd and Brook House Surgery.',
        sentence,
        'The Contractor shall provide all materials. The parties shall keep all information confidential.',
      ]),
    );
    expect(fields.find(({ key }) => key === 'notice_period')?.value, sentence).toBe('six weeks');
  }
});
