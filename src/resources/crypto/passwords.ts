import os from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { compare as compareBcrypt } from 'bcryptjs';
import { ServiceError } from '../../contract/service-error.ts';

/** argon2id (2 in the library's numbering) with the OWASP minimum: 19 MiB, 2 passes, 1 lane (contract §6). */
export const ARGON2_COST = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/**
 * Who waits first (security.md, attack 18): `first` are people who got in from where they are before, `new` everybody
 * of whom nothing is known, `late` callers who have just guessed wrong.
 */
export type HashLane = 'first' | 'new' | 'late';
const LANES = ['first', 'new', 'late'] as const;

/** Hashes at work and waiting; beyond it a flood is told to come back, so that others' sign-ins stay quick. */
const MAX_WAITING = 64;
/** Of these people of whom nothing is known get only so many, as a flood begins with such, */
const MAX_UNKNOWN = 56;
/** and a flood of wrong guesses only so many. */
const MAX_LATE = 48;
/** Threads of Node's pool, which hashes share with files, names of hosts and signatures. */
const POOL = Number(process.env.UV_THREADPOOL_SIZE) || 4;
/** Hashes at work: more than the cores gain nothing, and one thread stays free for the rest. */
const AT_WORK = Math.max(1, Math.min(os.availableParallelism(), POOL - 1));
/** Places that late callers may fill, so that the next one in front finds a free one. */
const LATE_AT_WORK = Math.max(1, AT_WORK - 1);
const atWork: Record<HashLane, number> = { first: 0, new: 0, late: 0 };
const queues: Record<HashLane, (() => void)[]> = { first: [], new: [], late: [] };

const held = (lane: HashLane): number => atWork[lane] + queues[lane].length;
const isFree = (lane: HashLane): boolean =>
  atWork.first + atWork.new + atWork.late < AT_WORK && (lane !== 'late' || atWork.late < LATE_AT_WORK);

/**
 * Whether one more hash may wait, to be asked before anything else is done for its caller.
 *
 * @throws ServiceError 503 `over_request_rate_limit` when too many wait
 */
export function requireRoom(lane: HashLane): void {
  const unknown = held('new') + held('late');
  const room =
    unknown + held('first') < MAX_WAITING &&
    (lane === 'first' || unknown < MAX_UNKNOWN) &&
    (lane !== 'late' || held('late') < MAX_LATE);
  if (room) return;
  throw new ServiceError(
    503,
    'over_request_rate_limit',
    'Too many sign-ins at once. Please try again in a moment.',
    { headers: { 'retry-after': '1' } },
  );
}

async function bounded<T>(lane: HashLane, work: () => Promise<T>): Promise<T> {
  requireRoom(lane);
  if (isFree(lane)) atWork[lane] += 1;
  else await new Promise<void>((resolve) => queues[lane].push(resolve));
  try {
    return await work();
  } finally {
    atWork[lane] -= 1;
    admitNext();
  }
}

/** The free place goes to whoever waits in front, lane by lane. */
function admitNext(): void {
  for (const lane of LANES) {
    const next = isFree(lane) ? queues[lane].shift() : undefined;
    if (next === undefined) continue;
    atWork[lane] += 1;
    next();
    return;
  }
}

/** The argon2id hash of a password, in PHC string format. */
export function hashPassword(password: string): Promise<string> {
  return bounded('first', () => hash(password, ARGON2_COST));
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
 *
 * @param lane `new` and `late` let others go first
 * @throws ServiceError 503 `over_request_rate_limit` when too many wait
 */
export function verifyPassword(
  stored: string | undefined,
  password: string,
  lane: HashLane = 'first',
): Promise<boolean> {
  return bounded(lane, async () => {
    if (stored !== undefined && BCRYPT.test(stored)) return compareBcrypt(password, stored);
    const fits = await verify(stored ?? (await nobody), password).catch(() => false);
    return fits && stored !== undefined;
  });
}
