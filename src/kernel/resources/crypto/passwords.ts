import os from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { compare as compareBcrypt } from 'bcryptjs';
import { FairQueue } from '../../concurrency/fair-queue.ts';
import { ServiceError } from '../../contract/service-error.ts';

/**
 * argon2id (2 in the library's numbering) with the OWASP minimum: 19 MiB, 2 passes, parallelism 1
 * (docs/contracts/platform.md §6).
 */
export const ARGON2_COST: PasswordCost = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/**
 * Order of service (docs/security-attacks.md, attack 18): `first` for people who signed in from this address
 * before, `new` for people without a history, `late` for those who have just sent a wrong password.
 */
export type HashPriority = 'first' | 'new' | 'late';
const PRIORITIES = ['first', 'new', 'late'] as const;

/**
 * Hashes that may run and wait in total; further ones are refused with Retry-After, so that sign-ins stay
 * fast.
 */
const MAX_WAITING = 64;
/** How many of these may be for people without a history, because a flood starts with such requests. */
const MAX_UNKNOWN = 56;
/** How many may be for people who have just sent a wrong password. */
const MAX_LATE = 48;
/** Threads of Node's pool, which hashing shares with files, name lookups and signatures. */
const POOL = Number(process.env.UV_THREADPOOL_SIZE) || 4;
/**
 * Hashes running at once: more than the number of cores gains nothing, and one thread stays free for other
 * work.
 */
const AT_WORK = Math.max(1, Math.min(os.availableParallelism(), POOL - 1));
/** How many of these `late` may use, so that a higher priority finds a free one. */
const LATE_AT_WORK = Math.max(1, AT_WORK - 1);

/** What hashing a password costs, as the argon2 library takes it: KiB, passes, parallelism. */
export interface PasswordCost {
  readonly algorithm: 2;
  readonly memoryCost: number;
  readonly timeCost: number;
  readonly parallelism: number;
}

/** The password hashes of a process, with a limit on how many are computed at once. */
export interface Passwords {
  /** The argon2id hash of a password, in PHC string format. */
  hash(password: string): Promise<string>;
  /**
   * Whether the password fits the hash. With `undefined` (no such user) it does the same work and returns
   * false, so that timing reveals nothing (docs/contracts/platform.md §6).
   *
   * @param priority hashes of `first` are computed before those of `new`, and those before `late`
   * @throws ServiceError 503 `over_request_rate_limit` when too many wait
   */
  verify(stored: string | undefined, password: string, priority?: HashPriority): Promise<boolean>;
  /**
   * Whether to hash a password that fits again, because its hash follows an older rule. A password that
   * bcrypt may have cut off keeps its hash, because the rest of it was never checked.
   */
  needsNewHash(stored: string, password: string): boolean;
  /**
   * Requires that one more hash may wait; check it before any other work for the caller.
   *
   * @throws ServiceError 503 `over_request_rate_limit` when too many wait
   */
  requireCapacity(priority: HashPriority): void;
}

/** Opens the queue of hashes. Only tests pass a `cost`; no setting reaches it. */
export function createPasswords(cost: PasswordCost = ARGON2_COST): Passwords {
  const queue = createHashQueue();
  /**
   * The hash of a random password that nobody knows, so that unknown users cost the same work as known ones.
   */
  const unknownUser = hash(crypto.randomUUID(), cost);
  return {
    requireCapacity: queue.requireCapacity,
    hash: (password) => queue.run('first', () => hash(password, cost)),
    verify: (stored, password, priority = 'first') =>
      queue.run(priority, async () => {
        if (stored !== undefined && BCRYPT.test(stored)) return compareBcrypt(password, stored);
        const fits = await verify(stored ?? (await unknownUser), password).catch(() => false);
        return fits && stored !== undefined;
      }),
    needsNewHash(stored, password) {
      if (BCRYPT.test(stored)) return Buffer.byteLength(password) <= BCRYPT_BYTES;
      const { memoryCost, timeCost, parallelism } = cost;
      return !stored.startsWith(`$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`);
    },
  };
}

/** The queue of a process's hashes: see {@link createHashQueue}. */
export interface HashQueue {
  /** See {@link Passwords}. */
  requireCapacity(priority: HashPriority): void;
  /**
   * Does the work when its turn comes. @throws ServiceError 503 `over_request_rate_limit` when too many wait
   */
  run<T>(priority: HashPriority, work: () => Promise<T>): Promise<T>;
}

/** Limits how many hashes run and how many wait, and decides which is next. */
export function createHashQueue(): HashQueue {
  const queue = new FairQueue<HashPriority>({
    places: AT_WORK,
    each: (priority) => (priority === 'late' ? LATE_AT_WORK : AT_WORK),
    priorities: PRIORITIES,
  });

  function requireCapacity(priority: HashPriority): void {
    const late = queue.held('late');
    const unknown = queue.held('new') + late;
    const fits =
      unknown + queue.held('first') < MAX_WAITING &&
      (priority === 'first' || unknown < MAX_UNKNOWN) &&
      (priority !== 'late' || late < MAX_LATE);
    if (fits) return;
    throw new ServiceError(
      503,
      'over_request_rate_limit',
      'Too many sign-ins at once. Please try again in a moment.',
      { headers: { 'retry-after': '1' } },
    );
  }

  return {
    requireCapacity,
    async run<T>(priority: HashPriority, work: () => Promise<T>): Promise<T> {
      requireCapacity(priority);
      return queue.run(priority, work);
    },
  };
}

/** bcrypt in the form of other systems: `$2a$`, `$2b$` or `$2y$`, cost and 53 letters. */
const BCRYPT = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
/** Each step doubles the work; above this, one sign-in would occupy a core for seconds. */
const MOST_BCRYPT_COST = 14;
/** bcrypt ignores everything after this many bytes. */
const BCRYPT_BYTES = 72;
const ARGON2 = /^\$argon2(id|i)\$v=\d+\$m=\d{1,6},t=\d{1,2},p=\d\$[\w+/]+\$[\w+/]+$/;

/** Whether we can verify a hash that another system made: bcrypt up to cost 14, argon2id, argon2i. */
export function isKnownHash(stored: string): boolean {
  const cost = BCRYPT.exec(stored)?.[1];
  return cost === undefined ? ARGON2.test(stored) : Number(cost) >= 4 && Number(cost) <= MOST_BCRYPT_COST;
}
