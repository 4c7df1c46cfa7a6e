import { KIND_NAMES } from '@northline/document-reader/kind-names.contract';
import type { DocumentKind } from '@northline/document-reader/report.contract';
import { isIsoDay } from '../../../kernel/contract/dates.ts';
import type { Fact } from '../corrections/fact-correction.contract.ts';
import type { Acts, DoneAct, Wanted } from './rule.contract.ts';

/** What a rule sees of a document: its facts with corrections, and the fields of the customer's own. */
export interface RuleDocument {
  readonly kind: DocumentKind;
  readonly title: string;
  readonly fileName: string;
  readonly facts: readonly Fact[];
  /** The documents in the file, if it holds several; the file itself has no facts then. */
  readonly parts?: readonly RuleDocument[];
  /** Whether it is one of several documents in the file. */
  readonly isPart?: true;
}

/** The document that a rule wants: the file itself, or the first one in it that has everything. */
export function wantedIn(wanted: Wanted, document: RuleDocument): RuleDocument | undefined {
  return [document, ...(document.parts ?? [])].find((each) => isMet(wanted, each));
}

const LONGEST_FILE_NAME = 200;
/** Hour of the day, UTC, at which a reminder is sent. */
const REMINDER_HOUR = 6;

/** Whether a document has everything that a rule wants. */
export function isMet({ kind, sender, least, most, field }: Wanted, document: RuleDocument): boolean {
  if (kind !== undefined && document.kind !== kind) return false;
  if (sender !== undefined && !contains(senderOf(document), sender)) return false;
  if (least !== undefined || most !== undefined) {
    const total = amountOf(document);
    if (total === undefined || total < (least ?? 0) || total > (most ?? Number.POSITIVE_INFINITY))
      return false;
  }
  if (field === undefined) return true;
  const fact = labelled(document, field.label);
  return fact !== undefined && (field.contains === undefined || contains(fact.value, field.contains));
}

/** What the actions of a rule are with a document; actions that cannot be done say why. */
export interface PlannedActs {
  readonly done: readonly DoneAct[];
  /** The new name of the file. */
  readonly name: string | undefined;
  /** The reminder: the day of the document and when to send it. */
  readonly remind: { readonly day: string; readonly at: Date } | undefined;
}

/** Works out what a rule does with a document, without doing it. */
export function planActs(
  { tag, name, mail, webhook, remind }: Acts,
  document: RuleDocument,
  now: Date,
): PlannedActs {
  const done: DoneAct[] = [];
  const renamed = newName(name, document);
  const day = remind === undefined ? undefined : labelled(document, remind.label)?.normalized;
  const at = remind === undefined || day === undefined ? undefined : reminderTime(day, remind.days);
  if (tag !== undefined) done.push({ act: 'tag', text: `tag “${tag}”` });
  if (name !== undefined) done.push({ act: 'name', text: nameText(renamed, document) });
  if (mail === true) done.push({ act: 'mail', text: 'mail to your address' });
  if (webhook !== undefined) done.push({ act: 'webhook', text: `send to ${new URL(webhook).host}` });
  if (remind !== undefined) done.push({ act: 'remind', text: reminderText(remind.label, at, now) });
  return {
    done,
    name: renamed,
    remind: at === undefined || day === undefined || at <= now ? undefined : { day, at },
  };
}

/** A file that holds several documents is not named after one of them. */
function newName(pattern: string | undefined, document: RuleDocument): string | undefined {
  return pattern === undefined || document.isPart === true ? undefined : fileName(pattern, document);
}

function nameText(renamed: string | undefined, { isPart }: RuleDocument): string {
  if (renamed !== undefined) return `name it “${renamed}”`;
  return `keep its name, as ${isPart === true ? 'the file holds several documents' : 'nothing of the pattern is in it'}`;
}

function reminderText(label: string, at: Date | undefined, now: Date): string {
  if (at === undefined) return `no reminder, as it has no day “${label}”`;
  return at <= now
    ? `no reminder, as ${at.toISOString().slice(0, 10)} has passed`
    : `remind you on ${at.toISOString().slice(0, 10)}`;
}

/** When the reminder is sent; undefined if the text is not a day. */
function reminderTime(day: string, days: number): Date | undefined {
  if (!isIsoDay(day)) return undefined;
  const at = new Date(`${day}T00:00:00Z`);
  at.setUTCDate(at.getUTCDate() - days);
  at.setUTCHours(REMINDER_HOUR);
  return at;
}

const find = ({ facts }: RuleDocument, key: string): Fact | undefined =>
  facts.find((fact) => fact.key === key);

function senderOf(document: RuleDocument): string {
  return (find(document, 'supplier') ?? find(document, 'landlord'))?.value ?? '';
}

function amountOf(document: RuleDocument): number | undefined {
  const amount = Number((find(document, 'total') ?? find(document, 'rent'))?.normalized ?? Number.NaN);
  return Number.isFinite(amount) ? Math.abs(amount) : undefined;
}

const labelled = ({ facts }: RuleDocument, label: string): Fact | undefined =>
  facts.find((fact) => fact.label.toLowerCase() === label.toLowerCase());

const contains = (text: string, part: string): boolean =>
  text.normalize('NFKC').toLowerCase().includes(part.normalize('NFKC').toLowerCase());

/** The name that a pattern makes, with the ending of the file; undefined if none of its placeholders has a value. */
export function fileName(pattern: string, document: RuleDocument): string | undefined {
  let filled = 0;
  const text = pattern.replace(/\{([^{}]{1,60})\}/g, (_, placeholder: string) => {
    const value = placeholderValue(placeholder, document);
    if (value !== '') filled += 1;
    return value;
  });
  if (filled === 0) return undefined;
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(document.fileName)?.[0] ?? '';
  const plain = text
    .replace(/[\p{Cc}/\\:*?"<>|]+/gu, '-')
    // What stood around an empty placeholder.
    .replace(/(?:\s*[-_–,]\s*){2,}/g, ' - ')
    .replace(/\s+/g, ' ')
    .replace(/^[\s._–,-]+|[\s._–,-]+$/g, '');
  if (plain === '') return undefined;
  return (
    [...plain]
      .slice(0, LONGEST_FILE_NAME - ending.length)
      .join('')
      .toWellFormed() + ending
  );
}

function placeholderValue(placeholder: string, document: RuleDocument): string {
  const dayOr = (key: string): string => find(document, key)?.normalized ?? find(document, key)?.value ?? '';
  switch (placeholder.toLowerCase()) {
    case 'kind':
      return KIND_NAMES[document.kind];
    case 'sender':
      return senderOf(document);
    case 'number':
      return find(document, 'document_number')?.value ?? '';
    case 'date':
      return dayOr('issue_date');
    case 'due':
      return dayOr('due_date');
    case 'total':
      return find(document, 'total')?.normalized ?? '';
    case 'title':
      return document.title;
    default: {
      const fact = labelled(document, placeholder);
      return fact?.normalized ?? fact?.value ?? '';
    }
  }
}
