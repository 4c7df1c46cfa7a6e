import { globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'vite';
import { CLAIM_NOTHING, PROVED_BY } from './promise-ties.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
/** `docs/promises.md`, as an absolute path. */
export const PROMISES_FILE = path.join(ROOT, 'docs', 'promises.md');
/** Where people read sentences: pages, mails, plans, messages and the texts of the site. */
const SOURCES = [
  'src/site/**/*.tsx',
  'src/**/*.web.{ts,tsx}',
  'src/**/*mail*.server.ts',
  'src/**/*-notices.server.ts',
  'src/business/enquiries/reply-clock.server.ts',
  'src/business/enquiries/enquiry-replies.server.ts',
  'src/kernel/contract/{messages,plans,site-texts,site-content,legal-texts,page-texts,service-pages}.ts',
  'src/business/courses/course-videos.contract.ts',
];
const TESTS = ['{src,packages}/**/*.test.{ts,tsx}', 'tests/**/*.test.ts', 'tests/support/**/*.ts'];
const GAP = '…';
const OPEN_HEADING = '## Not tied to a test yet';
/** Why a sentence of this form claims nothing about the product. */
const CLAIMS_NOTHING: readonly (readonly [RegExp, string])[] = [
  [/\?$/, 'a question'],
  [/^(One moment|Loading|Nothing was found|Check your connection)\b/, 'says what the page is doing'],
  [
    /\b(could not be (loaded|saved|deleted|reached|played|resumed|ended|sent|changed|removed|added|shown|made|written)|cannot be reached just now|did not come through)\b/,
    'says that something failed',
  ],
  [
    /^(Please |Try again|Check |Choose |Type |Enter |Fill in |Tell us |Write |Pick |Go to )[^;:]{0,70}[.!]$/,
    'asks the reader for something',
  ],
];

/**
 * Mails of the features, one paragraph at a time; the German ones say the same (`mail-templates.test.ts`).
 */
const MAIL_SOURCES = 'src/business/**/mails/en/*.md';

/** A sentence that people read, and where it is written. */
interface Sentence {
  readonly text: string;
  readonly file: string;
  /** How a test names it, such as `MESSAGES.upload.offline`, if it is a constant. */
  readonly constant: string | undefined;
}

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

let sentences: readonly Sentence[] | undefined;

/**
 * Every sentence of the sources, without repetitions, in the order of their files; cached, because parsing
 * takes a second.
 */
export function collectSentences(): readonly Sentence[] {
  sentences ??= findSentences();
  return sentences;
}

function findSentences(): Sentence[] {
  const found = new Map<string, Sentence>();
  for (const { words, ...place } of [...textsInCode(), ...textsInMails()])
    for (const text of sentencesOf(words)) if (!found.has(text)) found.set(text, { text, ...place });
  return [...found.values()];
}

type Text = Omit<Sentence, 'text'> & { readonly words: string };

function* textsInCode(): Generator<Text> {
  const files = globSync(SOURCES, { cwd: ROOT }).filter((file) => !/\.test\.|generated/.test(file));
  for (const file of files.toSorted()) {
    const { program } = parseSync(file, readFileSync(path.join(ROOT, file), 'utf8'));
    const constants = new Map(constantsIn(program as unknown as Node));
    for (const words of textsOf(program as unknown as Node))
      yield { words, file, constant: constants.get(words) };
  }
}

function* textsInMails(): Generator<Text> {
  for (const file of globSync(MAIL_SOURCES, { cwd: ROOT }).toSorted())
    for (const words of mailTexts(readFileSync(path.join(ROOT, file), 'utf8')))
      yield { words, file, constant: undefined };
}

/** Subject, paragraphs and labels of a mail; its variables are gaps. */
function mailTexts(mail: string): string[] {
  return mail
    .replace(/^Subject: (.*)\n/, '$1\n\n')
    .split(/\n\s*\n/)
    .map((part) =>
      part
        .trim()
        .replace(/^(?:> )?\[([^\]]+)\]\(\S+\)$/, '$1')
        .replace(/\{\w+\}/g, GAP),
    );
}

