import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { refusal } from '../call-refusal.server.ts';

/** What was used within 24 hours. */
export interface DailyUse {
  /**
   * Minutes of calls with sound, those in progress included, and of tests, previews and transcripts that cost something.
   */
  readonly minutes: number;
  /** US dollars. */
  readonly spent: number;
}

/** A finished test or preview of an assistant, or a part of a meeting's transcript. */
export interface Trial {
  readonly kind: 'test' | 'preview' | 'transcript';
  readonly minutes: number;
  /** US dollars. */
  readonly cost: number;
  /** The part of the cost that stored credentials paid. */
  readonly costs: readonly { readonly type: string; readonly cost: number; readonly credentialId: string }[];
}

/**
 * The caps `VOICE_DAILY_MINUTES` and `VOICE_DAILY_SPEND`, over calls, tests, previews and transcripts
 * together.
 */
export interface DailyCaps {
  use(): Promise<DailyUse>;
  /** @throws ServiceError 429 `minutes_limit`, `spend_limit` for a call when a cap is reached */
  admitCall(): Promise<void>;
  /** As `admitCall` for a test or preview that costs something, with words for the operator. */
  admitTrial(): Promise<void>;
  /**
   * As `admitCall` for a meeting's transcript that costs something, with words for the person who asks for
   * it.
   */
  admitTranscript(): Promise<void>;
  /** Counts a test, a preview or a part of a transcript; one that cost nothing is not stored. */
  count(trial: Trial): Promise<void>;
}

const NO_MORE_TODAY = 'No more calls can be taken today. Please write to us instead.';
const NO_TRANSCRIPTS = 'No more meetings can be transcribed today.';
const WAIT = 'Tests and previews that cost money have to wait:';
const NO_MINUTES = `${WAIT} the minutes of 24 hours that VOICE_DAILY_MINUTES allows are used.`;
const NO_MONEY = `${WAIT} what VOICE_DAILY_SPEND allows within 24 hours is spent.`;
const RETRY_SECONDS = 3600;

/** Opens the caps of this installation. */
export function openDailyCaps({ settings, database }: Pick<Resources, 'settings' | 'database'>): DailyCaps {
  const admit = async (noMinutes: string, noMoney: string): Promise<void> => {
    const { minutes, spent } = await usedToday(database);
    if (minutes >= settings.VOICE_DAILY_MINUTES) throw refusal('minutes_limit', noMinutes, RETRY_SECONDS);
    if (spent > settings.VOICE_DAILY_SPEND) throw refusal('spend_limit', noMoney, RETRY_SECONDS);
  };
  return {
    use: () => usedToday(database),
    admitCall: () => admit(NO_MORE_TODAY, NO_MORE_TODAY),
    admitTrial: () => admit(NO_MINUTES, NO_MONEY),
    admitTranscript: () => admit(NO_TRANSCRIPTS, NO_TRANSCRIPTS),
    async count({ kind, minutes, cost, costs }) {
      if (cost <= 0) return;
      await database.run(
        'insert into private.voice_trial_costs (kind, minutes, cost, costs) values ($1, $2, $3, $4)',
        [kind, Math.max(0, minutes), cost, JSON.stringify(costs)],
      );
      await database.run("delete from private.voice_trial_costs where at < now() - interval '7 days'");
    },
  };
}

async function usedToday(queries: Pick<Queries, 'one'>): Promise<DailyUse> {
  const { minutes, spent } = await queries.one(
    `select coalesce(sum(used.minutes), 0)::float8 as minutes, coalesce(sum(used.cost), 0)::float8 as spent from (
       select case when body ? 'written' then 0 else extract(epoch from coalesce((body ->> 'endedAt')::timestamptz, now())
                - (body ->> 'startedAt')::timestamptz)::float8 / 60 end as minutes, (body ->> 'cost')::float8 as cost
         from private.voice_records
        where kind = 'call' and created_at > now() - interval '24 hours' and body ? 'startedAt'
       union all
       select minutes, cost from private.voice_trial_costs where at > now() - interval '24 hours') used`,
  );
  return { minutes: Number(minutes), spent: Number(spent) };
}
