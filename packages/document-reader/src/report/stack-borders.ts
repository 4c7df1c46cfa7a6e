import type { Row } from '../contract/extracted-document.ts';
import { detectLanguage } from './language-detection.ts';
import { factsOfPage, type PageFacts } from './stack-pages.ts';

/** One document of a stack: its first and last page, and whether it is certain that it begins there. */
export interface StackPart {
  readonly from: number;
  readonly to: number;
  readonly isSure: boolean;
  /** Pages that may belong to another document, although nothing says where one begins. */
  readonly doubtful: readonly number[];
}

/** Scores of evidence that a document begins on a page. Negative ones speak for the document before it. */
const SCORES = {
  firstOfSeveral: 3.5,
  first: 2,
  nextInOrder: -5,
  laterPage: -2,
  lastBefore: 1,
  moreToCome: -2,
  otherNumber: 3,
  sameNumber: -3,
  title: 1.5,
  named: 1,
  otherTitle: 1.5,
  sameTitle: -1,
  otherSender: 1.5,
  sameSender: -0.5,
  otherAccount: 1.5,
  sameAccount: -2,
  otherKind: 1,
  otherTotal: 1.5,
  sameTotal: -1,
  greeting: 1,
  closed: 0.75,
  ended: 1,
  stopped: 0.5,
  sharedNumber: -1.5,
  otherHead: 0.75,
  blank: 1.5,
  continued: -3,
  otherLanguage: 1.25,
  newBalance: 2,
  /** A sum, a running balance or a numbering goes on. */
  carriedOn: -5,
  nextSection: -2,
} as const;
type Evidence = keyof typeof SCORES;
/** Evidence without which no document is split: a title alone also stands over a chapter. */
const HARD: ReadonlySet<Evidence> = new Set([
  'firstOfSeveral',
  'first',
  'otherNumber',
  'otherSender',
  'otherTotal',
  'otherTitle',
  'otherAccount',
  'newBalance',
  'greeting',
  'blank',
]);
/** Evidence that suffices where the text before ends high above the foot of its page, and the page has another head. */
const ENDED_BY = ['title', 'named', 'otherKind', 'otherLanguage', 'lastBefore'] as const;
const BORDER = 2;
const SURE = 3;
/** From this score on, a page after the sum of a bill may belong to another document. */
const DOUBT = 1.25;
/** In a longer file, chapters look like documents. */
const MOST_PAGES = 120;

const CARRIED =
  /(?<!\p{L})(?:carried (?:forward|over)|brought forward|continued|übertrag|report à nouveau|à reporter)(?!\p{L})/iu;

/**
 * Finds the documents of a file in which several papers were scanned or saved together. A document ends where the page
 * numbers begin anew, or where number, sender, sum or kind change; blank sheets separate documents too.
 *
 * @param rows the rows of all pages
 * @param blank pages without print
 * @returns the documents in order; one if the file holds a single document, none if the format has no pages
 */
export function findStack(rows: readonly Row[], blank: readonly number[]): StackPart[] {
  const byPage = Map.groupBy(rows, ({ page }) => page ?? 0);
  byPage.delete(0);
  const numbers = [...byPage.keys()].sort((a, b) => a - b);
  const [first, last] = [numbers[0], numbers.at(-1)];
  if (first === undefined || last === undefined) return [];
  if (numbers.length > MOST_PAGES) return [{ from: first, to: last, isSure: true, doubtful: [] }];
  const parts: { from: number; to: number; isSure: boolean; doubtful: number[] }[] = [];
  let own: PageFacts[] = [];
  for (const page of numbers) {
    const next = factsOfPage(page, byPage.get(page) ?? []);
    const border = borderBefore(next, own, blank);
    const part = parts.at(-1);
    if (part === undefined || border === 'sure' || border === 'unsure') {
      parts.push({ from: page, to: page, isSure: border !== 'unsure', doubtful: [] });
      own = [next];
      continue;
    }
    part.to = page;
    if (border === 'doubtful') part.doubtful.push(page);
    own.push(next);
  }
  return parts;
}

/** Whether a document begins on a page after the pages `own` of the one before. */
function borderBefore(
  next: PageFacts,
  own: readonly PageFacts[],
  blank: readonly number[],
): 'sure' | 'unsure' | 'doubtful' | 'none' {
  const evidence = evidenceBefore(next, own, blank);
  const score = [...evidence].reduce((sum, each) => sum + SCORES[each], 0);
  const isHard = [...evidence].some((each) => HARD.has(each));
  const has = (each: Evidence): boolean => evidence.has(each);
  const isSoft =
    has('otherHead') &&
    ((has('title') && (has('closed') || has('otherKind') || next.number !== undefined)) ||
      (has('ended') && !has('sharedNumber') && ENDED_BY.some(has)));
  if (score >= BORDER && (isHard || isSoft)) return isHard && score >= SURE ? 'sure' : 'unsure';
  const isDoubtful = has('ended') || has('stopped') || has('otherLanguage') || own.at(-1)?.closes;
  return score >= DOUBT && isDoubtful ? 'doubtful' : 'none';
}

