import { expect, test } from 'vitest';
import { readFileContent } from '../formats/file-content.ts';
import { createOcrSession } from '../ocr/ocr-session.ts';
import { buildReport } from '../report/report-building.ts';
import { type PdfText, writePdf } from '../samples/write-pdf.fixture.ts';
import type { TextRun } from './page-rows.ts';
import { repairedRuns } from './run-repair.ts';

const run = (text: string, x = 40, y = 700): TextRun => ({
  text,
  x,
  y,
  width: 60,
  size: 10,
  endOfLine: false,
});
const textsOf = (...runs: TextRun[]): string[] => repairedRuns(runs).map(({ text }) => text);

test('letters whose bytes are swapped are put in order, and Chinese stays as it is', () => {
  const swapped = (text: string): string =>
    [...text].map((sign) => (sign === ' ' ? sign : String.fromCharCode(sign.charCodeAt(0) << 8))).join('');
  expect(swapped('Mult')).toBe('䴀甀氀琀');
  expect(textsOf(run(swapped('Multi page')), run(swapped('print'), 40, 680))).toEqual([
    'Multi page',
    'print',
  ]);
  expect(textsOf(run('本科毕业论文一'), run('中文'))).toEqual(['本科毕业论文一', '中文']);
  expect(textsOf(run('一一'))).toEqual(['一一']);
});

test('letters that are printed twice to look bold are read once; the same word elsewhere is another', () => {
  expect(textsOf(run('Total'), run('Total', 40.4), run('Total', 140), run('Total', 40, 680))).toHaveLength(3);
});

const reportOf = async (texts: readonly PdfText[]) => {
  const document = await readFileContent(
    writePdf([texts]),
    createOcrSession(0, () => {}),
  );
  return {
    document,
    report: buildReport(document, { fileName: 'x', sha256: '', createdAt: '2026-03-10T09:00:00.000Z' }),
  };
};

test('a PDF whose bold print is doubled has each word once; nonsense is told, and the report is partial', async () => {
  const at = (x: number, text: string): PdfText => ({ x, y: 700, size: 12, text });
  const { document, report } = await reportOf([at(40, 'Harbour'), at(40.3, 'Harbour'), at(120, 'wall of the eastern quay')]);
  expect(document.blocks.map(({ text }) => text).join(' ')).toMatch(/^Harbour\s+wall of the eastern quay$/);
  expect(report.status).toBe('complete');
  const nonsense = await reportOf([at(40, '"7+%-`!<~')]);
  expect(nonsense.document.warnings.map(({ code }) => code)).toContain('garbled');
  expect(nonsense.report.status).toBe('partial');
});
