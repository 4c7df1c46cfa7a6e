import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'vite';
import { CLAIM_NOTHING } from './unclaimed-sentences.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
/** Where people read sentences: pages, mails, plans, messages and the texts of the site. */
const SOURCES = [
  'src/site/**/*.tsx',
  'src/**/*.web.{ts,tsx}',
  'src/**/*mail*.server.ts',
  'src/**/*-notices.server.ts',
  'src/business/mailbox/delivery-reports.server.ts',
  'src/business/inbox/attachment-storing.server.ts',
  'src/business/enquiries/reply-reminder.server.ts',
  'src/business/enquiries/enquiry-replies.server.ts',
  'src/kernel/contract/{messages,plans,site-texts,site-content,legal-texts,page-texts,service-pages}.ts',
  'src/business/courses/course-videos.contract.ts',
];
const TESTS = ['{src,packages}/**/*.test.{ts,tsx}', 'tests/**/*.test.ts', 'tests/support/**/*.ts'];
const GAP = '…';
/** The most sentences of a text that a test may quote by the name of its constant; a legal page has many more. */
const MOST_OF_A_MESSAGE = 4;
/** Why a sentence of this form claims nothing about the product. */
const CLAIMS_NOTHING: readonly (readonly [RegExp, string])[] = [
  [/\?$/, 'a question'],
  [/^(One moment|Loading|Nothing was found|Check your connection)\b/, 'says what the page is doing'],
  [
    /\b(could not be (loaded|saved|deleted|reached|played|resumed|ended|sent|changed|removed|added|shown|made|written)|cannot be reached just now|did not come through)\b/,
    'says that something failed',
  ],
  [
    /^(Please |Try again|Check |Choose |Type |Enter |Fill in |Tell us |Write |Pick |Go to )[^;:\d]{0,70}[.!]$/,
    'asks the reader for something',
  ],
];

/**
 * Mails of the features, one paragraph at a time; the German ones say the same (`mail-templates.test.ts`).
 */
const MAIL_SOURCES = 'src/business/**/mails/en/*.md';

/** A sentence that people read, and where it is written. */
export interface Sentence {
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
  const files = globSync(SOURCES, { cwd: ROOT }).filter((file) => !/\.test\.|generated|-german\./.test(file));
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
  for (const text of textsOf(value)) if (sentencesOf(text).length <= MOST_OF_A_MESSAGE) yield [text, name];
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

function readTests(): TestText[] {
  return globSync(TESTS, { cwd: ROOT })
    .filter((file) => !file.includes('generated'))
    .toSorted()
    .map((file) => ({ file, text: readFileSync(path.join(ROOT, file), 'utf8') }));
}

/** A call by which a test claims sentences or settings (`tests/support/claims.ts`). */
interface Claim {
  readonly file: string;
  readonly by: 'claims' | 'showsSettings';
  readonly words: readonly string[];
}

const CLAIMING = /\b(claims|showsSettings)\(/;

/** Every claim of the tests. */
function readClaims(tests: readonly TestText[]): Claim[] {
  return tests
    .filter(({ text }) => CLAIMING.test(text))
    .flatMap(({ file, text }) => [...claimsIn(file, parseSync(file, text).program as unknown as Node)]);
}

function* claimsIn(file: string, node: Node): Generator<Claim> {
  const { name: by } = (node.callee ?? {}) as { name?: string };
  if (by === 'claims' || by === 'showsSettings') {
    yield {
      file,
      by,
      words: (node.arguments as Node[]).flatMap(({ value }) => (typeof value === 'string' ? [value] : [])),
    };
    return;
  }
  for (const part of Object.values(node).flat().filter(isNode)) yield* claimsIn(file, part);
}

/** The file of the first test that shows the effect of each setting, by part and place: `assistant: firstMessage`. */
export function readSettingTests(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { file, by, words } of readClaims(readTests())) {
    if (by !== 'showsSettings') continue;
    const [part, ...places] = words;
    for (const place of places) if (!found.has(`${part}: ${place}`)) found.set(`${part}: ${place}`, file);
  }
  return found;
}

/** Whether a test quotes a sentence: the test's source contains its longest part without gaps, or its constant. */
function isQuoted({ text: sentence, constant }: Sentence, tests: readonly TestText[]): boolean {
  const parts = sentence.replace(/[.!?]$/, '').split(/…|\{\w+\}/);
  const quoted = parts.map((part) => part.trim()).sort((one, other) => other.length - one.length)[0] ?? '';
  const named = new RegExp(`\\b${constant?.replaceAll('.', '\\.')}\\b`);
  return tests.some(
    ({ text }) =>
      (quoted.split(' ').length > 2 && text.includes(quoted)) || (constant !== undefined && named.test(text)),
  );
}

/** The faults of the claims: sentences without a test, and claims and reasons without a sentence. */
export interface ClaimFaults {
  /** No test claims or quotes them, and no reason says why they claim nothing. */
  readonly unclaimed: readonly Sentence[];
  /** No page, mail or message shows them any more. */
  readonly unsaid: readonly string[];
}

/** Compares the sentences with the claims of the tests and with the list of those that claim nothing. */
export function findClaimFaults(sentences: readonly Sentence[] = collectSentences()): ClaimFaults {
  const tests = readTests();
  // A test that claims a sentence would otherwise quote it.
  const claimed = new Set(readClaims(tests).flatMap(({ by, words }) => (by === 'claims' ? words : [])));
  const reasons = new Set(Object.values(CLAIM_NOTHING).flat());
  const unescaped = tests.map(({ file, text }) => ({ file, text: text.replace(/\\'/g, "'") }));
  const said = new Set(collectSentences().map(({ text }) => text));
  return {
    unclaimed: sentences.filter(
      (sentence) =>
        !claimed.has(sentence.text) &&
        !reasons.has(sentence.text) &&
        !CLAIMS_NOTHING.some(([form]) => form.test(sentence.text)) &&
        !isQuoted(sentence, unescaped),
    ),
    unsaid: [...claimed, ...reasons].filter((text) => !said.has(text)),
  };
}
