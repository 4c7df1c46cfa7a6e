import { createHmac } from 'node:crypto';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { derivedSecret } from '../../../kernel/resources/crypto/secrets.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';

/** A call that is about to be made. */
export interface Dial {
  readonly callId: string;
  /** The number or address that is called. */
  readonly destination: string;
  /** The trunk's id, or `loopback`. */
  readonly trunk: string;
}

/** Counts outgoing calls against the daily caps. */
export interface DialLedger {
  /**
   * Enters a call. @throws ServiceError 429 `daily_call_limit` when one of the caps is reached; nothing is
   * entered then
   */
  reserve(dial: Dial): Promise<void>;
  /** Deletes what no longer counts. */
  sweep(): Promise<void>;
}

/** Opens the ledger; the caps are the settings SIP_DAILY_CALLS…. */
export function openDialLedger({
  database,
  settings,
  keys,
}: Pick<Resources, 'database' | 'settings' | 'keys'>): DialLedger {
  const key = derivedSecret(keys, 'voice dials');
  return {
    async reserve({ callId, destination, trunk }) {
      const digest = createHmac('sha256', key).update(destination).digest('base64url');
      await database.transaction(async (queries) => {
        // Two calls at the same moment must not both be the last one.
        await queries.run("select pg_advisory_xact_lock(hashtextextended('voice dials', 0))");
        const counted = await queries.one(
          `select count(*) as all_calls, count(*) filter (where destination = $1) as to_one,
                  count(*) filter (where trunk = $2) as of_trunk
             from private.voice_dials where at > now() - interval '24 hours'`,
          [digest, trunk],
        );
        refuseBeyond(counted.all_calls, settings.SIP_DAILY_CALLS, 'SIP_DAILY_CALLS');
        refuseBeyond(counted.to_one, settings.SIP_DAILY_CALLS_TO_ONE, 'SIP_DAILY_CALLS_TO_ONE');
        if (trunk !== 'loopback')
          refuseBeyond(counted.of_trunk, settings.SIP_DAILY_CALLS_OF_TRUNK, 'SIP_DAILY_CALLS_OF_TRUNK');
        await queries.run(
          'insert into private.voice_dials (call_id, destination, trunk) values ($1, $2, $3)',
          [callId, digest, trunk],
        );
      });
    },
    async sweep() {
      await database.run("delete from private.voice_dials where at < now() - interval '48 hours'");
    },
  };
}

function refuseBeyond(count: unknown, most: number, setting: string): void {
  if (Number(count) < most) return;
  throw new ServiceError(
    429,
    'daily_call_limit',
    `No more telephone calls go out today: ${setting} allows ${most} within 24 hours.`,
    { headers: { 'retry-after': '3600' } },
  );
}
