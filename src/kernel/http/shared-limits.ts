import { createHmac } from 'node:crypto';
import { derivedSecret } from '../resources/crypto/secrets.ts';
import type { Queries } from '../resources/database/database.ts';
import type { Resources } from '../resources/resources.ts';
import type { RateLimit } from './rate-limit.ts';

/** Token buckets that all processes on one database share (decision 0380). */
export interface SharedLimits {
  /**
   * Takes a token of `limit` for `subject`, in the transaction `within` if given. Returns 0 when one was
   * left, else the seconds until the next.
   *
   * @throws ServiceError 503 `database_unavailable`
   */
  take(limit: RateLimit, subject: string, within?: Queries): Promise<number>;
}

const SWEEP_SECONDS = 300;
const DIGEST_BYTES = 16;

/**
 * Opens the limits in the database; a sweep removes full buckets every few minutes.
 *
 * A bucket is one row with the time at which it will be full again. Each token moves that time by `seconds /
 * count`. No token is left when the time lies further ahead than all tokens but one take to come back (the
 * generic cell rate algorithm). The clock is the database's.
 */
export function openSharedLimits({
  database,
  keys,
  jobs,
}: Pick<Resources, 'database' | 'keys' | 'jobs'>): SharedLimits {
  const key = derivedSecret(keys, 'rate limits');
  const digest = (subject: string): Buffer =>
    createHmac('sha256', key).update(subject).digest().subarray(0, DIGEST_BYTES);
  jobs.every('full rate limits', SWEEP_SECONDS, async () => {
    await database.run('delete from private.rate_limits where full_at < clock_timestamp()');
  });
  return {
    async take(limit, subject, within = database) {
      const step = limit.seconds / limit.count;
      const whole = (limit.burst ?? limit.count) * step;
      const bucket = [limit.name, digest(subject)] as const;
      // A time further ahead than this limit allows was written before the clock was set back or under a
      // larger limit.
      const taken = await within.run(
        `insert into private.rate_limits as l (name, subject, full_at)
         values ($1, $2, clock_timestamp() + make_interval(secs => $3))
         on conflict (name, subject) do update
           set full_at = case when l.full_at between clock_timestamp() and clock_timestamp() + make_interval(secs => $5)
                              then l.full_at else clock_timestamp() end + make_interval(secs => $3)
         where l.full_at <= clock_timestamp() + make_interval(secs => $4)
            or l.full_at > clock_timestamp() + make_interval(secs => $5)`,
        [...bucket, step, whole - step, whole],
      );
      if (taken > 0) return 0;
      const row = await within.maybe(
        `select extract(epoch from full_at - clock_timestamp()) as until_full
           from private.rate_limits where name = $1 and subject = $2`,
        [...bucket],
      );
      return Math.max(Number.EPSILON, Number(row?.until_full ?? whole) - (whole - step));
    },
  };
}
