import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../config/project-root.ts';
import { escapeHtml } from '../../contract/html-escape.ts';
import { LANGUAGES, type Language } from '../../contract/languages.ts';
import type { Agency } from '../resources.ts';
import { type MailPart, mailBody } from './mail-body.ts';

/** The messages of a folder and the variables of each; `{brand}` and `{siteUrl}` are always available. */
export type MessageList = Readonly<Record<string, readonly string[]>>;

/** The values for a message's variables. A list repeats its paragraph once for each entry. */
export type MessageValues<List extends MessageList, Kind extends keyof List> = Readonly<
  Record<List[Kind][number], string | readonly string[]>
>;

/** A message with its variables still in the form `{name}`. */
export interface Template {
  readonly subject: string;
  readonly parts: readonly MailPart[];
}

/** A message as it is sent. */
interface Filled {
  readonly subject: string;
  readonly parts: readonly MailPart[];
}

/** The sender, whom every message may name. */
interface Sender extends Agency {
  readonly siteUrl: string;
}

/** The messages of one folder, in every language. A value never becomes a button or another variable. */
export interface Templates<List extends MessageList> {
  /** A message as a mail: a subject of one line and both bodies. */
  mail<Kind extends keyof List & string>(
    sender: Sender,
    language: Language,
    kind: Kind,
    values: MessageValues<List, Kind>,
  ): { subject: string; text: string; html: string };
  /** A message as a browser shows it: its subject and its sentences, without buttons and links. */
  notice<Kind extends keyof List & string>(
    sender: Sender,
    language: Language,
    kind: Kind,
    values: MessageValues<List, Kind>,
  ): { title: string; body: string };
  /** Only the sentences of a message: a text message, or a line within another text. */
  line<Kind extends keyof List & string>(
    sender: Sender,
    language: Language,
    kind: Kind,
    values: MessageValues<List, Kind>,
  ): string;
}

const COMMON = ['brand', 'siteUrl'];
const LONGEST_SUBJECT = 200;
const GREETINGS: Readonly<Record<Language, string>> = { en: 'Hello,', de: 'Guten Tag,' };

/**
 * Reads the messages of a folder, one file for each language and message: `en/name.md`. A mail starts with
 * `Subject: …`; a file whose name begins with `sms-` or `line-` has sentences only. Blank lines separate
 * paragraphs, buttons `[label](address)`, codes `# {code}`, quotes `> {words}` and small links `> [text](address)`.
 *
 * @param folder within `src`
 * @throws Error at the start of the product, when a file is missing, or a variable is unknown or missing
 */
export function openTemplates<List extends MessageList>(folder: string, list: List): Templates<List> {
  const readAll = (language: Language): Map<string, Template> =>
    new Map(
      Object.entries(list).map(([kind, variables]) => {
        const text = readFileSync(path.join(PROJECT_ROOT, 'src', folder, language, `${kind}.md`), 'utf8');
        return [kind, readTemplate(`${language}/${kind}.md`, text, variables)];
      }),
    );
  const templates = new Map(LANGUAGES.map((language) => [language, readAll(language)]));
  const fill = (sender: Sender, language: Language, kind: string, values: object): Filled => {
    const template = templates.get(language)?.get(kind);
    if (template === undefined) throw new Error(`There is no message ${language}/${kind}.md.`);
    const common = { brand: sender.settings.BRAND, siteUrl: sender.siteUrl };
    return fillTemplate(template, { ...values, ...common });
  };
  return {
    mail(sender, language, kind, values) {
      const { subject, parts } = fill(sender, language, kind, values);
      const greeting: MailPart = { kind: 'text', text: GREETINGS[language] };
      return { subject, ...mailBody(sender, [greeting, ...parts], { title: subject, language }) };
    },
    notice(sender, language, kind, values) {
      const filled = fill(sender, language, kind, values);
      return { title: filled.subject, body: sentencesOf(filled) };
    },
    line: (sender, language, kind, values) => sentencesOf(fill(sender, language, kind, values)),
  };
}

/**
 * A mail of a template with the person's name in its greeting; any other mail, and a mail to nobody by name, as it is.
 *
 * @param name as {@link greetedName} returns it
 */
