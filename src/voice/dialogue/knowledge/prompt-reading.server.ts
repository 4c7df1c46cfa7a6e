import { asWe, readStatement, type Statement, saysWe, sentence } from './statement-kinds.server.ts';

/** Something that the assistant may tell callers. */
export interface Fact {
  /** A whole sentence. */
  readonly text: string;
  /** What it belongs to: a heading, a question, or what a caller has to ask first. */
  readonly context: string;
  /** The name of a list entry without its value, e.g. `Margherita`; null for prose. */
  readonly entry: string | null;
  /** Number of its list, which its other entries share. Null for prose. */
  readonly list: number | null;
  /** The file that it comes from; null for the prompt. */
  readonly source: string | null;
}

/** The contents of a prompt, by purpose. */
export interface PromptReading {
  /** The assistant's own name. */
  readonly name: string | null;
  /** The business that it works for. */
  readonly organisation: string | null;
  readonly facts: readonly Fact[];
  /** Subjects that it must not talk about. */
  readonly forbidden: readonly string[];
  /** Subjects for which it takes a message. */
  readonly messages: readonly string[];
}

const MOST_LETTERS = 100_000;
const MOST_FACTS = 800;
const LONGEST = 400;
const MANNERS =
  /\b(style|tone|rules?|role|personality|behaviou?r|instructions?|guidelines?|manner|identity|persona|task|goal|constraints?|guardrails?|voice|response)\b/i;
/** Headings that do not say what the sentences below them are about. */
const SAYS_NOTHING =
  /^(?:(?:some |key |more |other |general |useful |important |further )?(?:facts?|information|info|details?|notes?|knowledge(?: base)?|things to know|general|other|miscellaneous|faqs?|about us|about the (?:business|company)|good to know|context|background))$/i;
const MONEY = /(?:[£$€¥]\s?\d[\d,]*(?:\.\d+)?|\b\d+(?:\.\d+)? ?(?:pounds?|euros?|dollars?|pence|quid)\b)/g;
const VALUE = /(?:from )?[£$€¥]\s?\d|\d/;
const MOST_ENTRY_WORDS = 5;
const segments = new Intl.Segmenter('en', { granularity: 'sentence' });
const UNFINISHED = /(?:\b(?:dr|mr|mrs|ms|st|no|approx|e\.g|i\.e|etc|tel|min|max|vs)|\b\p{Lu})\.\s*$/iu;

/** The sentences of a text; the dot of `Dr. Weller` does not end one. */
export function sentencesIn(text: string): string[] {
  const found: string[] = [];
  let open = '';
  for (const { segment } of segments.segment(text)) {
    open += segment;
    if (UNFINISHED.test(open) && !/\bno\.\s*$/i.test(open)) continue;
    found.push(open.trim());
    open = '';
  }
  return [...found, open.trim()].filter((one) => /[\p{L}\p{N}]/u.test(one));
}

/**
 * Reads a prompt in whatever form it is written: prose, headings, lists, tables, questions with answers, `if
 * the caller asks …, say …`. Never fails; text beyond 100 000 characters is left out.
 */
export function readPrompt(prompt: string): PromptReading {
  const reader = new PromptReader(saysWe(prompt));
  for (const line of prompt.slice(0, MOST_LETTERS).split(/\r?\n/)) reader.line(line);
  return reader.reading();
}

class PromptReader {
  /** Whether the prompt calls the business `we`. */
  readonly #ofWe: boolean;
  #heading = '';
  #loose = false;
  #underManners = false;
  #question = '';
  #columns: readonly string[] = [];
  #list = 0;
  #inList = false;
  #name: string | null = null;
  #organisation: string | null = null;
  readonly #facts: Fact[] = [];
  readonly #forbidden: string[] = [];
  readonly #messages: string[] = [];

  constructor(ofWe: boolean) {
    this.#ofWe = ofWe;
  }

