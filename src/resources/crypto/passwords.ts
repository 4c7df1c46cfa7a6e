import os from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { compare as compareBcrypt } from 'bcryptjs';
import { ServiceError } from '../../contract/service-error.ts';

/** argon2id (2 in the library's numbering) with the OWASP minimum: 19 MiB, 2 passes, 1 lane (contract §6). */
export const ARGON2_COST = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Hashes at work and waiting; beyond it a flood is told to come back, so that others' sign-ins stay quick. */
const MAX_WAITING = 64;
let waiting = 0;
/** Threads of Node's pool, which hashes share with files, names of hosts and signatures. */
const POOL = Number(process.env.UV_THREADPOOL_SIZE) || 4;
/** Hashes at work: more than the cores gain nothing, and one thread stays free for the rest. */
const AT_WORK = Math.max(1, Math.min(os.availableParallelism(), POOL - 1));
let atWork = 0;
const queue: (() => void)[] = [];

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
  if (atWork >= AT_WORK) await new Promise<void>((resolve) => queue.push(resolve));
  else atWork += 1;
  try {
    return await work();
  } finally {
    waiting -= 1;
    // The place goes to the next in line, or is given back.
    const next = queue.shift();
    if (next === undefined) atWork -= 1;
    else next();
  }
}

/** The argon2id hash of a password, in PHC string format. */
export function hashPassword(password: string): Promise<string> {
  return bounded(() => hash(password, ARGON2_COST));
}

/** bcrypt as other systems write it: `$2a$`, `$2b$` or `$2y$`, cost and 53 letters. */
const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
/** Each step doubles the work; beyond this one sign-in would hold a core for seconds. */
const MOST_BCRYPT_COST = 14;
/** bcrypt looks at this many bytes only. */
const BCRYPT_BYTES = 72;
const ARGON2 = /^\$argon2(id|i)\$v=\d+\$m=\d{1,6},t=\d{1,2},p=\d\$[\w+/]+\$[\w+/]+$/;

/** Whether a hash made elsewhere can be compared here: bcrypt up to cost 14, argon2id, argon2i. */
export function isKnownHash(stored: string): boolean {
  const cost = BCRYPT.exec(stored)?.[1];
  return cost === undefined ? ARGON2.test(stored) : Number(cost) >= 4 && Number(cost) <= MOST_BCRYPT_COST;
}

/**
 * Whether a password that fits should be hashed anew: it was hashed by another rule than
 * today's. What bcrypt had cut off is not known, so such a password keeps its hash.
 */
export function needsNewHash(stored: string, password: string): boolean {
  if (BCRYPT.test(stored)) return Buffer.byteLength(password) <= BCRYPT_BYTES;
  const { memoryCost, timeCost, parallelism } = ARGON2_COST;
  return !stored.startsWith(`$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`);
}

/** A hash of no password that is ever accepted: unknown users cost the same work as known ones. */
const nobody = hash(crypto.randomUUID(), ARGON2_COST);

/**
 * Whether the password fits the hash. With `undefined` (no such user) it does the
 * same work and answers false, so that timing tells nothing (contract §6).
 */
export function verifyPassword(stored: string | undefined, password: string): Promise<boolean> {
  return bounded(async () => {
    if (stored !== undefined && BCRYPT.test(stored)) return compareBcrypt(password, stored);
    const fits = await verify(stored ?? (await nobody), password).catch(() => false);
    return fits && stored !== undefined;
  });
}