/** The texts of exported objects, each with the name by which code reaches it. */
function* constantsIn(program: Node): Generator<[text: string, name: string]> {
  for (const statement of program.body as Node[]) {
    const declared = (statement.declaration as Node | undefined)?.declarations as Node[] | undefined;
    for (const { id, init } of (declared ?? []) as unknown as { id: { name: string }; init: Node }[])
      yield* membersOf(init, id.name);
  }
}

function* membersOf(value: Node | null, name: string): Generator<[text: string, name: string]> {
  if (value === null) return;
  if (value.type === 'TSAsExpression') {
    yield* membersOf(value.expression as Node, name);
    return;
  }
  if (value.type === 'ObjectExpression') {
    for (const { key, value: member } of value.properties as { key?: { name?: string }; value: Node }[])
      if (key?.name !== undefined) yield* membersOf(member, `${name}.${key.name}`);
    return;
  }
  for (const text of textsOf(value)) yield [text, name];
}

/** The texts of a syntax tree: elements with their content, and strings; a gap stands for inserted values. */
function* textsOf(node: Node): Generator<string> {
  if (node.type === 'ImportDeclaration') return;
  if (node.type === 'JSXElement' && hasOwnText(node)) {
    yield inner(node);
    for (const expression of expressionsIn(node)) yield* textsOf(expression);
    return;
  }
  if (node.type === 'Literal' && typeof node.value === 'string') yield node.value;
  if (node.type === 'TemplateLiteral') yield templateText(node);
  for (const part of Object.values(node).flat().filter(isNode)) yield* textsOf(part);
}

const childrenOf = (node: Node): Node[] => (node.children as Node[] | undefined) ?? [];
const hasOwnText = (node: Node): boolean =>
  childrenOf(node).some(({ type, value }) => type === 'JSXText' && /\w/.test(String(value)));

function* expressionsIn(node: Node): Generator<Node> {
  for (const child of childrenOf(node)) {
    if (child.type === 'JSXExpressionContainer' && isNode(child.expression)) yield child.expression;
    if (child.type === 'JSXElement') yield* expressionsIn(child);
  }
}

function inner(node: Node): string {
  return childrenOf(node)
    .map((child) => {
      if (child.type === 'JSXText') return String(child.value);
      if (child.type === 'JSXElement') return inner(child);
      const { expression } = child as { expression?: Node };
      return expression?.type === 'Literal' && typeof expression.value === 'string' ? expression.value : GAP;
    })
    .join('');
}

function templateText(node: Node): string {
  const quasis = node.quasis as { value: { cooked: string } }[];
  return quasis.map(({ value }) => value.cooked).join(GAP);
}

