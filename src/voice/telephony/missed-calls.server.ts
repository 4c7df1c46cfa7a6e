import { createHmac } from 'node:crypto';
import { textNumber } from '../../business/bookings/booking-identity.server.ts';
import { BOOK_PATH } from '../../kernel/contract/routes.ts';
import { derivedSecret } from '../../kernel/resources/crypto/secrets.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import { languageOfAddress, languageOfNumber } from '../../kernel/resources/mailer/mail-language.ts';
import { openTemplates } from '../../kernel/resources/mailer/mail-templates.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { DoNotCallList } from '../calls/record/do-not-call.server.ts';
import { isEmergencyNumber } from '../records/emergency-numbers.contract.ts';

/**
 * Notified when a call was missed.
 * @trigger private.missed_calls notify_waiting
 */
const WAITING = 'missed_calls';
/** Seconds between two rounds, in case a notification was lost. */
const LOOK_SECONDS = 20;
const SWEEP_SECONDS = 3600;
const AT_ONCE = 20;
/** Messages in 24 hours to all callers together: numbers can be forged, and texts cost money. */
const DAILY_MESSAGES = 100;
const TEXT = 'call.missed-text';
const TEXT_POLICY = { retries: 5, retryDelaySeconds: 15, timeoutSeconds: 60, concurrency: 1 };

const MISSED_MAILS = openTemplates('voice/telephony/mails', {
  missed: ['href', 'unsubscribe'],
  'sms-missed': ['href'],
} as const);

type Parts = Pick<
  Resources,
  'database' | 'jobs' | 'mailer' | 'sms' | 'settings' | 'site' | 'siteUrl' | 'keys'
>;
type Outcome = 'text' | 'mail' | 'not wanted' | 'no way' | 'told before';

interface MissedCall {
  readonly callId: string;
  readonly number: string;
  readonly email: string | null;
  /** What the call's assistant says about missed calls (`missedCallPlan`). */
  readonly plan: { readonly enabled?: unknown; readonly outboundEnabled?: unknown };
  readonly isOutbound: boolean;
}

/**
 * Tells people whose call nobody answered, or broke off, how to book one: by text message, otherwise by mail.
 * A trigger keeps such a call in the transaction that ends it, so no crash loses one. Call it before
 * `jobs.start`.
 *
 * @trigger private.voice_records note_missed
 * @trigger private.voice_records note_missed_new
 */
export function followMissedCalls(parts: Parts, doNotCall: DoNotCallList): void {
  const { jobs, database, sms } = parts;
  jobs.every('missed calls', LOOK_SECONDS, () => tellMissedCallers(parts, doNotCall), WAITING);
  jobs.every('old missed calls', SWEEP_SECONDS, async () => {
    await database.run("delete from private.missed_calls where created_at < now() - interval '2 days'");
  });
  jobs.define<{ callId: string }>(TEXT, TEXT_POLICY, async ({ data }) => {
    const row = await database.maybe(
      "select number from private.missed_calls where call_id = $1 and outcome = 'text'",
      [data.callId],
    );
    const to = row?.number ? textNumber(parts.settings, row.number) : null;
    if (to === null) return;
    const language = await languageOfNumber(database, to);
    const text = MISSED_MAILS.line(parts, language, 'sms-missed', { href: linkOf(parts) });
    await sms.send({ to, channel: 'sms', text });
    await database.run('update private.missed_calls set number = null where call_id = $1', [data.callId]);
  });
}

const linkOf = ({ siteUrl }: Parts): string => `${siteUrl}${BOOK_PATH}`;

