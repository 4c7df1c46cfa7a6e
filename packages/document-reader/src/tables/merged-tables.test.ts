import { expect, test } from 'vitest';
import type { Table } from '../contract/report.contract.ts';
import { readFileContent } from '../formats/file-content.ts';
import { createOcrSession } from '../ocr/ocr-session.ts';
import { buildReport } from '../report/report-building.ts';
import { writeZip } from '../samples/write-zip.fixture.ts';

async function tablesOf(content: Buffer): Promise<readonly Table[]> {
  const document = await readFileContent(
    content,
    createOcrSession(0, () => {}),
  );
  const file = { fileName: 'x', sha256: '', createdAt: '2026-03-10T09:00:00.000Z' };
  return buildReport(document, file).tables ?? [];
}

const page = (rows: string): Buffer =>
  Buffer.from(`<!doctype html><html><body><h1>Shifts</h1><table>${rows}</table></body></html>`);

const paragraph = (text: string): string => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
const cell = (text: string, properties = ''): string =>
  `<w:tc><w:tcPr>${properties}</w:tcPr>${paragraph(text)}</w:tc>`;
const word = (rows: readonly (readonly string[])[]): Buffer =>
  writeZip([
    {
      name: '[Content_Types].xml',
      content:
        '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    },
    {
      name: 'word/document.xml',
      content: `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${paragraph('Shifts of May')}<w:tbl>${rows.map((cells) => `<w:tr>${cells.join('')}</w:tr>`).join('')}</w:tbl></w:body></w:document>`,
    },
  ]);
const wide = (columns: number): string => `<w:gridSpan w:val="${columns}"/>`;
const FIRST = '<w:vMerge w:val="restart"/>';
const MORE = '<w:vMerge/>';

/** The content of each of the formats below. */
const SHIFTS = {
  header: ['Site', 'Day', 'Hours'],
  rows: [
    ['Leeds', 'Monday', '8.00'],
    ['Leeds', 'Tuesday', '7.50'],
    ['Northern depots', '', ''],
    ['York', 'Monday', '4.00'],
    ['Total', '', '19.50'],
  ],
  summed: [2],
};

test('a cell over several rows is repeated in each, a row of one cell splits no table, and the sum is that of all rows', async () => {
  const texts = word([
    [cell('Site'), cell('Day'), cell('Hours')],
    [cell('Leeds', FIRST), cell('Monday'), cell('8.00')],
    [cell('', MORE), cell('Tuesday'), cell('7.50')],
    [cell('Northern depots', wide(3))],
    [cell('York'), cell('Monday'), cell('4.00')],
    [cell('Total', wide(2)), cell('19.50')],
  ]);
  expect(await tablesOf(texts)).toMatchObject([SHIFTS]);
  const web =
    page(`<tr><th>Site<th>Day<th>Hours<tbody><tr><td rowspan="2">Leeds<td>Monday<td>8.00<tr><td>Tuesday<td>7.50
    <tr><td colspan="3">Northern depots<tr><td>York<td>Monday<td>4.00<tr><td colspan="2">Total<td>19.50</tbody>
    <tr><td colspan="3">Hours are paid on the last day of the month.</td></tr>`);
  expect(await tablesOf(web)).toMatchObject([SHIFTS]);
  expect(await tablesOf(openText('text'))).toMatchObject([SHIFTS]);
  expect(await tablesOf(openText('spreadsheet'))).toMatchObject([SHIFTS]);
  expect(await tablesOf(slides())).toMatchObject([SHIFTS]);
  const bare = SHIFTS.rows.map((row) => row.map((text) => text.replace(/\.00$|0$/, '')));
  expect(await tablesOf(workbook())).toMatchObject([{ ...SHIFTS, rows: bare }]);
});

test('a figure over several rows counts once', async () => {
  const [table] = await tablesOf(
    page(`<tr><td>Site<td>Hours<td>Van<tr><td>Leeds<td>8.00<td rowspan="2">20.00<tr><td>York<td>7.50
      <tr><td>Hull<td>1.00<td>5.00<tr><td>Total<td>16.50<td>25.00`),
  );
  expect(table?.rows[1]).toEqual(['York', '7.50', '']);
  expect(table?.summed).toEqual([1, 2]);
});

test('heads over several columns belong to each of them; years and quarters above figures are heads', async () => {
  const [hours] = await tablesOf(
    page(`<thead><tr><th rowspan="2">Site<th colspan="2">Hours<th rowspan="2">Pay<tr><th>Day<th>Night</thead>
      <tr><td>Leeds<td>8.00<td>1.00<td>180.00<tr><td>York<td>3.00<td>0.50<td>70.00<tr><td>Total<td>11.00<td>1.50<td>250.00`),
  );
  expect(hours).toMatchObject({ header: ['Site', 'Hours: Day', 'Hours: Night', 'Pay'], summed: [1, 2, 3] });
  expect(hours?.rows[0]).toEqual(['Leeds', '8.00', '1.00', '180.00']);
  const [plan] = await tablesOf(
    page(`<tr><th rowspan="2">Cost<th colspan="2">2025<th colspan="2">2026<tr><th>Plan<th>Actual<th>Plan<th>Actual
      <tr><td>Rent<td>100.00<td>110.00<td>210.00<td>220.00<tr><td>Power<td>20.00<td>22.00<td>42.00<td>44.00
      <tr><td>Total<td>120.00<td>132.00<td>252.00<td>264.00`),
  );
  expect(plan).toMatchObject({
    header: ['Cost', '2025: Plan', '2025: Actual', '2026: Plan', '2026: Actual'],
    summed: [1, 2, 3, 4],
  });
  const [costs] = await tablesOf(
    page(`<tr><td>Costs<td>2025<td>Quarter 1<tr><td>Rent<td>100.00<td>25.00<tr><td>Power<td>20.00<td>5.00
      <tr><td>Total<td>120.00<td>30.00`),
  );
  expect(costs).toMatchObject({ header: ['Costs', '2025', 'Quarter 1'], summed: [1, 2] });
  const [plain] = await tablesOf(
    page('<tr><td>May<td>2025<td>10.00<tr><td>June<td>2025<td>12.00<tr><td>July<td>2025<td>14.00'),
  );
  expect(plain).toMatchObject({ header: [], rows: { length: 3 } });
});

test('groups of one row each are a table, and cells that span beyond their group or the page do no harm', async () => {
  const [groups] = await tablesOf(
    page(`<tr><td>Room<td>Length<td>Width<tr><td colspan="3">Ground floor<tr><td>Hall<td>3.00<td>2.00
      <tr><td colspan="3">First floor<tr><td>Bath<td>2.50<td>2.00<tr><td colspan="3">Attic<tr><td>Store<td>4.00<td>3.00`),
  );
  expect(groups?.rows.map(([name]) => name)).toEqual([
    ...['Ground floor', 'Hall', 'First floor', 'Bath', 'Attic', 'Store'],
  ]);
  const hostile = `<tr>${'<td rowspan="65534" colspan="1000">a'.repeat(300)}${'<tr><td>b<td>1.00<td>c'.repeat(2000)}`;
  expect(
    await tablesOf(page(`${hostile}<tr><td rowspan="-3" colspan="x">d<td rowspan="0">2.00`)),
  ).toBeDefined();
  const [after] = await tablesOf(
    page(`<tbody><tr><td>Site<td>Day<td>Hours<tr><td rowspan="9">Leeds<td>Monday<td>8.00</tbody>
      <tbody><tr><td>York<td>Monday<td>4.00<tr><td>Hull<td>Monday<td>4.00</tbody>`),
  );
  expect(after?.rows).toContainEqual(['York', 'Monday', '4.00']);
});

/** A text or a spreadsheet of OpenDocument with the shifts. */
function openText(type: 'text' | 'spreadsheet'): Buffer {
  const covered = '<table:covered-table-cell/>';
  const at = (text: string, spans = ''): string =>
    `<table:table-cell ${spans}><text:p>${text}</text:p></table:table-cell>`;
  const columns = (count: number): string => `table:number-columns-spanned="${count}"`;
  const rows = [
    at('Site') + at('Day') + at('Hours'),
    at('Leeds', 'table:number-rows-spanned="2"') + at('Monday') + at('8.00'),
    covered + at('Tuesday') + at('7.50'),
    at('Northern depots', columns(3)) + covered + covered,
    at('York') + at('Monday') + at('4.00'),
    at('Total', columns(2)) + covered + at('19.50'),
  ];
  const space = ['office', 'text', 'table']
    .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
    .join(' ');
  return writeZip([
    { name: 'mimetype', content: `application/vnd.oasis.opendocument.${type}` },
    {
      name: 'content.xml',
      content: `<?xml version="1.0"?><office:document-content ${space}><office:body><office:${type}><table:table table:name="May">${rows.map((cells) => `<table:table-row>${cells}</table:table-row>`).join('')}</table:table></office:${type}></office:body></office:document-content>`,
    },
  ]);
}

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const contentTypes = (type: string, parts: Readonly<Record<string, string>>): string =>
  `<?xml version="1.0"?><Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${Object.entries(
    parts,
  )
    .map(
      ([name, kind]) =>
        `<Override PartName="${name}" ContentType="application/vnd.openxmlformats-officedocument.${type}.${kind}+xml"/>`,
    )
    .join('')}</Types>`;
const relationship = (kind: string, target: string): string =>
  `<?xml version="1.0"?><Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="r1" Type="${OFFICE}/${kind}" Target="${target}"/></Relationships>`;

/** A workbook with the shifts, on a sheet whose name contains a character that XML escapes. */
function workbook(): Buffer {
  const rows = [
    ['Site', 'Day', 'Hours'],
    ['Leeds', 'Monday', 8],
    ['', 'Tuesday', 7.5],
    ['Northern depots', '', ''],
    ['York', 'Monday', 4],
    ['Total', '', 19.5],
  ];
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const at = (value: string | number, name: string): string =>
    typeof value === 'number'
      ? `<c r="${name}"><v>${value}</v></c>`
      : `<c r="${name}" t="inlineStr"><is><t>${value}</t></is></c>`;
  const data = rows.map(
    (row, index) =>
      `<row r="${index + 1}">${row.map((value, column) => (value === '' ? '' : at(value, `${'ABC'[column]}${index + 1}`))).join('')}</row>`,
  );
  return writeZip([
    {
      name: '[Content_Types].xml',
      content: contentTypes('spreadsheetml', {
        '/xl/workbook.xml': 'sheet.main',
        '/xl/worksheets/sheet1.xml': 'worksheet',
      }),
    },
    { name: '_rels/.rels', content: relationship('officeDocument', 'xl/workbook.xml') },
    {
      name: 'xl/workbook.xml',
      content: `<?xml version="1.0"?><workbook xmlns="${main}" xmlns:r="${OFFICE}"><sheets><sheet name="May &amp; June" sheetId="4" r:id="r1"/></sheets></workbook>`,
    },
    { name: 'xl/_rels/workbook.xml.rels', content: relationship('worksheet', 'worksheets/sheet1.xml') },
    {
      name: 'xl/worksheets/sheet1.xml',
      content: `<?xml version="1.0"?><worksheet xmlns="${main}"><sheetData>${data.join('')}</sheetData><mergeCells count="3"><mergeCell ref="A2:A3"/><mergeCell ref="A4:C4"/><mergeCell ref="A6:B6"/></mergeCells></worksheet>`,
    },
  ]);
}

/** A slide with the shifts. */
function slides(): Buffer {
  const at = (text: string, spans = ''): string =>
    `<a:tc${spans}><a:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></a:txBody></a:tc>`;
  const covered = at('', ' hMerge="1"');
  const rows = [
    at('Site') + at('Day') + at('Hours'),
    at('Leeds', ' rowSpan="2"') + at('Monday') + at('8.00'),
    at('', ' vMerge="1"') + at('Tuesday') + at('7.50'),
    at('Northern depots', ' gridSpan="3"') + covered + covered,
    at('York') + at('Monday') + at('4.00'),
    at('Total', ' gridSpan="2"') + covered + at('19.50'),
  ];
  const table = `<a:tbl>${rows.map((cells) => `<a:tr h="1">${cells}</a:tr>`).join('')}</a:tbl>`;
  return writeZip([
    {
      name: '[Content_Types].xml',
      content: contentTypes('presentationml', {
        '/ppt/presentation.xml': 'presentation.main',
        '/ppt/slides/slide1.xml': 'slide',
      }),
    },
    { name: '_rels/.rels', content: relationship('officeDocument', 'ppt/presentation.xml') },
    {
      name: 'ppt/presentation.xml',
      content: `<?xml version="1.0"?><p:presentation xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:r="${OFFICE}"><p:sldIdLst><p:sldId id="256" r:id="r1"/></p:sldIdLst></p:presentation>`,
    },
    { name: 'ppt/_rels/presentation.xml.rels', content: relationship('slide', 'slides/slide1.xml') },
    {
      name: 'ppt/slides/slide1.xml',
      content: `<?xml version="1.0"?><p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><p:cSld><p:spTree><p:graphicFrame><a:graphic><a:graphicData uri="http://schemas.openxmlformats.org/drawingml/2006/table">${table}</a:graphicData></a:graphic></p:graphicFrame></p:spTree></p:cSld></p:sld>`,
    },
  ]);
}
