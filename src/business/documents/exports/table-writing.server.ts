import { strToU8, zipSync } from 'fflate';
import { CSV_START, csvLine } from '../../../kernel/contract/csv.ts';
import { escapeHtml } from '../../../kernel/contract/html-escape.ts';

/** A cell; a number stays a number, so that it can be summed. */
export type TableCell = string | number;

/** A sheet of a workbook; the first row is its head. */
export interface Sheet {
  /** At most 31 characters, without those that Excel forbids. */
  readonly name: string;
  readonly rows: readonly (readonly TableCell[])[];
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const SHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
/** Excel refuses longer texts, characters. */
const LONGEST_CELL = 32_767;

/** A table as a file of comma-separated values. */
export function writeCsv(rows: readonly (readonly TableCell[])[]): Buffer {
  return Buffer.from(`${CSV_START}${rows.map(csvLine).join('')}`);
}

/** Sheets as a workbook of Excel (ECMA-376). Texts stay texts, and never become formulas. */
export function writeWorkbook(sheets: readonly Sheet[]): Buffer {
  const part = (index: number): string => `xl/worksheets/sheet${index + 1}.xml`;
  const files: Record<string, string> = {
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${SHEET_TYPE}.sheet.main+xml"/>${sheets
      .map((_, index) => `<Override PartName="/${part(index)}" ContentType="${SHEET_TYPE}.worksheet+xml"/>`)
      .join('')}</Types>`,
    '_rels/.rels': `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${sheets
      .map(({ name }, index) => `<sheet name="${xml(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}/relationships">${sheets
      .map(
        (_, index) =>
          `<Relationship Id="rId${index + 1}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`,
      )
      .join('')}</Relationships>`,
  };
  for (const [index, { rows }] of sheets.entries()) files[part(index)] = sheetXml(rows);
  const bytes = Object.entries(files).map(([name, text]) => [name, strToU8(XML + text)] as const);
  return Buffer.from(zipSync(Object.fromEntries(bytes)));
}

function sheetXml(rows: Sheet['rows']): string {
  const lines = rows.map((row, at) => {
    const cells = row.map((cell, column) => {
      const place = `${columnName(column)}${at + 1}`;
      if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`;
      return `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${xml(cell.slice(0, LONGEST_CELL))}</t></is></c>`;
    });
    return `<row r="${at + 1}">${cells.join('')}</row>`;
  });
  return `<worksheet xmlns="${MAIN}"><sheetData>${lines.join('')}</sheetData></worksheet>`;
}

function columnName(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26));
  return column < 26 ? letter : columnName(Math.floor(column / 26) - 1) + letter;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML does not allow them.
const NO_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const xml = (text: string): string => escapeHtml(text.toWellFormed().replace(NO_XML, ''));
