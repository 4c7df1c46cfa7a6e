import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';
import type { MailPart } from '../../../kernel/resources/mailer/mail-body.ts';

/** Languages that every message is written in; the first is for everybody else. */
const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Messages and the variables that each of them says; `{brand}` and `{siteUrl}` are always there. */
const VARIABLES = {
  confirmation: ['href', 'code'],
  recovery: ['href', 'code'],
  magiclink: ['href', 'code'],
  invite: ['href', 'code'],
  'email-change': ['href', 'code', 'newAddress'],
  reauthentication: ['code'],
  'already-registered': [],
  welcome: [],
  'password-changed': [],
  'email-changed': ['newAddress'],
  'phone-changed': ['newPhone'],
  'factor-added': ['factor'],
  'factor-removed': ['factor'],
  'sign-in-added': ['way'],
  'sign-in-removed': ['way'],
  'deletion-planned': ['date', 'href'],
  'deletion-withdrawn': [],
  'recovery-codes-made': [],
  'recovery-code-used': ['left'],
  'sms-code': ['code'],
  'sms-already-registered': [],
  'sms-notice': ['what'],
} as const satisfies Record<string, readonly string[]>;

export type Message = keyof typeof VARIABLES;
/** The values that a message is filled with. */
export type MessageVariables<Kind extends Message> = Readonly<
  Record<(typeof VARIABLES)[Kind][number], string>
>;

/** What a message is made of; links at the end are the mailer's own. */
type TemplatePart = Exclude<MailPart, { readonly kind: 'link' }>;

/** A message with its variables still as `{name}`. */
export interface Template {
  readonly subject: string;
  readonly parts: readonly TemplatePart[];
}

const COMMON = ['brand', 'siteUrl'];
const FOLDER = path.join(PROJECT_ROOT, 'src', 'platform', 'auth', 'mails');
const TEMPLATES = { en: readAll('en'), de: readAll('de') } satisfies Record<Language, unknown>;

function readAll(language: Language): Readonly<Record<Message, Template>> {
  const kinds = Object.keys(VARIABLES) as Message[];
  const read = (kind: Message): Template =>
    readTemplate(kind, readFileSync(path.join(FOLDER, language, `${kind}.md`), 'utf8'), language);
  return Object.fromEntries(kinds.map((kind) => [kind, read(kind)])) as Record<Message, Template>;
}

/**
 * Reads a message as its file has it: `Subject: …` but in text messages, then paragraphs.
 *
 * @throws Error at the start of the product, where a variable is unknown or missing, or the subject is
 */
export function readTemplate(kind: Message, text: string, language: Language): Template {
  const file = `${language}/${kind}.md`;
  const wanted: readonly string[] = VARIABLES[kind];
  const used = new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name));
  const wrong = [...used].find((name) => !wanted.includes(name) && !COMMON.includes(name));
  const missing = wanted.find((name) => !used.has(name));
  if (wrong !== undefined) throw new Error(`The message ${file} has an unknown variable {${wrong}}.`);
  if (missing !== undefined) throw new Error(`The message ${file} does not say {${missing}}.`);
  const [, subject = '', body = text] = /^Subject: (.+)\n([\s\S]*)$/.exec(text) ?? [];
  if ((subject === '') !== kind.startsWith('sms-')) throw new Error(`The message ${file} lacks its subject.`);
  return {
    subject,
    parts: body
      .trim()
      .split(/\n\s*\n/)
      .map(readPart),
  };
}

function readPart(paragraph: string): TemplatePart {
  const [, label, href] = /^\[([^\]]+)\]\((\S+)\)$/.exec(paragraph) ?? [];
  if (label !== undefined && href !== undefined) return { kind: 'button', label, href };
  if (paragraph.startsWith('# ')) return { kind: 'code', code: paragraph.slice(2) };
  return { kind: 'text', text: paragraph.replace(/\s*\n\s*/g, ' ') };
}

/** The message of a kind in a language, filled. A value never becomes a button or a variable of its own. */
export function fillTemplate(
  kind: Message,
  language: Language,
  variables: Readonly<Record<string, string>>,
): { subject: string; parts: MailPart[] } {
  const template = TEMPLATES[language][kind];
  const fill = (text: string): string =>
    text.replace(/\{(\w+)\}/g, (_all, name: string) => variables[name] ?? '');
  const fillPart = (part: TemplatePart): MailPart => {
    if (part.kind === 'text') return { ...part, text: fill(part.text) };
    if (part.kind === 'code') return { ...part, code: fill(part.code) };
    return { ...part, label: fill(part.label), href: fill(part.href) };
  };
  return { subject: fill(template.subject), parts: template.parts.map(fillPart) };
}

/** Whom a message is for, as far as its language goes. */
export interface Reader {
  readonly raw_user_meta_data: Readonly<Record<string, unknown>>;
  readonly locale: string | null;
}

/** `user_metadata.locale`, else the browser's language at sign-up, else English. */
export function languageFor(reader: Reader | undefined): Language {
  const own = reader?.raw_user_meta_data.locale;
  const wanted = typeof own === 'string' ? own : (reader?.locale ?? '');
  const [word = ''] = wanted.toLowerCase().split(/[-_]/);
  return LANGUAGES.find((language) => language === word) ?? LANGUAGES[0];
}
