import { hash, verify } from '@node-rs/argon2';
import { ServiceError } from '../../contract/service-error.ts';

/** argon2id (2 in the library's numbering) with the OWASP minimum: 19 MiB, 2 passes, 1 lane (contract §6). */
const COST = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Hashes at work and waiting; beyond it a flood is told to come back, so that others' sign-ins stay quick. */
const MAX_WAITING = 64;
let waiting = 0;

async function bounded<T>(work: () => Promise<T>): Promise<T> {
  if (waiting >= MAX_WAITING) {
    throw new ServiceError(
      503,
      'over_request_rate_limit',
      'Too many sign-ins at once. Please try again in a moment.',
      {
        headers: { 'retry-after': '1' },
      },
    );
  }
  waiting += 1;
  try {
    return await work();
  } finally {
    waiting -= 1;
  }
}

/** The argon2id hash of a password, in PHC string format. */
export function hashPassword(password: string): Promise<string> {
  return bounded(() => hash(password, COST));
}

/** A hash of no password that is ever accepted: unknown users cost the same work as known ones. */
const nobody = hash(crypto.randomUUID(), COST);

/**
 * Whether the password fits the hash. With `undefined` (no such user) it does the
 * same work and answers false, so that timing tells nothing (contract §6).
 */
export function verifyPassword(stored: string | undefined, password: string): Promise<boolean> {
  return bounded(async () => {
    const fits = await verify(stored ?? (await nobody), password).catch(() => false);
    return fits && stored !== undefined;
  });
}
