import { expect, test } from 'vitest';
import { type Line, linesOf, paragraphsOf } from './page-paragraphs.ts';
import { pageRows, type TextRun } from './page-rows.ts';

/** A run of ten-point print, five points for each letter. */
const run = (text: string, x: number, y: number): TextRun => ({
  ...{ text, x, y, width: text.length * 5, size: 10 },
  endOfLine: false,
});
const line = (text: string, y: number, more: Partial<Line> = {}): Line => ({
  ...{ text, x: 50, y, size: 10, tabular: false },
  ...more,
});
const textsOf = (runs: readonly TextRun[]): string[][] =>
  pageRows(1, runs, []).map(({ cells }) => cells.map(({ text }) => text));

test('rows follow the page from its top, and cells from the left, whatever the order of the file', () => {
  const runs = [run('12.00', 300, 700), run('Milk', 50, 680), run('Bread', 50, 700), run('0.95', 300, 682)];
  expect(textsOf(runs)).toEqual([
    ['Bread', '12.00'],
    ['Milk', '0.95'],
  ]);
});

test('a narrow gap separates nothing, a wider one words, and a wide one cells', () => {
  expect(textsOf([run('To', 50, 700), run('tal', 60, 700)])).toEqual([['Total']]);
  expect(textsOf([run('Total', 50, 700), run('due', 78, 700)])).toEqual([['Total due']]);
  expect(textsOf([run('Total', 50, 700), run('due', 87, 700)])).toEqual([['Total', 'due']]);
});

test('values of a form stand below the print, each beside its label', () => {
  const rows = pageRows(3, [run('Order', 50, 700)], [{ label: 'Name', value: 'Holt' }]);
  expect(rows.map(({ page, cells }) => [page, cells.map(({ text }) => text)])).toEqual([
    [3, ['Order']],
    [3, ['Name:', 'Holt']],
  ]);
});

test('lines keep the order of the file, so that columns are not read across', () => {
  const columns = [run('left one', 50, 700), run('left two', 50, 688), run('right one', 300, 700)];
  expect(linesOf(columns).map(({ text }) => text)).toEqual(['left one', 'left two', 'right one']);
  const [tabular] = linesOf([run('Milk', 50, 700), run('0.95', 300, 700)]);
  expect(tabular).toMatchObject({ text: 'Milk  0.95', tabular: true });
});

test('lines that go on make a paragraph, a larger one a heading, one with gaps a row of a table', () => {
  const body = [688, 676].map((y) =>
    line('the wall of the harbour is rebuilt in the spring of this year and', y),
  );
  const blocks = paragraphsOf([
    {
      ...{ page: 1, height: 842, form: [] },
      lines: [
        line('The harbour', 720, { size: 18 }),
        line('The council decided in January to see that', 700),
        ...body,
        line('Milk  0.95', 600, { tabular: true }),
      ],
    },
  ]);
  expect(blocks.map(({ type }) => type)).toEqual(['heading', 'para', 'table']);
  expect(blocks[1]?.text.split('harbour')).toHaveLength(3);
});

test('headers that come back on every page are separate from the text', () => {
  const pages = [1, 2, 3, 4].map((page) => ({
    ...{ page, height: 842, form: [] },
    lines: [
      line('Harlow Ltd, annual report', 815),
      line(`On page ${page} the committee looks at another part of the harbour.`, 500),
    ],
  }));
  expect(paragraphsOf(pages).map(({ type }) => type)).toEqual(Array(4).fill(['header', 'para']).flat());
});
