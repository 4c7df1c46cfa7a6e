import { createHash, createHmac, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Keys } from '../../../kernel/resources/crypto/keys.ts';
import { derivedSecret, equalSecrets } from '../../../kernel/resources/crypto/secrets.ts';
import type { Database } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { leadingZeroBits, type WorkChallenge, type WorkProof, workText } from './proof-of-work.contract.ts';

const LIFE_MS = 2 * 60 * 60 * 1000;
const BITS = 16;
/**
 * While many enquiries come in, each costs its sender more: the number of enquiries in ten minutes, and the
 * bits from there on.
 */
const BITS_BY_LOAD: readonly [enquiries: number, bits: number][] = [
  [600, 20],
  [60, 18],
];

/** The result of checking a proof. */
export type ProofResult =
  /** `not-asked`: a caller of the phone assistant has no form that could do the work. */
  | { readonly is: 'missing' | 'wrong' | 'not-asked' }
  /** `hash` is that of the challenge; `ageMs` is how long ago the form was opened, by our own clock. */
  | { readonly is: 'good'; readonly hash: string; readonly ageMs: number };

/**
 * The function `enquiry-challenge`: proof of work in place of a captcha (docs/security-attacks.md, attack
 * 38).
 */
export function mountWorkChallenge(http: HttpContext, { database, keys }: Resources): void {
  declareFunction(http, {
    name: 'enquiry-challenge',
    method: 'GET',
    callers: 'anyone',
    body: z.object({}),
    limit: { count: 120, seconds: 60 },
    handle: async (): Promise<WorkChallenge> => issueChallenge(keys, await bitsNow(database)),
  });
}

async function bitsNow(database: Database): Promise<number> {
  const { count } = await database.one(
    "select count(*) from public.enquiries where created_at > now() - interval '10 minutes'",
  );
  return BITS_BY_LOAD.find(([enquiries]) => Number(count) >= enquiries)?.[1] ?? BITS;
}

/** A challenge that needs no storage: time, difficulty, a random value, and our signature over all three. */
export function issueChallenge(keys: Keys, bits: number, now = Date.now()): WorkChallenge {
  const words = `${now}.${bits}.${randomBytes(9).toString('base64url')}`;
  return { challenge: `${words}.${sign(keys, words)}`, bits };
}

/** Checks a proof: our signature, its age, and the work. The enquiries record whether it was used before. */
export function verifyProof(keys: Keys, proof: WorkProof | undefined, now = Date.now()): ProofResult {
  if (proof === undefined) return { is: 'missing' };
  const cut = proof.challenge.lastIndexOf('.');
  const words = proof.challenge.slice(0, Math.max(cut, 0));
  if (!equalSecrets(sign(keys, words), proof.challenge.slice(cut + 1))) return { is: 'wrong' };
  const [issued, bits] = words.split('.').map(Number);
  const ageMs = now - (issued ?? 0);
  const work = createHash('sha256').update(workText(proof)).digest();
  if (ageMs < 0 || ageMs > LIFE_MS || leadingZeroBits(work) < (bits ?? 256)) return { is: 'wrong' };
  return { is: 'good', hash: createHash('sha256').update(words).digest('base64url'), ageMs };
}

function sign(keys: Keys, words: string): string {
  return createHmac('sha256', derivedSecret(keys, 'enquiry challenge')).update(words).digest('base64url');
}
