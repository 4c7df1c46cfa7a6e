import { Parser } from 'htmlparser2';
import iconv from 'iconv-lite';
import { BlockList, cleanText, type ExtractedDocument, type Row } from '../contract/extracted-document.ts';
import { joinedLines, type SpannedCell, SpannedRows, textRows } from '../layout/spanned-cells.ts';
import { unpagedDocument } from './office-extraction.ts';
import { decodeText } from './text-extraction.ts';

/** Elements whose text is not visible. */
const UNSEEN: ReadonlySet<string> = new Set([
  ...[
    'script',
    'style',
    'template',
    'noscript',
    'svg',
    'math',
    'iframe',
    'object',
    'head',
    'select',
    'datalist',
  ],
]);
/** Elements that begin a new paragraph. */
const BLOCKS: ReadonlySet<string> = new Set([
  ...[
    'p',
    'div',
    'section',
    'article',
    'main',
    'aside',
    'nav',
    'header',
    'footer',
    'address',
    'blockquote',
    'pre',
  ],
  ...[
    'ul',
    'ol',
    'dl',
    'dt',
    'dd',
    'figure',
    'figcaption',
    'form',
    'fieldset',
    'legend',
    'details',
    'summary',
  ],
  ...['table', 'caption', 'body', 'hr', 'center'],
]);
const HEADING = /^h([1-6])$/;
/** Elements without an end tag. */
const EMPTY: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta source track wbr'.split(' '),
);

/** Most columns and rows that a cell may span, as in browsers. */
const MOST_SPAN = 1000;
const MOST_ROWS = 65_534;
/** Elements that group rows: no cell spans beyond their end. */
const ROW_GROUPS: ReadonlySet<string> = new Set(['thead', 'tbody', 'tfoot']);
/** Longest name of a group of rows, in characters; a longer text in a row of one cell is layout. */
const LONGEST_NAME = 80;

/** Whether a file of no other known format begins like a web page. */
export function isHtml(head: string): boolean {
  return /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[\s\S]{0,400}?-->\s*)*<(?:!doctype\s+html|html|head|body)\b/i.test(
    head,
  );
}

/**
 * Reads the visible headings, paragraphs, lists and tables of a web page. It runs no scripts and fetches nothing.
 *
 * @throws UnreadableDocument `no_text` for a page without text
 */
export function extractHtml(bytes: Buffer): ExtractedDocument {
  const { text, guess } = decodeHtml(bytes);
  const list = new BlockList();
  const rows: Row[] = [];
  const title = addHtml(text, { list, rows });
  return unpagedDocument(list, {
    title,
    rows,
    warnings:
      guess === undefined
        ? []
        : [
            {
              code: 'encoding_guess',
              text: `The character encoding had to be guessed (${guess}): some letters may be wrong.`,
            },
          ],
  });
}

/** Decodes by a BOM, as UTF-8 if the bytes are valid, or by the page's declaration. */
function decodeHtml(bytes: Buffer): { text: string; guess: string | undefined } {
  const decoded = decodeText(bytes);
  const named = /<meta[^>]{0,200}charset\s*=\s*["']?\s*([\w:-]{2,30})/i.exec(
    bytes.toString('latin1', 0, 4096),
  )?.[1];
  if (decoded.guess === undefined || named === undefined || !iconv.encodingExists(named)) return decoded;
  return { text: iconv.decode(bytes, named), guess: undefined };
}

interface Gathered {
  readonly list: BlockList;
  readonly rows: Row[];
}

/** Adds the blocks and rows of a page's text; returns its title. */
export function addHtml(html: string, gathered: Gathered): string | undefined {
  const page = new PageReader(gathered);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => page.open(name, attributes),
      onclosetag: (name) => page.close(name),
      ontext: (text) => page.text(text),
    },
    { decodeEntities: true, lowerCaseTags: true },
  );
  parser.end(html);
  page.end();
  return page.title;
}

/** Reads the tags of a page in order, without a tree, so that deep nesting costs no memory. */
class PageReader {
  #title = '';
  readonly #gathered: Gathered;
  #open = 0;
  /** Depth of the outermost invisible element that is open. */
  #unseenFrom: number | undefined;
  #inTitle = false;
  #text = '';
  #level: number | undefined;
  #isItem = false;
  #cells: SpannedCell[] | undefined;
  /** Columns and rows that the open cell spans; undefined outside of cells. */
  #span: { readonly span: number; readonly rows: number } | undefined;
  #lines: string[] = [];
  /** The open tables, innermost last, and the table of the open row. */
  readonly #tables: SpannedRows[] = [];
  #placed = new SpannedRows();
  #count = 0;

  constructor(gathered: Gathered) {
    this.#gathered = gathered;
  }

