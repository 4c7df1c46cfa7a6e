import { expect, test } from 'vitest';
import type { Report } from '../contract/report.contract.ts';
import { readFileContent } from '../formats/file-content.ts';
import { createOcrSession } from '../ocr/ocr-session.ts';
import { buildReport } from './report-building.ts';

async function reportOf(text: string, { fileName = 'a.txt', title = '' } = {}): Promise<Report> {
  const document = await readFileContent(
    Buffer.from(text),
    createOcrSession(0, () => {}),
  );
  return buildReport(
    { ...document, title: title === '' ? undefined : title },
    { fileName, sha256: '', createdAt: '2026-03-10T09:00:00.000Z' },
  );
}

const HARBOUR = 'The Harbour Wall\n\nThe council decided in January to rebuild the eastern quay of the town.';

test.each([
  ...[
    '(anonymous)',
    '10811.exe',
    'Adobe Photoshop PDF',
    'Screenshot 2025-07-29 at 10.11.png',
    'TO THE',
    'KYC HEADER',
  ],
  ...['Microsoft Word - letter', 'Quarterly figures of another firm', 'IMG_2231', 'Sheet1', 'DATE'],
])('a title in the data of a file that its text does not print is not its title: %s', async (title) => {
  expect((await reportOf(HARBOUR, { title })).document.title).toBe('The Harbour Wall');
});

test('the title in the data counts where the text prints it, or where the text has no title of its own', async () => {
  const text = 'Harbour office\n\nThis report on the eastern quay of the town says how the wall is rebuilt.';
  expect((await reportOf(text, { title: 'Report on the eastern quay' })).document.title).toBe(
    'Report on the eastern quay',
  );
  const plain = 'the council decided in January to rebuild the quay, and the work begins in May.';
  expect((await reportOf(plain, { title: 'Works at the port' })).document.title).toBe('Works at the port');
  expect((await reportOf(plain, { fileName: 'quay_works.txt' })).document.title).toBe('quay works');
});

test('a scan without a heading is titled by the line that names its kind', async () => {
  const slip =
    'Kern GmbH\nGehaltsabrechnung Mai 2026\nBruttolohn  3.100,00\nLohnsteuer  402,50\nAuszahlungsbetrag  2.118,20';
  expect((await reportOf(slip, { fileName: 'scan0001.pdf' })).document.title).toBe(
    'Gehaltsabrechnung Mai 2026',
  );
});

test('the summary of a manual names its chapters, and that of a table its columns', async () => {
  const prose = 'Turn the handle slowly until the water is hot and the lamp is green, and then wait. '.repeat(
    60,
  );
  const chapters = ['1 Before you begin', '2 Making coffee', '2.1 Grinding', '3 Cleaning'];
  const manual = await reportOf(
    ['EasyBrew User Guide', ...chapters.flatMap((chapter) => [chapter, prose])].join('\n\n'),
  );
  expect(manual.document.kind).toBe('manual');
  expect(manual.summary.short).toMatch(
    /^Manual “EasyBrew User Guide” in 3 parts: 1 Before you begin; 2 Making coffee; 3 Cleaning\./,
  );
  const table = await reportOf('Code;Name;Price\nA1;Bolt;0.12\nA2;Nut;0.05\nA3;Washer;0.01\n', {
    fileName: 'b.csv',
  });
  expect(table.summary.short).toBe('Table: Code, Name, Price (3 rows).');
});
