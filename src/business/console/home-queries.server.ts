import { z } from 'zod';
import { isLoopback, type Settings } from '../../kernel/config/settings.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import { HOME_STEPS, type HomeDay, type HomePage, type HomeStep } from './home.contract.ts';
import { declareForOperators, type OperatorScope, sent } from './operator-gate.server.ts';

const DAYS = 14;
const MOST_BOOKINGS = 6;
/** The invented entries of the home page's map; an agency that has replaced them shows its own. */
const SAMPLES = ['first', 'second', 'third', 'fourth'].flatMap((nth) => [
  `map.${nth}.sample`,
  `map.${nth}.result`,
]);

/**
 * `GET operator-home`: the next bookings, what happened this week and the week before, and the checklist of a new
 * installation. The days and the checklist are read as the owner, after the database has confirmed that the caller is an
 * operator.
 */
export function serveHome(scope: OperatorScope): void {
  const { database, settings } = scope.resources;
  declareForOperators(scope, {
    name: 'home',
    method: 'GET',
    input: z.object({}),
    async answer(queries): Promise<HomePage> {
      const zone = settings.TIME_ZONE;
      const bookings = await queries.many(
        `select id /* not null */, starts_at /* not null */, name /* not null */, phone /* not null */
           from operator.bookings
          where state = 'booked' and starts_at + make_interval(mins => minutes) > now()
            and starts_at < (date_trunc('day', now() at time zone $1) + interval '2 days') at time zone $1
          order by starts_at limit $2`,
        [zone, MOST_BOOKINGS],
      );
      const { factor } = await queries.one('select operator.has_second_factor() as factor');
      return {
        bookings: bookings.map(sent),
        days: await readDays(database, zone),
        steps: await checkSteps(database, settings, factor === true),
      };
    },
  });
}

async function readDays(database: Queries, zone: string): Promise<HomePage['days']> {
  const days = await database.many(
    // Each table is read once, from the first of the days on.
    `with span as (
       select (now() at time zone $1)::date - ($2::integer - 1) as first, (now() at time zone $1)::date as last),
     events as (
       select created_at, currency, total - amount_remaining - refunded as paid, 0 as customers, 0 as documents, 0 as calls
         from private.payment_invoices where status <> 'void'
       union all select created_at, null, 0, 1, 0, 0 from auth.users where not is_anonymous
       union all select created_at, null, 0, 0, 1, 0 from public.user_files
       union all select created_at, null, 0, 0, 0, 1 from private.voice_records where kind = 'call')
     select to_char(d.day, 'YYYY-MM-DD') as day /* not null */,
            coalesce(jsonb_object_agg(e.currency, e.paid) filter (where e.currency is not null), '{}') as paid /* not null */,
            coalesce(sum(e.customers), 0)::integer as customers /* not null */,
            coalesce(sum(e.documents), 0)::integer as documents /* not null */,
            coalesce(sum(e.calls), 0)::integer as calls /* not null */
       from span cross join lateral generate_series(span.first, span.last, interval '1 day') as d (day)
       left join (
         select date_trunc('day', e.created_at at time zone $1) as day, e.currency, sum(e.paid) as paid,
                sum(e.customers) as customers, sum(e.documents) as documents, sum(e.calls) as calls
           from events e, span
          where e.created_at >= span.first::timestamp at time zone $1 group by 1, 2) as e on e.day = d.day
      group by d.day order by d.day`,
    [zone, DAYS],
  );
  return days.map((day) => ({ ...day, paid: day.paid as HomeDay['paid'] }));
}

async function checkSteps(
  database: Queries,
  settings: Settings,
  hasFactor: boolean,
): Promise<readonly HomeStep[]> {
  const seen = await database.one(
    `select exists (select from private.site_versions where content #>> '{brand,name}' is not null) as brand /* not null */,
            coalesce((select content ? 'plans' from private.site_versions order by id desc limit 1), false) as plans /* not null */,
            coalesce((select content ? 'legal' from private.site_versions order by id desc limit 1), false) as legal /* not null */,
            coalesce((select content -> 'texts' ?& $1::text[] from private.site_versions order by id desc limit 1), false) as sample /* not null */,
            exists (select from private.mails where state = 'sent') as mailed /* not null */,
            exists (select from private.backups where error is null and finished_at > now() - interval '3 days') as backed_up /* not null */,
            exists (select from private.voice_records where kind = 'call' and body ? 'endedAt' and not private.is_demo(id::text)) as called /* not null */,
            (select count(*) > 1 from auth.users
              where private.operator_role_of(raw_app_meta_data) is not null and deleted_at is null) as colleague /* not null */`,
    [SAMPLES],
  );
  const site = URL.parse(settings.SITE_URL);
  const done: Record<HomeStep['id'], boolean> = {
    factor: hasFactor,
    brand: seen.brand,
    plans: seen.plans,
    sample: seen.sample,
    legal: seen.legal,
    address: site !== null && site.protocol === 'https:' && !isLoopback(site.hostname),
    mail: settings.SMTP_URL !== '' && seen.mailed,
    payments: settings.STRIPE_SECRET_KEY !== '',
    backup: seen.backed_up,
    call: seen.called,
    colleague: seen.colleague,
  };
  return HOME_STEPS.map((id) => ({ id, done: done[id] }));
}
