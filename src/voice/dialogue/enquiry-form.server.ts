import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../kernel/config/project-root.ts';
import type { PublishedSite } from '../../kernel/contract/site-content.ts';
import type { SpokenEnquiry } from './dialogue-tools.server.ts';
import { readConsent } from './spoken/caller-consent.server.ts';
import { spellDigits, spellEmail, spellName } from './spoken/spelling-back.server.ts';
import { readSpokenDigits } from './spoken/spoken-digits.server.ts';
import { readSpokenEmail } from './spoken/spoken-email.server.ts';
import { readSpokenName } from './spoken/spoken-name.server.ts';
import { normaliseWords } from './spoken/word-normalisation.server.ts';
import type { FormField } from './spoken-form.server.ts';
import { serviceIn } from './topics/topic-answer.server.ts';

/** Fewest digits: of a number with its country, of one with an area code (it begins with 0), and of a local one. */
const LEAST_DIGITS = { abroad: 9, area: 10, local: 7 } as const;
const MOST_DIGITS = 15;
/** A name of common parts that was heard with this confidence is not spelled back. */
const HEARD_WELL = 0.8;
const COMMON_NAMES: ReadonlySet<string> = new Set(
  ['first-names.txt', 'last-names.txt'].flatMap((file) =>
    readFileSync(path.join(PROJECT_ROOT, 'src', 'voice', 'engines', 'recognition', file), 'utf8')
      .trim()
      .split(/\s+/),
  ),
);

const heardWell = (name: string, confidence: number): boolean =>
  confidence >= HEARD_WELL &&
  name
    .toLowerCase()
    .split(' ')
    .every((part) => COMMON_NAMES.has(part));

function isWhole(digits: string): boolean {
  const length = digits.replace('+', '').length;
  const { abroad, area, local } = LEAST_DIGITS;
  const least = digits.startsWith('+') ? abroad : digits.startsWith('0') ? area : local;
  return length >= least && length <= MOST_DIGITS;
}
const LONGEST_NOTES = 2000;

/** Asks for a name and spells it back. */
export const NAME_FIELD: FormField = {
  id: 'name',
  named: /\bname\b/,
  ask: 'What is your name, please?',
  again: 'Please say your name again, or spell your last name letter by letter.',
  read: (words, _raw, before) => readSpokenName(words, before),
  confirm: (name, confidence) =>
    `I heard ${heardWell(name, confidence) ? name : spellName(name)}. Is that right?`,
};

/** Asks for a telephone number and reads it back. */
export const PHONE_FIELD: FormField = {
  id: 'phone',
  named: /\b(phone|number)\b/,
  ask: 'What is your phone number, digit by digit?',
  again: 'Please say the number again, one digit after another.',
  read: (words, _raw, before) => {
    const digits = digitsAfter(words, before);
    return isWhole(digits) ? digits : null;
  },
  begun: (words) => {
    const digits = readSpokenDigits(words);
    return digits === '' || isWhole(digits) ? null : words;
  },
  refuse: (words) => {
    const digits = readSpokenDigits(words);
    if (digits !== '') return `I heard ${spellDigits(digits)}; that is not a whole number.`;
    return readSpokenEmail(words) === null ? null : 'That is an e-mail address; I need a phone number.';
  },
  confirm: (number) => `I have ${spellDigits(number)}. Is that right?`,
};

/** Corrects the end or the beginning of the number that was heard: `No, the last two are two three`. */
function digitsAfter(words: string, before: string | null): string {
  const [, place, rest] = /\b(last|end|ends|ending|first|begins|starts)\b(.*)$/.exec(words) ?? [];
  if (before === null || rest === undefined) return readSpokenDigits(words);
  const said = readSpokenDigits(rest.replace(/^.*?\b(is|are|in|with|should be|s)\b/, ''));
  if (said === '' || said.length >= before.length) return readSpokenDigits(words);
  const atFront = place === 'first' || place === 'begins' || place === 'starts';
  return atFront ? said + before.slice(said.length) : before.slice(0, -said.length) + said;
}

/** Asks for the name that a call was booked under. */
export const BOOKED_NAME_FIELD: FormField = { ...NAME_FIELD, ask: 'What name is the call booked under?' };

/** Corrects the domain of the address that was heard: `No, it is outlook dot com`. */
function otherDomain(words: string, before: string | null): string | null {
  const domain = words
    .replace(/\bnot \w+( dot \w+)*$/, '')
    .replace(/^.*\b(is|at|said|meant|no)\b/, '')
    .trim();
  if (before === null || !/\bdot\b/.test(domain)) return null;
  return readSpokenEmail(`${before.split('@')[0] ?? ''} at ${domain}`);
}

const EMAIL_FIELD: FormField = {
  id: 'email',
  named: /\b(email|address)\b/,
  ask: 'What is your e-mail address? If you have none, just say no.',
  again: 'Please say the address again, for example: anna dot smith at example dot com.',
  read: (words, _raw, before) => readSpokenEmail(words) ?? otherDomain(words, before),
  confirm: (address) => `I have ${spellEmail(address)}. Is that right?`,
  optional: true,
};

/** Asks where to mail the confirmation of a booked call. */
export const CONFIRMATION_FIELD: FormField = {
  ...EMAIL_FIELD,
  ask: 'Where shall I mail the confirmation? Please say your e-mail address, or no.',
};

/** The questions of an enquiry. The number is asked for where there is no e-mail address. */
export const enquiryFields = (site: PublishedSite): readonly FormField[] => [
  {
    id: 'notes',
    named: /\b(message|notes)\b/,
    ask: 'What is it about? Please tell me in a sentence or two.',
    again: 'Please tell me in a few words what you need.',
    read: (words, raw) =>
      (words.split(' ').length >= 2 && readConsent(words) === null) || serviceIn(site, words)
        ? raw.trim().slice(0, LONGEST_NOTES)
        : null,
  },
  NAME_FIELD,
  EMAIL_FIELD,
  { ...PHONE_FIELD, skip: (values) => (values.get('email') ?? '') !== '' },
];

/** What is said before the enquiry is sent. */
export function summariseEnquiry(values: ReadonlyMap<string, string>): string {
  const about = values.get('notes') ?? '';
  const reach = values.get('email') || spellDigits(values.get('phone') ?? '');
  return `I will pass this on: ${values.get('name')}, ${reach}, about: ${about.replace(/[.!?]+$/, '')}. May I send it?`;
}

/**
 * Makes the enquiry from the answers.
 *
 * @param messageFor whose message it is, where it is not the agency's own
 */
export function enquiryOf(
  site: PublishedSite,
  values: ReadonlyMap<string, string>,
  messageFor = '',
): SpokenEnquiry {
  const said = values.get('notes') ?? '';
  const notes = messageFor === '' ? said : `For ${messageFor}: ${said}`.slice(0, LONGEST_NOTES);
  return {
    name: values.get('name') ?? '',
    email: values.get('email') || null,
    phone: values.get('phone') || null,
    service: serviceOf(site, normaliseWords(notes)),
    notes,
  };
}

function serviceOf(site: PublishedSite, words: string): SpokenEnquiry['service'] {
  if (/\bapps?\b/.test(words)) return 'App Builder';
  if (/\bbusiness tier\b/.test(words)) return 'Business Tier';
  return serviceIn(site, words)?.enquiryType ?? 'Automated Phone System';
}