  reading(): PromptReading {
    return {
      name: this.#name,
      organisation: this.#organisation,
      facts: this.#facts.slice(0, MOST_FACTS),
      forbidden: this.#forbidden.slice(0, MOST_FACTS),
      messages: this.#messages.slice(0, MOST_FACTS),
    };
  }

  line(given: string): void {
    const line = given.replace(/\*\*|__|`/g, '').trim();
    if (line === '') this.#blank();
    else if (!this.#structure(line)) {
      const item = /^(?:[-*•–]|\d{1,2}[.)])\s+(.+)$/.exec(line)?.[1];
      if (item === undefined) {
        this.#endList();
        this.#prose(line);
      } else this.#item(item);
    }
  }

  #blank(): void {
    this.#endList();
    // A heading like `Menu:` ends with its block, `# Menu` only with the next heading.
    if (this.#loose) this.#begin('', false);
  }

  /**
   * Reads headings, rows of tables, questions and their answers. @returns whether the line was one of them
   */
  #structure(line: string): boolean {
    const heading = /^#{1,6}\s*(.+)$/.exec(line)?.[1] ?? /^\[?([\p{L} ,&/'-]{2,50})\]?:$/u.exec(line)?.[1];
    const asked = /^(?:Q|Question)[:.)]\s*(.+)$/i.exec(line)?.[1];
    const answered = /^(?:A|Answer)[:.)]\s*(.+)$/i.exec(line)?.[1];
    if (heading !== undefined) this.#begin(heading, !line.startsWith('#'));
    else if (/^\|.*\|$/.test(line)) this.#row(line);
    else if (asked !== undefined) this.#question = asked;
    else if (answered !== undefined) this.#answer(answered);
    else return false;
    return true;
  }

  #begin(heading: string, loose: boolean): void {
    this.#endList();
    this.#loose = loose;
    const named = heading.replace(/[#:]+$/, '').trim();
    this.#heading = SAYS_NOTHING.test(named) ? '' : named;
    this.#underManners = MANNERS.test(heading);
    this.#columns = [];
  }

  #endList(): void {
    this.#question = '';
    this.#columns = [];
    if (this.#inList) this.#list++;
    this.#inList = false;
  }

  #row(line: string): void {
    const cells = line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
    if (cells.every((cell) => /^:?-*:?$/.test(cell))) return;
    if (this.#columns.length === 0) {
      this.#columns = cells;
      return;
    }
    const [entry = '', ...values] = cells;
    const said = values.map((value, at) =>
      values.length === 1 ? value : `${this.#columns[at + 1] ?? ''} ${value}`.trim(),
    );
    this.#entry(entry, said.filter(Boolean).join(', '));
  }

  #item(item: string): void {
    const pair = /^([^:.!?]{2,60})(?::|\s[-–—]|\s{2,})\s+(.+)$/.exec(item);
    if (pair && !this.#underManners) this.#entry(pair[1] ?? '', pair[2] ?? '');
    else {
      const [only = ''] = sentencesIn(item);
      if (only === item.trim() && only.split(' ').length <= 6 && !this.#underManners && !/[.!?]$/.test(only))
        this.#entry(only, '');
      else this.#prose(item);
    }
  }

  #entry(entry: string, value: string): void {
    if (entry === '') return;
    this.#inList = true;
    const text = sayEntry(entry, value);
    this.#facts.push({ text, context: this.#context(), entry, list: this.#list, source: null });
  }

  #answer(text: string): void {
    const all = sentencesIn(text).map((one) => sentence(this.#ofWe ? one : asWe(one)));
    const said = all.length > 1 && all.join(' ').length > LONGEST ? all : [all.join(' ')];
    for (const one of said)
      this.#facts.push({ text: one, context: this.#question, entry: null, list: null, source: null });
  }

  #prose(line: string): void {
    for (const text of sentencesIn(line)) {
      const cut = text.length > LONGEST ? `${text.slice(0, text.lastIndexOf(' ', LONGEST))} …` : text;
      this.#take(readStatement(cut, this.#underManners, this.#ofWe), cut);
    }
  }

  #take(statement: Statement, text: string): void {
    if (statement.is === 'forbidden') {
      // In `Never diagnose and never recommend medicines` each part is a subject of its own.
      this.#forbidden.push(...statement.about.split(/,? (?:and|or) (?:never|do not|don't|not)? ?/));
    } else if (statement.is === 'message') this.#messages.push(statement.trigger);
    else if (statement.is === 'identity') this.#takeIdentity(statement, text);
    else if (statement.is === 'fact') this.#takeFact(statement.text, statement.trigger);
  }

  #takeIdentity({ name, organisation }: Extract<Statement, { is: 'identity' }>, text: string): void {
    this.#name ??= name;
    this.#organisation ??= organisation;
    const about = organisation === null ? '' : text.slice(text.indexOf(organisation) + organisation.length);
    const described =
      /^,\s*((?:an?|the)\b.+)$/i.exec(about)?.[1] ?? /^( (?:in|near) \p{Lu}.*)$/u.exec(about)?.[1];
    if (described) this.#takeFact(sentence(`${organisation} is ${described.trim()}`), '');
  }

  #takeFact(text: string, trigger: string): void {
    const context = trigger === '' ? this.#context() : trigger;
    const prices = pricesIn(text);
    const list = this.#list;
    if (prices.length > 1) {
      this.#list++;
      const label = LABEL.exec(text)?.[1] ?? '';
      const under = label === '' ? context : `${context} ${label}`.trim();
      for (const [entry, value] of prices) {
        const said = label === '' || OF_PRICES.test(label) ? entry : `${label}, ${entry}`;
        this.#facts.push({ text: sayEntry(said, value), context: under, entry: said, list, source: null });
      }
      return;
    }
    this.#facts.push({ text, context, entry: null, list: null, source: null });
  }

  #context(): string {
    return this.#heading;
  }
}

