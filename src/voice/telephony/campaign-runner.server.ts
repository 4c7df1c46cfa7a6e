import { isOpenAt, readWeeklyHours } from '../../business/bookings/weekly-hours.server.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { EndedReason } from '../calls/conversation/conversation-events.server.ts';
import type { CampaignBody, CampaignCustomer, CampaignStore } from './campaign-store.server.ts';

/** Calls the customers of campaigns. */
export interface CampaignRunner {
  /**
   * One round: takes in the outcomes of calls, makes the calls that are due, and ends campaigns that are
   * over. A round that is requested during another follows it.
   */
  run(): Promise<void>;
}

/** A call of a campaign that is to be made. */
export interface CampaignCall {
  readonly callId: string;
  readonly campaignId: string;
  readonly campaign: CampaignBody;
  readonly customer: CampaignCustomer;
  /** To be called when the call is over. */
  over(): void;
}

/** What the runner needs. */
export interface CampaignParts extends Pick<Resources, 'database' | 'settings'> {
  readonly store: CampaignStore;
  /** How many calls can be made now. */
  freeLines(): number;
  /** Makes a call; its record exists before anything is sent. @throws ServiceError where it is refused */
  call(call: CampaignCall): Promise<unknown>;
  log(line: string): void;
}

/** Reasons that mean that nobody was reached: these customers are called again where the campaign says so. */
const UNREACHED: ReadonlySet<string> = new Set<EndedReason>([
  'customer-busy',
  'customer-did-not-answer',
  'voicemail',
  'call.in-progress.error-sip-outbound-call-failed-to-connect',
  'call.in-progress.error-providerfault-outbound-sip-408-request-timeout',
  'call.in-progress.error-providerfault-outbound-sip-503-service-unavailable',
]);
/** If a marked call has no record after this many seconds, it was never begun: its process has ended. */
const BEGUN_SECONDS = 60;
/** A call that was refused because capacity or caps are used up is tried again after this many seconds. */
const LATER_SECONDS = 60;
const MOST_A_ROUND = 20;

/** Opens the runner of this process. */
export function openCampaignRunner(parts: CampaignParts): CampaignRunner {
  let running: Promise<void> | undefined;
  let again = false;
  const run = async (): Promise<void> => {
    if (running !== undefined) {
      again = true;
      return running;
    }
    running = round(parts, () => void run().catch((error: unknown) => parts.log(String(error)))).finally(
      () => {
        running = undefined;
      },
    );
    await running;
    if (!again) return;
    again = false;
    await run();
  };
  return { run };
}

async function round(parts: CampaignParts, over: () => void): Promise<void> {
  const { database, store } = parts;
  await takeIn(parts);
  const open = await database.many(
    `select id, body, status from private.voice_campaigns
      where status <> 'ended' and coalesce((body #>> '{schedulePlan,earliestAt}')::timestamptz <= now(), true)
      order by created_at`,
  );
  for (const { id, body } of open) {
    const latest = body.schedulePlan?.latestAt;
    const late = latest !== undefined && Date.parse(latest) < Date.now();
    if (!late) await callSome(parts, { id, body }, over);
    const left = await database.one(
      `select count(*) filter (where state = 'calling') as calling, count(*) filter (where state = 'waiting') as waiting
         from private.voice_campaign_customers where campaign_id = $1`,
      [id],
    );
    if (Number(left.calling) > 0) continue;
    if (Number(left.waiting) === 0) await store.end(id, 'campaign.ended.success');
    else if (late) await store.end(id, 'campaign.ended.time-over');
  }
}

/**
 * Takes in the outcomes of calls. A mark is removed where no call was made. A call that may have rung counts,
 * whatever ended it, so that nobody is called once too often.
 */