export function greetPerson<Bodies extends { readonly text: string; readonly html: string }>(
  mail: Bodies,
  name: string | undefined,
): Bodies {
  const greeting = Object.values(GREETINGS).find((words) => mail.text.startsWith(`${words}\n`));
  if (greeting === undefined || name === undefined) return mail;
  const named = `${greeting.slice(0, -1)} ${name},`;
  return {
    ...mail,
    text: named + mail.text.slice(greeting.length),
    html: mail.html.replace(`>${greeting}</p>`, () => `>${escapeHtml(named)}</p>`),
  };
}

const LONGEST_NAME = 60;
/** An address, which mail programs would make a link of, or a sign that belongs to none of the names of people. */
const NO_NAME = /[@/\\<>{}|]|\.\p{L}{2,}|^[\P{L}]*$/u;

/** The name by which mails greet an account, from its metadata; undefined if there is none, or it is no name of a person. */
export function greetedName(metadata: Readonly<Record<string, unknown>>): string | undefined {
  const given = [metadata.given_name, metadata.full_name, metadata.name].find(
    (one) => typeof one === 'string' && one.trim() !== '',
  );
  const name = String(given ?? '')
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029\s]+/gu, ' ')
    .trim();
  return name === '' || [...name].length > LONGEST_NAME || NO_NAME.test(name) ? undefined : name;
}

const sentencesOf = ({ parts }: Filled): string =>
  parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join(' ');

/**
 * Parses the text of a message's file.
 *
 * @param file the name for error messages, e.g. `de/welcome.md`
 * @throws Error when a variable is unknown or missing, or the subject is missing
 */
export function readTemplate(file: string, text: string, variables: readonly string[]): Template {
  const used = new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name));
  const wrong = [...used].find((name) => !variables.includes(name) && !COMMON.includes(name));
  const missing = variables.find((name) => !used.has(name));
  if (wrong !== undefined) throw new Error(`The message ${file} has an unknown variable {${wrong}}.`);
  if (missing !== undefined) throw new Error(`The message ${file} does not say {${missing}}.`);
  const [, subject = '', body = text] = /^Subject: (.+)\n([\s\S]*)$/.exec(text) ?? [];
  const isPlain = /^(sms|line)-/.test(path.basename(file));
  if ((subject === '') !== isPlain) throw new Error(`The message ${file} lacks its subject.`);
  return {
    subject,
    parts: body
      .trim()
      .split(/\n\s*\n/)
      .map(readPart),
  };
}

function readPart(paragraph: string): MailPart {
  const [, small, label, href] = /^(> )?\[([^\]]+)\]\((\S+)\)$/.exec(paragraph) ?? [];
  if (label !== undefined && href !== undefined)
    return small === undefined ? { kind: 'button', label, href } : { kind: 'link', text: label, href };
  if (paragraph.startsWith('# ')) return { kind: 'code', code: paragraph.slice(2) };
  if (paragraph.startsWith('> ')) return { kind: 'quote', text: paragraph.slice(2) };
  return { kind: 'text', text: paragraph.replace(/\s*\n\s*/g, ' ') };
}

/** Fills the variables of a message; the subject stays one line whatever the values contain. */
export function fillTemplate(
  { subject, parts }: Template,
  values: Readonly<Record<string, string | readonly string[]>>,
): Filled {
  const line = fillPart({ kind: 'text', text: subject }, values);
  return {
    subject: headerText(line.map((part) => (part.kind === 'text' ? part.text : '')).join('')),
    parts: parts.flatMap((part) => fillPart(part, values)),
  };
}

function fillPart(part: MailPart, values: Readonly<Record<string, string | readonly string[]>>): MailPart[] {
  const names = [...JSON.stringify(part).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const lists = names.map((name) => values[name]).filter((value) => typeof value === 'object');
  const times = lists.length === 0 ? 1 : Math.min(...lists.map(({ length }) => length));
  return Array.from({ length: times }, (_each, at) => {
    const fill = (text: string): string =>
      text.replace(/\{(\w+)\}/g, (_all, name: string) => {
        const value = values[name] ?? '';
        return typeof value === 'string' ? value : (value[at] ?? '');
      });
    if (part.kind === 'text' || part.kind === 'quote') return { ...part, text: fill(part.text) };
    if (part.kind === 'code') return { ...part, code: fill(part.code) };
    if (part.kind === 'link') return { ...part, text: fill(part.text), href: fill(part.href) };
    return { ...part, label: fill(part.label), href: fill(part.href) };
  });
}

/** Keeps a filled subject on one line, because its values may contain anything. */
function headerText(subject: string): string {
  return subject.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').slice(0, LONGEST_SUBJECT);
}