/** The sentences in a text: each begins like one, ends like one and has at least three words. */
function sentencesOf(text: string): string[] {
  if (/[{}<>=$]|;$|^\s*(select|insert|update|with|delete) /i.test(text.replace(/\{\w+\}/g, ''))) return [];
  return text
    .split(/\n\s*\n(?:- )?|\n- |\n##? .*|^##? .*$/m)
    .flatMap((part) =>
      part
        .replace(/\s+/g, ' ')
        .trim()
        .split(/(?<=[.!?])\s+(?=[A-Z"'{…])/),
    )
    .map((part) => part.trim())
    .filter((part) => /^["'A-Z{…]/.test(part) && /[.!?]$/.test(part) && part.split(' ').length > 2);
}

interface TestText {
  readonly file: string;
  readonly text: string;
}

const NAMED = /\b(?:test|it|describe)(?:\.\w+)*\(\s*(['"`])(.+?)\1/g;
const tied = (lists: Readonly<Record<string, readonly string[]>>) =>
  new Map(Object.entries(lists).flatMap(([why, sentences]) => sentences.map((text) => [text, why] as const)));
const PROOFS = tied(PROVED_BY);
const REASONS = tied(CLAIM_NOTHING);

/**
 * Entries of the table that are out of date: the test no longer exists, or the sentence is no longer shown or
 * listed twice.
 */
export function describeStaleTies(): string[] {
  const said = new Set(collectSentences().map(({ text }) => text));
  const tests = new Map(readTests().map(({ file, text }) => [file, text]));
  const inTable = [...Object.values(PROVED_BY), ...Object.values(CLAIM_NOTHING)].flat();
  const isThere = (proof: string): boolean => {
    const [file = '', name] = proof.split(/: (.*)/s);
    return [...(tests.get(file) ?? '').matchAll(NAMED)].some(([, , there]) => there === name);
  };
  return [
    ...Object.keys(PROVED_BY)
      .filter((proof) => !isThere(proof))
      .map((proof) => `no such test: ${proof}`),
    ...inTable.filter((text) => !said.has(text)).map((text) => `nobody says: ${text}`),
    ...inTable.filter((text, at) => inTable.indexOf(text) !== at).map((text) => `stands twice: ${text}`),
  ];
}

function readTests(): TestText[] {
  return globSync(TESTS, { cwd: ROOT })
    .filter((file) => !file.includes('generated'))
    .toSorted()
    .map((file) => ({ file, text: readFileSync(path.join(ROOT, file), 'utf8').replace(/\\'/g, "'") }));
}

/** The name of the test that quotes a sentence: its longest part without gaps, as in the test's source. */
function testOf({ text: sentence, constant }: Sentence, tests: readonly TestText[]): string | undefined {
  const parts = sentence.replace(/[.!?]$/, '').split(/…|\{\w+\}/);
  const quoted = parts.map((part) => part.trim()).sort((one, other) => other.length - one.length)[0] ?? '';
  const named = new RegExp(`\\b${constant?.replaceAll('.', '\\.')}\\b`);
  for (const { file, text } of tests) {
    const isQuote = quoted.split(' ').length > 2 && text.includes(quoted);
    const at = isQuote ? text.indexOf(quoted) : constant === undefined ? -1 : text.search(named);
    if (at === -1) continue;
    const names = [...text.slice(0, at).matchAll(/\b(?:test|it)(?:\.\w+)*\(\s*(['"`])(.+?)\1/g)];
    return `${file}: ${names.at(-1)?.[2] ?? 'the cases of its table'}`;
  }
  return undefined;
}

/** Sentences that are open in the document, so that the list can only become shorter. */
function openIn(document: string): ReadonlySet<string> {
  const lines = document.split(OPEN_HEADING)[1]?.split('\n') ?? [];
  return new Set(lines.filter((line) => line.startsWith('- ')).map((line) => line.slice(2)));
}

/** The expected document, and the sentences that are in none of its lists. */
export function describePromises(
  document: string,
  accept = false,
): { readonly text: string; readonly untied: readonly Sentence[] } {
  const open = openIn(document);
  const tests = readTests();
  const proved: string[] = [];
  const nothing: string[] = [];
  const still: string[] = [];
  const untied: Sentence[] = [];
  for (const sentence of collectSentences()) {
    const { text } = sentence;
    const test = testOf(sentence, tests) ?? PROOFS.get(text);
    const reason = REASONS.get(text) ?? CLAIMS_NOTHING.find(([form]) => form.test(text))?.[1];
    if (test !== undefined) proved.push(`- ${text}  \n  ${test}`);
    else if (reason !== undefined) nothing.push(`- ${text} (${reason})`);
    else if (accept || open.has(text)) still.push(`- ${text}`);
    else untied.push(sentence);
  }
  const text = [
    '# Promises',
    '',
    'Every sentence that pages, plans, mails and messages say, collected from the sources by `scripts/docs/promises.ts`;',
    'written by `npm run docs`. A sentence is tied to the first test that quotes it, or it claims nothing, for the reason',
    'that stands beside it. `…` is filled in. A test that proves a sentence in other words, and the reason of a sentence',
    'that claims nothing, stand in `scripts/docs/promise-ties.ts`. A new sentence that is neither fails',
    '`tests/promises.test.ts`: quote it in a test. The last list has no test yet; it can only become shorter.',
    '',
    `${proved.length} are tied, ${nothing.length} claim nothing, ${still.length} are not tied yet.`,
    '',
    '## Tied to a test',
    '',
    ...proved,
    '',
    '## Claims nothing',
    '',
    ...nothing,
    '',
    OPEN_HEADING,
    '',
    ...still,
    '',
  ].join('\n');
  return { text, untied };
}

/** Writes the document again; with `accept`, new sentences without a test are added to the last list. */
export function writePromises(accept = false): void {
  writeFileSync(PROMISES_FILE, describePromises(readFileSync(PROMISES_FILE, 'utf8'), accept).text);
}

if (process.argv[1] === import.meta.filename) writePromises(process.argv.includes('--accept'));
