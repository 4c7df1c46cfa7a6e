import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';
import type { Settings } from '../../../kernel/config/settings.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { invalidInput } from '../auth-error.server.ts';

/** The three reasons that clients know (docs/contracts/platform.md §6). */
export type WeakPasswordReason = 'length' | 'characters' | 'pwned';

/** Longest password in characters; nothing is cut off (docs/contracts/platform.md §6). */
const MAX_LENGTH = 1024;
/** A password with fewer different characters is little more than one key held down. */
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

/** The rules that a password must meet, from the settings. */
export interface PasswordRules {
  /** Fewest characters. */
  readonly minLength: number;
  /** True to accept common passwords, and those made of the owner's own words. */
  readonly commonAllowed: boolean;
}

/** The rules of this installation. */
export function passwordRules(
  settings: Pick<Settings, 'AUTH_PASSWORD_MIN_LENGTH' | 'AUTH_COMMON_PASSWORDS'>,
): PasswordRules {
  return { minLength: settings.AUTH_PASSWORD_MIN_LENGTH, commonAllowed: settings.AUTH_COMMON_PASSWORDS };
}

/** The owner of the password, whose name and address it must not consist of. */
export interface PasswordOwner {
  readonly email: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly brand: string;
}

/**
 * Why a password is refused (NIST SP 800-63B-4, ASVS 6.2): it is too short, has hardly any different
 * characters, is known to be common, or consists only of the brand, the owner's name or address with digits
 * and signs around it. There are no composition rules.
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
  // A short password has few different characters anyway, so one reason is enough.
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

/** The sentence for the person who chose the password. */
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

/** Whether a password may be processed at all: hashing longer ones would only cost time. */
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
  // Consists only of the owner's words and digits around them.
  return rest !== letters && !/\p{L}/u.test(rest);
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}
