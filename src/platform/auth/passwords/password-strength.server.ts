import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';
import type { Settings } from '../../../kernel/config/settings.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { invalidInput } from '../auth-error.server.ts';

/** The three words that the client knows (docs/contracts/platform.md §6). */
export type WeakPasswordReason = 'length' | 'characters' | 'pwned';

/** Longest password, characters; there is no shorter cut (docs/contracts/platform.md §6). */
const MAX_LENGTH = 1024;
/** A password of fewer different characters than this is one key held down. */
const FEWEST_DIFFERENT = 4;
/** Words shorter than this are too common to be refused inside a password. */
const SHORTEST_WORD = 3;

const COMMON = new Set(
  readFileSync(
    path.join(PROJECT_ROOT, 'src', 'platform', 'auth', 'passwords', 'common-passwords.txt'),
    'utf8',
  )
    .split('\n')
    .filter(Boolean),
);

/** What a password has to meet, by the settings. */
export interface PasswordRules {
  /** Fewest characters. */
  readonly minLength: number;
  /** Common ones, and those made of own words, are accepted. */
  readonly commonAllowed: boolean;
}

/** The rules of this installation. */
export function passwordRules(
  settings: Pick<Settings, 'AUTH_PASSWORD_MIN_LENGTH' | 'AUTH_COMMON_PASSWORDS'>,
): PasswordRules {
  return { minLength: settings.AUTH_PASSWORD_MIN_LENGTH, commonAllowed: settings.AUTH_COMMON_PASSWORDS };
}

/** Whom the password is for: what it must not be made of. */
export interface PasswordOwner {
  readonly email: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly brand: string;
}

/**
 * Why a password is refused (NIST SP 800-63B-4, ASVS 6.2): too short, hardly any
 * different characters, or known to be common, or nothing but the brand, the own name
 * or address with digits and signs around it. No composition rules.
 */
export function weaknesses(
  password: string,
  { minLength, commonAllowed }: PasswordRules,
  owner: PasswordOwner,
): WeakPasswordReason[] {
  const reasons: WeakPasswordReason[] = [];
  const characters = [...password];
  if (characters.length < minLength) reasons.push('length');
  if (commonAllowed) return reasons;
  // A short one has few different characters anyway: one reason says what to do.
  if (reasons.length === 0 && new Set(characters).size < FEWEST_DIFFERENT) reasons.push('characters');
  const lower = password.toLowerCase();
  if (COMMON.has(lower) || isMadeOf(lower, ownWords(owner))) reasons.push('pwned');
  return reasons;
}

const SENTENCES: Record<WeakPasswordReason, (minLength: number) => string> = {
  length: (minLength) => `Password should be at least ${minLength} characters.`,
  characters: () => 'Password should have more different characters.',
  pwned: () => 'Password is known to be weak and easy to guess, please choose a different one.',
};

/** The sentence for a person. */
export function weakPasswordMessage(reasons: readonly WeakPasswordReason[], minLength: number): string {
  return reasons.map((reason) => SENTENCES[reason](minLength)).join(' ');
}

/**
 * @throws ServiceError 422 `weak_password` with `weak_password.reasons`, 400
 * `validation_failed` beyond 1024 characters or with a null character
 */
export function requireStrongPassword(password: string, rules: PasswordRules, owner: PasswordOwner): void {
  refuseUnusable(password);
  const reasons = weaknesses(password, rules, owner);
  if (reasons.length === 0) return;
  const message = weakPasswordMessage(reasons, rules.minLength);
  throw new ServiceError(422, 'weak_password', message, { details: { weak_password: { message, reasons } } });
}

function refuseUnusable(password: string): void {
  if (password.length > MAX_LENGTH)
    throw invalidInput(`Password cannot be longer than ${MAX_LENGTH} characters`);
  if (password.includes('\0')) throw invalidInput('Password cannot hold a null character');
}

/** Whether a password may be looked at at all: hashing longer ones would only cost. */
export function isUsablePassword(password: string): boolean {
  return password.length <= MAX_LENGTH && !password.includes('\0');
}

function ownWords({ email, metadata, brand }: PasswordOwner): string[] {
  const names = ['full_name', 'name', 'first_name', 'last_name'].map((field) => metadata[field]);
  const texts = [brand, email ?? '', ...names.filter((name) => typeof name === 'string')];
  const [local = '', domain = ''] = (email ?? '').split('@');
  const pieces = [...texts, local, domain].flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]);
  const words = pieces.map((piece) => lettersOf(piece)).filter((piece) => piece.length >= SHORTEST_WORD);
  return [...new Set(words)].sort((a, b) => b.length - a.length);
}

function isMadeOf(lowerPassword: string, words: readonly string[]): boolean {
  const letters = lettersOf(lowerPassword);
  let rest = letters;
  for (const word of words) rest = rest.replaceAll(word, ' ');
  // Nothing but own words, and digits around them.
  return rest !== letters && !/\p{L}/u.test(rest);
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}
