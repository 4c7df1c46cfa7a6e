import { writeZip } from './write-zip.fixture.ts';

/** A text, or a number with the style that shows it: 0 as it is, 1 as a day, 2 as pounds. */
export type SheetCell = string | readonly [figure: number, style: 0 | 1 | 2];

/** A workbook with one sheet of at most four columns. */
export function writeWorkbook(rows: readonly (readonly SheetCell[])[], name = 'May'): Buffer {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const content = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  const links = (...targets: readonly (readonly [string, string])[]): string =>
    `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${targets.map(([kind, target], at) => `<Relationship Id="r${at}" Type="${office}/${kind}" Target="${target}"/>`).join('')}</Relationships>`;
  const cells = rows.map(
    (row, down) =>
      `<row r="${down + 1}">${row
        .map((value, across) => {
          const place = `r="${'ABCD'[across]}${down + 1}"`;
          if (value === '') return '';
          if (typeof value === 'string') return `<c ${place} t="inlineStr"><is><t>${value}</t></is></c>`;
          return `<c ${place} s="${value[1]}"><v>${value[0]}</v></c>`;
        })
        .join('')}</row>`,
  );
  return writeZip([
    {
      name: '[Content_Types].xml',
      content: `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${content}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${content}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${content}.styles+xml"/></Types>`,
    },
    { name: '_rels/.rels', content: links(['officeDocument', 'xl/workbook.xml']) },
    {
      name: 'xl/workbook.xml',
      content: `<?xml version="1.0"?><workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="${name}" sheetId="1" r:id="r0"/></sheets></workbook>`,
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: links(['worksheet', 'worksheets/sheet1.xml'], ['styles', 'styles.xml']),
    },
    {
      name: 'xl/styles.xml',
      content: `<?xml version="1.0"?><styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="&quot;£&quot;#,##0.00"/></numFmts><cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
    },
    {
      name: 'xl/worksheets/sheet1.xml',
      content: `<?xml version="1.0"?><worksheet xmlns="${main}"><sheetData>${cells.join('')}</sheetData></worksheet>`,
    },
  ]);
}