/** Runs one round. A message and its mark are written in one transaction, so each caller is told once. */
export async function tellMissedCallers(parts: Parts, doNotCall: DoNotCallList): Promise<void> {
  await parts.database.transaction(async (queries) => {
    // One round at a time in all processes: two calls of one caller would otherwise be told twice.
    await queries.run("select pg_advisory_xact_lock(hashtextextended('private.missed_calls', 0))");
    const rows = await queries.many(
      `select m.call_id, m.number, m.email, r.body ->> 'type' = 'outboundPhoneCall' as goes_out /* not null */,
              coalesce(r.body #> '{assistantOverrides,missedCallPlan}', r.body #> '{assistant,missedCallPlan}',
                       a.body -> 'missedCallPlan', '{}') as plan /* not null */
         from private.missed_calls m join private.voice_records r on r.id = m.call_id
         left join private.voice_records a on a.kind = 'assistant' and a.id::text = r.body ->> 'assistantId'
        where m.outcome is null order by m.created_at limit $1`,
      [AT_ONCE],
    );
    for (const { call_id: callId, number, email, goes_out: isOutbound, plan } of rows) {
      const caller = callerOf(parts, number ?? '');
      const call = { callId, number: number ?? '', email, isOutbound, plan: plan as MissedCall['plan'] };
      const outcome = await follow(parts, { queries, caller, doNotCall }, call);
      await queries.run(
        `update private.missed_calls set outcome = $2, caller = $3, email = null,
                number = case when $2 = 'text' then number end where call_id = $1`,
        [callId, outcome, caller],
      );
    }
  });
}

const callerOf = ({ keys }: Parts, number: string): Buffer =>
  createHmac('sha256', derivedSecret(keys, 'missed calls')).update(number.replace(/\D/g, '')).digest();

async function follow(
  parts: Parts,
  { queries, caller, doNotCall }: { queries: Queries; caller: Buffer; doNotCall: DoNotCallList },
  call: MissedCall,
): Promise<Outcome> {
  const { settings, mailer, jobs } = parts;
  const { number, callId } = call;
  if (!settings.MISSED_CALL_FOLLOW_UP || !isWanted(call)) return 'not wanted';
  if (await isStopped(queries, { number, callId }, doNotCall)) return 'not wanted';
  const { same, all } = await queries.one(
    `select count(*) filter (where caller = $1) as same, count(*) as all from private.missed_calls
      where outcome in ('text', 'mail') and created_at > now() - interval '24 hours'`,
    [caller],
  );
  if (Number(same) > 0) return 'told before';
  if (Number(all) >= DAILY_MESSAGES || isEmergencyNumber(number)) return 'no way';
  if (textNumber(settings, number) !== null) {
    await jobs.add(queries, TEXT, { callId });
    return 'text';
  }
  const email = call.email ?? (await addressOf(queries, number));
  if (email === null) return 'no way';
  const language = await languageOfAddress(queries, email);
  await mailer.send(queries, {
    to: email,
    replyTo: settings.CONTACT_EMAIL,
    purpose: 'optional',
    ...MISSED_MAILS.mail(parts, language, 'missed', {
      href: linkOf(parts),
      unsubscribe: mailer.unsubscribeLink(email),
    }),
  });
  return 'mail';
}

/** Calls that come in are followed up unless the assistant's plan says no; calls that go out, only if it says yes. */
function isWanted({ plan, isOutbound }: MissedCall): boolean {
  return isOutbound ? plan.outboundEnabled === true : plan.enabled !== false;
}

/** Whether the caller wants no calls, has booked meanwhile, or is a number of the agency's own. */
async function isStopped(
  queries: Queries,
  { number, callId }: { number: string; callId: string },
  doNotCall: DoNotCallList,
): Promise<boolean> {
  if ((await doNotCall.find({ number }, queries)) !== undefined) return true;
  const { stopped } = await queries.one(
    `select exists (select from northline_app.bookings b where b.call_id = $1 and b.state = 'booked')
         or exists (select from private.voice_records n where n.kind = 'phone-number' and n.body ->> 'number' = $2)
         as stopped /* not null */`,
    [callId, number],
  );
  return stopped;
}

/** The proven address of the account that has verified the number; null without one. */
async function addressOf(queries: Queries, number: string): Promise<string | null> {
  const row = await queries.maybe(
    `select email from auth.users where phone = $1 and phone_confirmed_at is not null
        and email_proven_at is not null and deleted_at is null`,
    [number.replace(/\D/g, '')],
  );
  return row?.email ?? null;
}
