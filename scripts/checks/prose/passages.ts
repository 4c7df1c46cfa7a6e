import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const TREES = '{src,packages,tests,scripts,bench,docs,migrations}';
/** Programs write these pages from comments, sentences and titles of tests, which are counted where they are. */
const GENERATED =
  /\.generated\.|^docs\/(?:database|platform-calls|voice-calls|promises|security-attacks|decisions\/README)\.md$/;
/** Copies of binding texts, and the prose check itself with its examples. */
const EXEMPT =
  /^docs\/(?:specification|contracts)\/|^docs\/style\.md$|^scripts\/checks\/prose\/|^tests\/prose\.test/;
/** Strings of these files are read by people; tests and fixtures hold documents of strangers. */
const COPY = /^(?:src|packages)\/(?!.*(?:\.test|\.fixture)\.)/;
const CODE = /\.[tj]sx?$|\.c[tj]s$/;
const PHRASE = /\w+ \w+ \w+/;
/** Data, and no sentence. */
const WORD_LIST = /^(?:[\w’']+\s){25,}[\w’']+$/;

/** A piece of text that people read. */
export interface Passage {
  /** Relative to the root. */
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

interface Comment {
  readonly type: 'Line' | 'Block';
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Every file whose prose is checked, relative to the root and sorted. */
export function checkedFiles(): string[] {
  return globSync(['*.md', `${TREES}/**/*.{ts,tsx,cts,cjs,md,sql,css}`], {
    cwd: ROOT,
    exclude: (name) => /^(?:node_modules|dist)$/.test(path.basename(name)),
  })
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => !GENERATED.test(file) && !EXEMPT.test(file))
    .sort();
}

/** A file's source. */
export function readSource(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

/** The comments, paragraphs and sentences for people in a file. */
export function passagesOf(file: string, source: string): Passage[] {
  const lineAt = lineNumbers(source);
  return [...piecesOf(file, source)].map(({ text, start }) => ({
    file,
    line: lineAt(start),
    text: text.replaceAll(/\s+/g, ' ').trim(),
  }));
}

type Piece = Readonly<{ text: string; start: number }>;

function piecesOf(file: string, source: string): Iterable<Piece> {
  if (CODE.test(file)) return piecesOfCode(file, source);
  if (file.endsWith('.md')) return paragraphs(source);
  if (file.endsWith('.sql')) return matches(source, /(?:^[ \t]*--.*\n?)+/gm, /^[ \t]*-- ?/gm);
  return matches(source, /\/\*[\s\S]*?\*\//g, /^\s*\/?\*+\/?|\*\/$/gm);
}

function* matches(source: string, piece: RegExp, marks: RegExp): Generator<Piece> {
  for (const found of source.matchAll(piece))
    yield { text: found[0].replaceAll(marks, ' '), start: found.index };
}

function* piecesOfCode(file: string, source: string): Generator<Piece> {
  const parsed = parseSync(file, source);
  yield* joinedComments(parsed.comments, source);
  // The parser hands its tree over when it is asked for it, which takes longer than parsing.
  if (COPY.test(file)) yield* stringsIn(parsed.program as unknown as Node);
}

/** Comments as they are read: `//` lines below each other are one. */
function* joinedComments(comments: readonly Comment[], source: string): Generator<Piece> {
  let run: { text: string; start: number; end: number } | undefined;
  for (const { type, value, start, end } of comments) {
    const goesOn = type === 'Line' && run !== undefined && /^\n[ \t]*$/.test(source.slice(run.end, start));
    if (run !== undefined && goesOn) {
      run = { ...run, text: `${run.text}\n${value}`, end };
      continue;
    }
    if (run !== undefined) yield run;
    run = type === 'Line' ? { text: value, start, end } : undefined;
    if (type === 'Block') yield { text: value.replaceAll(/^\s*\*+ ?/gm, ' '), start };
  }
  if (run !== undefined) yield run;
}

/**
 * The names and comments of a file, without what its strings and patterns hold: documents of strangers, streets, products.
 * In a file whose strings people read, those come after them.
 */
export function namesAndCopy(file: string, source: string): string {
  if (!CODE.test(file)) return source;
  const { program } = parseSync(file, source);
  const copy = COPY.test(file) ? stringsIn(program as unknown as Node).map(({ text }) => text) : [];
  return [withoutStrings(program as unknown as Node, source), ...copy].join('\n');
}

function withoutStrings(program: Node, source: string): string {
  let names = '';
  let at = 0;
  // A template lists its texts before its values, which may hold literals between them.
  for (const { start, end } of literalsIn(program).sort((one, other) => one.start - other.start)) {
    names += `${source.slice(at, start)} `;
    at = end;
  }
  return names + source.slice(at);
}

function literalsIn(program: Node): Node[] {
  const found: Node[] = [];
  visit(program, (node) => {
    if (/^(?:Literal|TemplateElement|JSXText)$/.test(node.type)) found.push(node);
  });
  return found;
}

/** Strings of three words or more by paragraphs, and the texts of elements; `…` takes the place of a value. */
function stringsIn(program: Node): Piece[] {
  const found: Piece[] = [];
  visit(program, (node) => {
    for (const text of textOf(node)?.split(/\n\s*\n/) ?? [])
      if (PHRASE.test(text) && !WORD_LIST.test(text)) found.push({ text, start: node.start });
  });
  return found;
}

function visit(node: Node, seen: (node: Node) => void): void {
  seen(node);
  for (const part of Object.values(node)) {
    if (Array.isArray(part)) {
      for (const one of part) if (isNode(one)) visit(one, seen);
    } else if (isNode(part)) visit(part, seen);
  }
}

function textOf(node: Node): string | undefined {
  if ((node.type === 'Literal' || node.type === 'JSXText') && typeof node.value === 'string')
    return node.value;
  if (node.type !== 'TemplateLiteral') return undefined;
  return (node.quasis as { value: { cooked: string } }[]).map(({ value }) => value.cooked).join('…');
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

/** Paragraphs, items of lists and cells of tables, without code and without the targets of links. */
function* paragraphs(source: string): Generator<Piece> {
  const prose = source
    .replaceAll(/```[\s\S]*?```/g, (code) => code.replaceAll(/[^\n]/g, ' '))
    .replaceAll(/\]\([^)]*\)/g, (target) => `]${' '.repeat(target.length - 1)}`);
  let start = 0;
  for (const text of prose.split(/(\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\||\n(?=#))/)) {
    if (/\w/.test(text)) yield { text: text.replaceAll(/`[^`]*`/g, '`…`'), start: start + text.search(/\S/) };
    start += text.length;
  }
}

function lineNumbers(source: string): (offset: number) => number {
  const starts = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => {
    const next = starts.findIndex((start) => start > offset);
    return next === -1 ? starts.length : next;
  };
}