/** Makes a sentence of an entry: `Margherita: £9` becomes `Margherita costs £9.` */
function sayEntry(entry: string, value: string): string {
  if (value === '') return sentence(entry);
  const costs = /^(from |about |around )?[£$€¥]\s?\d[\d,.]*( (a|an|per|each) \w+)?$/i.test(value);
  return sentence(costs && !/[^s]s$/i.test(entry) ? `${entry} costs ${value}` : `${entry}: ${value}`);
}

/**
 * The label before prices, such as `Neutering: cat £85, dog £210`, unless it only says that these are prices.
 */
const LABEL = /^([^:]{2,40}):\s+/;
const OF_PRICES =
  /\b(menu|prices?|rates?|fees?|costs?|charges?|list|offers?|drinks|food|services|products)\b/i;
/** Words of a clause, which cannot be an entry of a price list. */
const CLAUSE =
  /\b(we|you|i|they|it|is|are|can|may|will|orders?|above|below|over|under|within|if|when|includes?|takes?|costs?|starts?|who|which|that)\b/i;

/** Reads a list of prices such as `Margherita £9, Calzone £13`: each piece has a name and one price. */
function pricesIn(text: string): [entry: string, value: string][] {
  const pieces = text
    .replace(LABEL, '')
    .replace(/\.$/, '')
    .split(/[,;]\s+(?:and )?|\s+and\s+/);
  const pairs = pieces.flatMap((piece): [string, string][] => {
    const amounts = piece.match(MONEY) ?? [];
    const at = piece.search(VALUE);
    const entry = piece
      .slice(0, Math.max(0, at))
      .replace(/[\s\-–—:]+$/, '')
      .replace(/ (?:at|for|is|costs?)$/, '');
    const isEntry = /\p{L}/u.test(entry) && entry.split(' ').length <= MOST_ENTRY_WORDS;
    return amounts.length === 1 && isEntry && !CLAUSE.test(piece) ? [[entry, piece.slice(at)]] : [];
  });
  return pairs.length === pieces.length ? pairs : [];
}
