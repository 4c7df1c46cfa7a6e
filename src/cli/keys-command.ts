import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import {
  importKeys,
  KeyError,
  retireKey,
  rotateKey,
  rotatePushKey,
} from '../kernel/resources/crypto/key-ring.ts';
import { type Keys, loadKeys, type StoredKey, saveKeys } from '../kernel/resources/crypto/keys.ts';
import { type Command, UsageError } from './command.ts';

/**
 * Manages the keys that sign and verify access tokens. Works on DATA_DIR/keys.json, whether the product is
 * running or not.
 */
export const keysCommand: Command = {
  summary: 'lists, rotates, retires and imports the keys that sign access tokens',
  usage: [
    'list                        the key that signs, and those that only verify',
    'rotate                      a new key signs; the one before still verifies',
    'retire KID [--now]          tokens of a key are refused; --now also within an hour of its use',
    'rotate-push                 a new key signs notices to browsers; their people switch them on again',
    'import FILE [--kid KID]     honours tokens of another system: JWK, JWKS, PEM, or a secret as text',
  ],
  run: (settings, words) => manageKeys(settings.DATA_DIR, words),
};

/**
 * Runs one form of the command on DATA_DIR/keys.json and returns the text to print. Running processes follow
 * within a second.
 *
 * @throws UsageError; KeyError with the sentence to print
 */
export async function manageKeys(dataDir: string, words: readonly string[]): Promise<string> {
  const { values, positionals } = parseWords(words);
  const [command = '', subject = ''] = positionals;
  if (!existsSync(path.join(dataDir, 'keys.json'))) {
    throw new KeyError(`There is no installation in ${dataDir}: start the product once, or set DATA_DIR.`);
  }
  const keys = await loadKeys(dataDir);
  const now = new Date();
  if (command === 'list') return list(keys);
  if (command === 'rotate') {
    const next = await rotateKey(keys, now);
    saveKeys(dataDir, next);
    return `${next.signing_key.kid} signs now; ${keys.signing_key.kid} still verifies.`;
  }
  if (command === 'rotate-push') {
    saveKeys(dataDir, rotatePushKey(keys));
    return 'A new key signs notices to browsers. Those that showed them have to be switched on again.';
  }
  if (command === 'retire' && subject !== '') {
    saveKeys(dataDir, retireKey(keys, subject, now, values.now));
    return `Tokens of ${subject} are refused.`;
  }
  if (command === 'import' && subject !== '') {
    if (!existsSync(subject)) throw new KeyError(`There is no file ${subject}.`);
    const { keys: next, added } = await importKeys(keys, readFileSync(subject, 'utf8'), values.kid, now);
    saveKeys(dataDir, next);
    return `Tokens of ${added.join(', ')} are honoured.`;
  }
  throw new UsageError('Say list, rotate, retire KID, rotate-push or import FILE.');
}

const DASHED = /^-[^-]/;

function parseWords(words: readonly string[]) {
  try {
    return parseArgs({
      // Key ids may begin with a dash, and this command has no short options.
      args: [
        ...words.filter((word) => !DASHED.test(word)),
        '--',
        ...words.filter((word) => DASHED.test(word)),
      ],
      allowPositionals: true,
      options: { kid: { type: 'string' }, now: { type: 'boolean', default: false } },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function list({ signing_key, verify_keys }: Keys): string {
  return [line(signing_key, 'signs'), ...verify_keys.map((key) => line(key, 'verifies'))].join('\n');
}

/** Never shows the key itself: a secret would stay in the terminal's history. */
function line(key: StoredKey, use: string): string {
  const since = key.imported_at
    ? `imported ${key.imported_at}`
    : key.rotated_at
      ? `signed until ${key.rotated_at}`
      : '';
  return [key.kid, key.alg, use, since].filter((word) => word !== '').join('  ');
}