  get title(): string | undefined {
    return tidy(this.#title).replace(/\s+/g, ' ') || undefined;
  }

  open(name: string, attributes: Record<string, string>): void {
    // Drawings have titles too.
    if (name === 'title' && this.#title === '') this.#inTitle = true;
    if (!EMPTY.has(name)) {
      this.#open += 1;
      if (this.#unseenFrom === undefined && (UNSEEN.has(name) || isHidden(attributes)))
        this.#unseenFrom = this.#open;
    }
    if (this.#unseenFrom !== undefined) return;
    if (name === 'br') this.#text += '\n';
    else if (name === 'table') this.#beginTable();
    else if (name === 'tr') this.#beginRow();
    else if (name === 'td' || name === 'th') this.#beginCell(attributes);
    else this.#beginBlock(name);
  }

  #beginBlock(name: string): void {
    if (name === 'li') this.#begin(() => (this.#isItem = true));
    else if (HEADING.test(name)) this.#begin(() => (this.#level = Number(name[1])));
    else if (BLOCKS.has(name)) this.#begin();
  }

  close(name: string): void {
    if (name === 'title') this.#inTitle = false;
    if (EMPTY.has(name)) return;
    const seen = this.#unseenFrom === undefined;
    if (this.#unseenFrom === this.#open) this.#unseenFrom = undefined;
    this.#open -= 1;
    if (!seen) return;
    if (name === 'td' || name === 'th') this.#endCell();
    else if (name === 'tr') this.#endRow();
    else if (name === 'table') this.#closeTable();
    else if (ROW_GROUPS.has(name)) this.#endGroup();
    else if (name === 'li' || HEADING.test(name) || BLOCKS.has(name)) this.#begin();
  }

  text(text: string): void {
    if (this.#inTitle) this.#title += text;
    if (this.#unseenFrom === undefined) this.#text += text.replace(/\s+/g, ' ');
  }

  end(): void {
    this.#endRow();
    this.#endTable();
    this.#flush();
  }

  /** Ends the current block; `mark` sets the type of the next one. */
  #begin(mark?: () => void): void {
    // Paragraphs in a cell belong to the cell.
    if (this.#cells !== undefined) this.#text += '\n';
    else {
      this.#flush();
      mark?.();
    }
  }

  #flush(): void {
    const text = tidy(this.#text);
    const { list, rows } = this.#gathered;
    if (text !== '') {
      if (this.#level !== undefined) list.add({ type: 'heading', level: this.#level, text });
      else list.add({ type: this.#isItem ? 'list' : 'para', text });
      rows.push(...textRows(text));
    }
    this.#text = '';
    this.#level = undefined;
    this.#isItem = false;
  }

  #beginTable(): void {
    this.#begin();
    if (this.#tables.length < MOST_NESTED) this.#tables.push(new SpannedRows(this.#count));
    this.#count += 1;
  }

  #closeTable(): void {
    this.#endRow();
    this.#endTable();
    this.#tables.pop();
  }

  #endGroup(): void {
    this.#endRow();
    this.#tables.at(-1)?.endGroup();
  }

  #beginRow(): void {
    this.#endRow();
    this.#flush();
    this.#cells = [];
    this.#placed = this.#tables.at(-1) ?? new SpannedRows();
  }

  #beginCell({ colspan, rowspan }: Record<string, string>): void {
    this.#endCell();
    // In HTML, `rowspan="0"` means all rows that are left.
    const rows = rowspan?.trim() === '0' ? MOST_ROWS : countOf(rowspan, MOST_ROWS);
    this.#span = { span: countOf(colspan, MOST_SPAN), rows };
  }

  #endCell(): void {
    const [cell, span] = [joinedLines(tidy(this.#text).split('\n')), this.#span];
    this.#span = undefined;
    if (this.#cells === undefined) return;
    // An empty cell keeps its column, so that the cells after it stay in theirs.
    if (cell.text !== '' || span !== undefined) this.#cells.push({ ...cell, ...span });
    this.#text = '';
  }

  #endRow(): void {
    this.#endCell();
    const all = this.#cells;
    this.#cells = undefined;
    const row = all === undefined ? undefined : this.#placed.add(all);
    if (all === undefined || row === undefined) return;
    const { cells } = row;
    if (cells.length > 1 || (this.#lines.length > 0 && isNameOfGroup(all)))
      this.#lines.push(cells.map(({ text }) => text).join('  '));
    else {
      // A row with a single cell is layout, not part of a table.
      this.#endTable();
      this.#gathered.list.add({ type: 'para', text: cells[0]?.text ?? '' });
    }
    this.#gathered.rows.push(row);
  }

  #endTable(): void {
    if (this.#lines.length > 0) this.#gathered.list.add({ type: 'table', text: this.#lines.join('\n') });
    this.#lines = [];
  }
}

/** Deepest nesting of tables; a deeper table counts as part of the innermost one. */
const MOST_NESTED = 100;

function countOf(attribute: string | undefined, most: number): number {
  return Math.min(most, Math.max(1, Math.trunc(Number(attribute)) || 1));
}

/** Whether a row is a single cell that spans several columns between the rows of a table. */
function isNameOfGroup(cells: readonly SpannedCell[]): boolean {
  const columns = cells.reduce((sum, { span = 1 }) => sum + span, 0);
  return columns > 1 && cells.every(({ text }) => text.length <= LONGEST_NAME);
}

function isHidden({ hidden, style = '', 'aria-hidden': aria }: Record<string, string>): boolean {
  return (
    hidden !== undefined ||
    aria === 'true' ||
    /display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|pt|em)?\s*(?:;|$)/i.test(style)
  );
}

function tidy(text: string): string {
  return cleanText(text)
    .split('\n')
    .map((line) => line.replace(/[^\S\n]+/g, ' ').trim())
    .join('\n')
    .trim();
}
