import type { Citer } from '../contract/quote-finding.ts';
import type { Block, Cite, DocumentKind, SensitiveData } from '../contract/report.contract.ts';
import { findDate } from '../values/dates.ts';
import { findIbans } from '../values/ibans.ts';
import { findNationalIds, luhnHolds } from './national-ids.ts';

interface Place {
  readonly start: number;
  readonly end: number;
}

/** Most places that are cited for a class; further ones are only counted. */
const MOST_QUOTED = 200;

/**
 * Sensitive data about people in a document: accounts and cards with valid check digits, national numbers
 * (`national-ids.ts`), dates of birth beside their label, words about somebody's health. Each has its citation; a text
 * belongs to one class only. Texts about health in general (manuals, papers, terms) concern no single person.
 */
export function findSensitive(blocks: readonly Block[], kind: DocumentKind, citer: Citer): SensitiveData[] {
  const finders = FINDERS.filter(([name]) => name !== 'health' || !GENERAL.has(kind));
  const found = new Map<SensitiveData['class'], { count: number; cites: Cite[] }>();
  for (const block of blocks) {
    for (const { name, start, end } of placesIn(block.text, finders)) {
      const known = found.get(name) ?? { count: 0, cites: [] };
      known.count += 1;
      if (known.cites.length < MOST_QUOTED) known.cites.push(citer.at(block, start, end));
      found.set(name, known);
    }
  }
  return FINDERS.flatMap(([name]) => {
    const all = found.get(name);
    return all === undefined ? [] : [{ class: name, ...all }];
  });
}

type Finder = readonly [SensitiveData['class'], (text: string) => Place[]];

/** The places in a text. If several classes find the same text, the first one gets it. */
function placesIn(text: string, finders: readonly Finder[]): (Place & { name: SensitiveData['class'] })[] {
  const taken: (Place & { name: SensitiveData['class'] })[] = [];
  for (const [name, find] of finders) {
    for (const place of find(text)) {
      const isFree = taken.every(({ start, end }) => place.start >= end || start >= place.end);
      if (isFree) taken.push({ ...place, name });
    }
  }
  return taken;
}

/** Kinds of texts that concern no single person. */
const GENERAL: ReadonlySet<DocumentKind> = new Set(['manual', 'paper', 'terms', 'policy', 'speech']);

const FINDERS: readonly Finder[] = [
  ['iban', ibanPlaces],
  ['card', cardPlaces],
  ['national_id', findNationalIds],
  ['birth_date', birthPlaces],
  ['health', healthPlaces],
];

function ibanPlaces(text: string): Place[] {
  return placesOf(
    text,
    findIbans(text).map(({ printed }) => printed),
  );
}

/** The places of texts that follow each other. */
function placesOf(text: string, parts: readonly string[]): Place[] {
  let from = 0;
  return parts.map((part) => {
    const start = text.indexOf(part, from);
    from = start + part.length;
    return { start, end: from };
  });
}

const CARD = /(?<![\d.,-])\d(?:[ -]?\d){12,18}(?![\d-])/g;
/** The first digits of Visa, Mastercard, American Express, Discover, JCB, Diners and UnionPay, with their lengths. */
const SCHEMES =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]\d{2}|222[1-9]|22[3-9]\d|2[3-6]\d{2}|27[01]\d|2720)\d{12}|3[47]\d{13}|(?:6011|64[4-9]\d|65\d{2})\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14})$/;
const GROUPED = /^(?:\d{4}[ -]\d{4}[ -]\d{4}[ -]\d{1,4}|\d{4}[ -]\d{6}[ -]\d{4,5})(?:[ -]\d{1,3})?$/;
const CARD_LABEL =
  /card|karte|carte|kaart|tarjeta|carta|visa|master|amex|american express|maestro|diners|\bpan\b/i;