/** @param own the pages of the document before, in order */
function evidenceBefore(next: PageFacts, own: readonly PageFacts[], blank: readonly number[]): Set<Evidence> {
  const before = own.at(-1);
  if (before === undefined) return new Set();
  const account = accountEvidence(next, own);
  const whether: Partial<Record<Evidence, boolean>> = {
    greeting: next.greets,
    otherKind: isOtherKind(next, own),
    closed: before.closes,
    ended: before.ends && next.begins,
    stopped: before.ends && !next.begins,
    sharedNumber: account === undefined && own.some(({ numbers }) => !numbers.isDisjointFrom(next.numbers)),
    otherHead: !own.some(({ text }) => text.includes(next.top[0] ?? '')),
    blank: blank.some((page) => page > before.page && page < next.page),
    continued: isContinued(before, next),
    carriedOn: isCarriedOn(before, next),
    nextSection: isNextSection(next, own),
    newBalance: before.money.closes && next.money.opens,
    otherLanguage: isOtherLanguage(before, next),
  };
  const found = [
    ...labelEvidence(next, before),
    numberEvidence(next, own),
    senderEvidence(next, own),
    totalEvidence(next, own),
    ...titleEvidence(next, own),
    account,
    ...(Object.keys(whether) as Evidence[]).filter((each) => whether[each]),
  ];
  return new Set(found.filter((each) => each !== undefined));
}

function labelEvidence({ label }: PageFacts, before: PageFacts): (Evidence | undefined)[] {
  const ended = before.label?.of === undefined ? undefined : before.label.number >= before.label.of;
  if (label === undefined) return [ended === false ? 'moreToCome' : ended ? 'lastBefore' : undefined];
  if (label.number === 1)
    return [label.of === undefined ? 'first' : 'firstOfSeveral', ended ? 'lastBefore' : undefined];
  return [before.label?.number === label.number - 1 ? 'nextInOrder' : 'laterPage'];
}

function numberEvidence({ number }: PageFacts, own: readonly PageFacts[]): Evidence | undefined {
  const known = own.findLast((page) => page.number !== undefined)?.number;
  if (number === undefined || known === undefined) return undefined;
  return number === known ? 'sameNumber' : 'otherNumber';
}

function senderEvidence({ senders }: PageFacts, own: readonly PageFacts[]): Evidence | undefined {
  const known = new Set(own.flatMap((page) => [...page.senders]));
  if (senders.size === 0 || known.size === 0) return undefined;
  return [...senders].some((each) => known.has(each)) ? 'sameSender' : 'otherSender';
}

function totalEvidence({ total }: PageFacts, own: readonly PageFacts[]): Evidence | undefined {
  const known = own.findLast((page) => page.total !== undefined)?.total;
  if (total === undefined || known === undefined) return undefined;
  return total === known ? 'sameTotal' : 'otherTotal';
}

/** Whether a page names a kind that the document before is not. */
function isOtherKind({ kind, named }: PageFacts, own: readonly PageFacts[]): boolean {
  const known = own.flatMap((page) => page.kind ?? []);
  // Terms and forms are also parts of other papers.
  const isOwn = named !== undefined || (own.at(-1)?.ends && kind !== 'terms' && kind !== 'form');
  return kind !== undefined && isOwn === true && known.length > 0 && !known.includes(kind);
}

/** A title in the head of a page; one with figures says by them whether it is the same document. */
function titleEvidence(next: PageFacts, own: readonly PageFacts[]): (Evidence | undefined)[] {
  const headingOf = (page: PageFacts | undefined): string => page?.title ?? page?.named ?? '';
  const [heading, known] = [headingOf(next), headingOf(own[0])];
  const found = next.title !== undefined ? 'title' : next.named !== undefined ? 'named' : undefined;
  const masked = (text: string): string => text.replace(/\d+/g, '#').toLowerCase();
  if (masked(known) !== masked(heading) || !/\d/.test(heading)) return [found];
  return known === heading ? ['sameTitle'] : [found, 'otherTitle'];
}

function accountEvidence({ accounts }: PageFacts, own: readonly PageFacts[]): Evidence | undefined {
  const known = new Set(own.flatMap((page) => [...page.accounts]));
  if (accounts.size === 0 || known.size === 0) return undefined;
  return accounts.isDisjointFrom(known) ? 'otherAccount' : 'sameAccount';
}

/** Whether a sentence or a table goes on over the page. Lines that both pages have are their running heads and feet. */
function isContinued(before: PageFacts, next: PageFacts): boolean {
  const firstLine = next.top.find((line) => !before.top.includes(line)) ?? '';
  const lastLine = before.bottom.findLast((line) => !next.bottom.includes(line)) ?? '';
  if (CARRIED.test(lastLine) || CARRIED.test(firstLine)) return true;
  return /^\p{Ll}/u.test(firstLine) && /[\p{L},-]$/u.test(lastLine);
}

/** Whether both sides of a page break have the same sum that is carried over, or a balance runs on. */
function isCarriedOn({ money: before }: PageFacts, { money: next }: PageFacts): boolean {
  if (!before.forward.isDisjointFrom(next.brought) && !(before.closes && next.opens)) return true;
  return before.last !== undefined && before.last !== 0 && next.before.includes(before.last);
}

/** Whether the numbers of paragraphs or items go on: those of the document came in order from 1. */
function isNextSection({ sections: [first] }: PageFacts, own: readonly PageFacts[]): boolean {
  if (first === undefined) return false;
  let count = 0;
  for (const { sign, number } of own.flatMap(({ sections }) => sections))
    if (sign === first.sign && number === count + 1) count = number;
  return count >= 2 && first.number === count + 1;
}

function isOtherLanguage(before: PageFacts, next: PageFacts): boolean {
  const [language, known] = [next, before].map(({ text }) => detectLanguage(text));
  return language !== undefined && known !== undefined && language !== known;
}