async function takeIn({ database }: CampaignParts): Promise<void> {
  await database.run(
    `update private.voice_campaign_customers c
        set state = 'waiting', attempts = attempts - 1, call_id = null
      where c.state = 'calling' and c.last_at < now() - make_interval(secs => $1)
        and not exists (select from private.voice_records r where r.id = c.call_id)
        and not exists (select from private.voice_dials d where d.call_id = c.call_id)`,
    [BEGUN_SECONDS],
  );
  // A deleted record still has its entry among the dials.
  await database.run(
    `update private.voice_campaign_customers c set state = 'done', outcome = 'deleted'
      where c.state = 'calling' and not exists (select from private.voice_records r where r.id = c.call_id)
        and exists (select from private.voice_dials d where d.call_id = c.call_id)`,
  );
  await database.run(
    `update private.voice_campaign_customers c
        set outcome = r.body ->> 'endedReason',
            state = case when t.again then case when p.status = 'ended' then 'stopped' else 'waiting' end else 'done' end,
            due_at = case when t.again
              then now() + make_interval(secs => (p.body #>> '{retryPlan,minutesBetween}')::float8 * 60)
              else c.due_at end
       from private.voice_campaigns p, private.voice_records r,
            lateral (select r.body ->> 'endedReason' = any($1::text[])
                        and c.attempts < coalesce((p.body #>> '{retryPlan,attempts}')::int, 1) as again
                       from private.voice_campaign_customers c where c.call_id = r.id) t
      where c.state = 'calling' and r.id = c.call_id and p.id = c.campaign_id and r.body ->> 'status' = 'ended'`,
    [[...UNREACHED]],
  );
}

/** Makes the calls that are due, as many as capacity, pace and hours allow. */
async function callSome(
  parts: CampaignParts,
  { id, body }: { readonly id: string; readonly body: CampaignBody },
  over: () => void,
): Promise<void> {
  const { database, settings, log } = parts;
  const hours = body.hours === undefined ? null : readWeeklyHours(body.hours.open);
  if (hours !== null && !isOpenAt(hours, new Date(), body.hours?.timeZone ?? settings.TIME_ZONE)) return;
  const taken = await database.transaction(async (queries) => {
    // Two processes must not both take the last place.
    const locked = await queries.maybe(
      `select status from private.voice_campaigns where id = $1 and status <> 'ended' for update`,
      [id],
    );
    if (locked === undefined) return [];
    const { calling, lately } = await queries.one(
      `select count(*) filter (where state = 'calling') as calling,
              count(*) filter (where last_at > now() - interval '1 minute') as lately
         from private.voice_campaign_customers where campaign_id = $1`,
      [id],
    );
    const room = Math.min(
      MOST_A_ROUND,
      parts.freeLines(),
      (body.maxConcurrency ?? MOST_A_ROUND) - Number(calling),
      body.callsPerMinute === undefined ? MOST_A_ROUND : body.callsPerMinute - Number(lately),
    );
    if (room <= 0) return [];
    const rows = await queries.many(
      `update private.voice_campaign_customers c
          set state = 'calling', attempts = attempts + 1, last_at = now(), call_id = gen_random_uuid(), outcome = null
        where campaign_id = $1 and position in (
          select position from private.voice_campaign_customers
           where campaign_id = $1 and state = 'waiting' and due_at <= now() order by due_at, position limit $2)
        returning position, customer, call_id`,
      [id, room],
    );
    if (rows.length > 0)
      await queries.run(
        `update private.voice_campaigns set status = 'in-progress', updated_at = now() where id = $1 and status = 'scheduled'`,
        [id],
      );
    return rows;
  });
  for (const { position, customer, call_id: callId } of taken) {
    try {
      await parts.call({ callId: callId ?? '', campaignId: id, campaign: body, customer, over });
    } catch (error) {
      log(`a call of a campaign was refused: ${String(error)}`);
      await refused(parts, { id, position }, error);
      // Its place is free for the next call.
      over();
    }
  }
}

/** Where capacity or caps are used up, the call is tried later; any other refusal is final. */
async function refused(
  { database }: CampaignParts,
  { id, position }: { readonly id: string; readonly position: number },
  error: unknown,
): Promise<void> {
  const { status, code } = error instanceof ServiceError ? error : { status: 500, code: 'call_failed' };
  if (status === 429)
    await database.run(
      `update private.voice_campaign_customers
          set state = 'waiting', attempts = attempts - 1, call_id = null, due_at = now() + make_interval(secs => $3)
        where campaign_id = $1 and position = $2`,
      [id, position, LATER_SECONDS],
    );
  else
    await database.run(
      `update private.voice_campaign_customers set state = 'refused', outcome = $3 where campaign_id = $1 and position = $2`,
      [id, position, code],
    );
}