/** Card numbers with a valid check digit. Sixteen digits without spaces need a word for cards beside them. */
function cardPlaces(text: string): Place[] {
  return [...text.matchAll(CARD)].flatMap(({ 0: printed, index }) => {
    const number = printed.replace(/\D/g, '');
    if (!SCHEMES.test(number) || !luhnHolds(number) || /^(\d)\1+$/.test(number)) return [];
    const isNamed = CARD_LABEL.test(text.slice(Math.max(0, index - 60), index));
    return isNamed || GROUPED.test(printed) ? [{ start: index, end: index + printed.length }] : [];
  });
}

const BORN =
  /(?<!\p{L})(?:date of birth|birth ?date|d\.? ?o\.? ?b\.?|born(?: on)?|geburts(?:datum|tag)|geboren(?: am| op)?|geb\.(?: am)?|date de naissance|née?(?:\(e\))? le|geboortedatum|fecha de nacimiento|nacid[oa] el|data di nascita|nat[oa](?: a [^\d,;]{2,30})? il)(?!\p{L})/giu;
/** Greatest distance between the label and its date, characters. */
const BORN_REACH = 30;

function birthPlaces(text: string): Place[] {
  return [...text.matchAll(BORN)].flatMap(({ 0: label, index }) => {
    const from = index + label.length;
    const date = findDate(text.slice(from, from + BORN_REACH + 20));
    const start = date === undefined ? -1 : text.indexOf(date.printed, from);
    if (date === undefined || start < 0 || start - from > BORN_REACH) return [];
    return [{ start, end: start + date.printed.length }];
  });
}

/** A label on a form, and the text after it in its line. */
const HEALTH_LABEL =
  /(?<!\p{L})(?:(?:main |medical |clinical )?diagnos(?:is|es|en?|tics?|tico|tische angaben|i)|icd-?10(?:[- ]?(?:code|gm))?|blood (?:group|type)|blutgruppe|groupe sanguin|bloedgroep|grupo sangu[ií]neo|gruppo sanguigno|allerg(?:y|ies|ien?|ie[ëe]n|ias?)|(?:current )?medications?|medikation|medikamente|médicaments?|medicatie|medicación|farmaci|disabilit(?:y|ies)|behinderung|grad der behinderung|handicap|discapacidad|disabilità|medical history|vorerkrankungen|antécédents médicaux|health conditions?)(?: \([^)]{1,30}\))?[ ]?(?::|\t)\s*(?=[\p{L}\d])[^\n]{2,200}/giu;
/** Words that say that somebody is or was ill. */
const HEALTH_WORDS =
  /(?<!\p{L})(?:(?:suffers?|suffering|suffered) from|(?:was|been|is) diagnosed with|(?:is|was) (?:unfit for work|on sick leave|pregnant|hiv[- ]positive)|leidet an|litt an|arbeitsunfähig|diagnostiziert|schwanger|souffre d(?:e|['’]|u)|atteinte? d(?:e|['’]|u)|en arrêt (?:de travail|maladie)|inapte au travail|enceinte|lijdt aan|arbeidsongeschikt|zwanger|padece|sufre de|baja médica|incapacidad temporal|embarazada|soffre di|affett[oa] da|in malattia|incinta)(?!\p{L})/giu;
/** Most characters of a sentence that are cited on each side of such words. */
const SENTENCE_REACH = 160;

function healthPlaces(text: string): Place[] {
  const labelled = [...text.matchAll(HEALTH_LABEL)].map(({ 0: printed, index }) => ({
    start: index,
    end: index + printed.trimEnd().length,
  }));
  const said = [...text.matchAll(HEALTH_WORDS)].map(({ 0: words, index }) =>
    sentenceAround(text, index, index + words.length),
  );
  return [...labelled, ...said];
}

/** The sentence around a place, or the nearest words if the sentence is long. */
function sentenceAround(text: string, from: number, to: number): Place {
  const before = text.slice(Math.max(0, from - SENTENCE_REACH), from);
  const lead = /[^.!?\n]*$/.exec(before)?.[0].trimStart() ?? '';
  const rest = /^[^.!?\n]*/.exec(text.slice(to, to + SENTENCE_REACH))?.[0].trimEnd() ?? '';
  return { start: from - lead.length, end: to + rest.length };
}
