import { createHmac, randomUUID } from 'node:crypto';
import type { NameAddress } from '@northline/sip/sip-addresses';
import { derivedSecret } from '../../../kernel/resources/crypto/secrets.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { plainNumber } from './phone-parts.server.ts';

/** How an incoming call is treated; `id` is for `leave`. */
export type CallerVerdict =
  | { readonly kind: 'taken'; readonly id: string }
  /** As many calls of that number are in progress as may be. */
  | { readonly kind: 'busy' }
  /**
   * The number has called as often within an hour as it may: the caller is told once, and declined after
   * that.
   */
  | { readonly kind: 'told' }
  | { readonly kind: 'declined' };

/** Counts the calls of each calling number, in all processes together. */
export interface CallerLedger {
  enter(caller: string): Promise<CallerVerdict>;
  /** The call has ended. Never rejects. */
  leave(id: string): Promise<void>;
  /** Renews the sign of life of this process's calls; called every few seconds. */
  renew(): Promise<void>;
  /** Deletes what no longer counts. */
  sweep(): Promise<void>;
}

/** All callers who withhold their number count as one. */
const WITHHELD = 'withheld';
const WITHHELD_USER = /^(|anonymous|unknown|unavailable|restricted|private|withheld)$/i;
/** Seconds without a sign of life after which a call is given up. */
const LOST_SECONDS = 30;

/** Who calls, as far as a call says: a number, an address, or `withheld`. Displayed names are ignored. */
export function callerOf({ uri }: Pick<NameAddress, 'uri'>): string {
  // Parameters are not part of a number.
  const user = uri?.user.split(';')[0] ?? '';
  if (uri === undefined || WITHHELD_USER.test(user) || uri.host === 'anonymous.invalid') return WITHHELD;
  const number = plainNumber(user);
  return /^\+\d+$/.test(number) ? number : `${user}@${uri.host}`.toLowerCase();
}

/** Opens the ledger; the caps are SIP_CALLS_FROM_ONE and SIP_HOURLY_CALLS_FROM_ONE. */
export function openCallerLedger({
  database,
  settings,
  keys,
  log,
}: Pick<Resources, 'database' | 'settings' | 'keys' | 'log'>): CallerLedger {
  const key = derivedSecret(keys, 'voice callers');
  const { RATE_LIMITS, SIP_CALLS_FROM_ONE: mostAtOnce, SIP_HOURLY_CALLS_FROM_ONE: mostInHour } = settings;
  const here = new Set<string>();
  return {
    async enter(caller) {
      const id = randomUUID();
      const digest = createHmac('sha256', key).update(caller).digest();
      const verdict = await database.transaction(async (queries): Promise<CallerVerdict> => {
        // Calls of one caller are counted one after another, whichever processes they come to.
        await queries.run(`select pg_advisory_xact_lock(hashtextextended(encode($1::bytea, 'hex'), 0))`, [
          digest,
        ]);
        const { at_once, in_hour, told } = await queries.one(
          `select count(*) filter (where not told and ended_at is null
                                     and seen_at > now() - make_interval(secs => $2)) as at_once,
                  count(*) filter (where not told and at > now() - interval '1 hour') as in_hour,
                  count(*) filter (where told and at > now() - interval '1 hour') as told
             from private.voice_callers where caller = $1`,
          [digest, LOST_SECONDS],
        );
        const tooMany = RATE_LIMITS && Number(in_hour) >= mostInHour;
        if (RATE_LIMITS && Number(at_once) >= mostAtOnce) return { kind: 'busy' };
        if (tooMany && Number(told) > 0) return { kind: 'declined' };
        await queries.run('insert into private.voice_callers (id, caller, told) values ($1, $2, $3)', [
          id,
          digest,
          tooMany,
        ]);
        return tooMany ? { kind: 'told' } : { kind: 'taken', id };
      });
      if (verdict.kind === 'taken') here.add(id);
      return verdict;
    },
    async leave(id) {
      here.delete(id);
      await database
        .run('update private.voice_callers set ended_at = now() where id = $1', [id])
        // The call is given up by itself once its sign of life is no longer renewed.
        .catch((error: unknown) => log.warn({ err: error }, 'the end of a call was not counted'));
    },
    async renew() {
      if (here.size === 0) return;
      await database.run('update private.voice_callers set seen_at = now() where id = any($1::uuid[])', [
        [...here],
      ]);
    },
    async sweep() {
      await database.run(
        `delete from private.voice_callers where at < now() - interval '2 hours'
            and (ended_at is not null or seen_at < now() - interval '1 hour')`,
      );
    },
  };
}
