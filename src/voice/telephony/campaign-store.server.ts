import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { CampaignListQuery, CampaignRequest } from '../records/campaign.contract.ts';

declare module '../../kernel/resources/database/json-columns.ts' {
  interface JsonColumns {
    'private.voice_campaigns.body': CampaignBody;
    'private.voice_campaign_customers.customer': CampaignCustomer;
  }
}

/** What is stored of a campaign besides its customers. */
export type CampaignBody = Omit<CampaignRequest, 'customers'>;
/** Somebody to be called. */
export type CampaignCustomer = CampaignRequest['customers'][number];

/**
 * Why a campaign ended, in the published API's words; `time-over` is an addition of ours: `latestAt` passed
 * with customers left.
 */
export type CampaignEnd =
  | 'campaign.scheduled.ended-by-user'
  | 'campaign.in-progress.ended-by-user'
  | 'campaign.ended.success'
  | 'campaign.ended.time-over';

/** A campaign as the API shows it, with its counters and the last call of each customer. */
export type CampaignRecord = CampaignBody & {
  readonly id: string;
  readonly status: string;
  readonly [field: string]: unknown;
};

/** Runs in the transaction of a change, before it. */
type Within = (queries: Queries) => Promise<void>;

/** The id of a new campaign, and what runs before it is stored. */
interface CampaignMaking {
  readonly id: string;
  readonly within: Within;
}

/** The stored campaigns. */
export interface CampaignStore {
  create(request: CampaignRequest, given?: CampaignMaking): Promise<CampaignRecord>;
  /** @throws ServiceError 404 `not_found` */
  find(id: string): Promise<CampaignRecord>;
  /** One page, without customers and calls. */
  list(query: CampaignListQuery): Promise<{ results: CampaignRecord[]; total: number }>;
  /** @throws ServiceError 404 `not_found`, 409 `campaign_ended` */
  change(id: string, next: (present: CampaignBody) => CampaignBody, within?: Within): Promise<void>;
  /**
   * Ends a campaign: nobody else is called, and calls in progress end by themselves. False where it had ended
   * already.
   */
  end(id: string, reason?: CampaignEnd, within?: Within): Promise<boolean>;
  /** @throws ServiceError 404 `not_found` */
  remove(id: string, within?: Within): Promise<CampaignRecord>;
}

interface Row {
  readonly id: string;
  readonly body: CampaignBody;
  readonly status: string;
  readonly ended_reason: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Opens the store. */
export const openCampaignStore = ({ database }: Pick<Resources, 'database'>, orgId: string): CampaignStore =>
  new DatabaseCampaigns(database, orgId);

class DatabaseCampaigns implements CampaignStore {
  readonly #database: Resources['database'];
  readonly #orgId: string;

  constructor(database: Resources['database'], orgId: string) {
    this.#database = database;
    this.#orgId = orgId;
  }

  async #counters(id: string): Promise<Record<string, number>> {
    const row = await this.#database.one(
      `select count(*) filter (where c.state = 'waiting') as scheduled,
              count(*) filter (where c.state = 'calling' and coalesce(r.body ->> 'status', '') <> 'in-progress') as queued,
              count(*) filter (where c.state = 'calling' and r.body ->> 'status' = 'in-progress') as in_progress,
              count(*) filter (where c.state = 'done' and c.outcome = 'voicemail') as voicemail,
              count(*) filter (where c.state = 'done') as ended,
              count(*) filter (where c.state in ('refused', 'stopped')) as not_called
         from private.voice_campaign_customers c left join private.voice_records r on r.id = c.call_id
        where c.campaign_id = $1`,
      [id],
    );
    return {
      callsCounterScheduled: Number(row.scheduled),
      callsCounterQueued: Number(row.queued),
      callsCounterInProgress: Number(row.in_progress),
      callsCounterEndedVoicemail: Number(row.voicemail),
      callsCounterEnded: Number(row.ended),
      customersNotCalled: Number(row.not_called),
    };
  }
  async find(id: string): Promise<CampaignRecord> {
    const row = found(
      await this.#database.maybe(
        `select id, body, status, ended_reason, created_at, updated_at from private.voice_campaigns where id = $1`,
        [id],
      ),
    );
    const rows = await this.#database.many(
      `select c.customer, c.state, c.attempts, c.call_id, c.outcome, r.body ->> 'status' as status,
              r.body ->> 'endedReason' as ended_reason
         from private.voice_campaign_customers c left join private.voice_records r on r.id = c.call_id
        where c.campaign_id = $1 order by c.position`,
      [id],
    );
    const calls = rows.flatMap(({ call_id, customer, status, ended_reason }) =>
      call_id === null || status === null
        ? []
        : [[call_id, { id: call_id, customer, status, endedReason: ended_reason ?? undefined }] as const],
    );
    const customers = rows.map(({ customer, state, attempts, outcome }) => ({
      ...customer,
      state,
      attempts,
      ...(outcome === null ? {} : { outcome }),
    }));
    return { ...(await this.#shown(row)), customers, calls: Object.fromEntries(calls) };
  }
  async create(
    { customers, ...body }: CampaignRequest,
    { id: given = crypto.randomUUID(), within = async () => {} }: Partial<CampaignMaking> = {},
  ): Promise<CampaignRecord> {
    const id = await this.#database.transaction(async (queries) => {
      await within(queries);
      const made = await queries.one(
        'insert into private.voice_campaigns (id, body) values ($1, $2) returning id',
        [given, JSON.stringify(body)],
      );
      await queries.run(
        `insert into private.voice_campaign_customers (campaign_id, position, customer)
         select $1, at - 1, customer from jsonb_array_elements($2::jsonb) with ordinality as listed (customer, at)`,
        [made.id, JSON.stringify(customers)],
      );
      return made.id;
    });
    return this.find(id);
  }

  async list(query: CampaignListQuery): Promise<{ results: CampaignRecord[]; total: number }> {
    const values = [query.id ?? null, query.status ?? null, ...timesOf(query)];
    const rows = await this.#database.many(
      uncheckedSql<Row>(
        `select id, body, status, ended_reason, created_at, updated_at from private.voice_campaigns
          where ${LISTED} order by created_at ${query.sortOrder}, id ${query.sortOrder} limit $11 offset $12`,
        'composed',
      ),
      [...values, query.limit, (query.page - 1) * query.limit],
    );
    const { count } = await this.#database.one(
      uncheckedSql<{ count: string }>(
        `select count(*) from private.voice_campaigns where ${LISTED}`,
        'composed',
      ),
      values,
    );
    return { results: await Promise.all(rows.map((row) => this.#shown(row))), total: Number(count) };
  }

  async change(
    id: string,
    next: (present: CampaignBody) => CampaignBody,
    within: Within = async () => {},
  ): Promise<void> {
    await this.#database.transaction(async (queries) => {
      await within(queries);
      const row = found(
        await queries.maybe('select body, status from private.voice_campaigns where id = $1 for update', [
          id,
        ]),
      );
      if (row.status === 'ended')
        throw new ServiceError(409, 'campaign_ended', 'This campaign is over; create another one.');
      await queries.run('update private.voice_campaigns set body = $2, updated_at = now() where id = $1', [
        id,
        JSON.stringify(next(row.body)),
      ]);
    });
  }

  end(id: string, reason?: CampaignEnd, within: Within = async () => {}): Promise<boolean> {
    return this.#database.transaction(async (queries) => {
      await within(queries);
      const ended = await queries.run(
        `update private.voice_campaigns set status = 'ended', updated_at = now(),
                ended_reason = coalesce($2, 'campaign.' || status || '.ended-by-user')
          where id = $1 and status <> 'ended'`,
        [id, reason ?? null],
      );
      await queries.run(
        `update private.voice_campaign_customers set state = 'stopped' where campaign_id = $1 and state = 'waiting'`,
        [id],
      );
      return ended > 0;
    });
  }

  async remove(id: string, within: Within = async () => {}): Promise<CampaignRecord> {
    const record = await this.find(id);
    await this.#database.transaction(async (queries) => {
      await within(queries);
      await queries.run('delete from private.voice_campaigns where id = $1', [id]);
    });
    return record;
  }

  async #shown(row: Row): Promise<CampaignRecord> {
    return {
      ...row.body,
      id: row.id,
      orgId: this.#orgId,
      status: row.status,
      ...(row.ended_reason === null ? {} : { endedReason: row.ended_reason }),
      createdAt: row.created_at.toISOString(),
      updatedAt: row.updated_at.toISOString(),
      ...(await this.#counters(row.id)),
    };
  }
}

const LISTED = `($1::uuid is null or id = $1) and ($2::text is null or status = $2)
  and ($3::timestamptz is null or created_at > $3) and ($4::timestamptz is null or created_at < $4)
  and ($5::timestamptz is null or created_at >= $5) and ($6::timestamptz is null or created_at <= $6)
  and ($7::timestamptz is null or updated_at > $7) and ($8::timestamptz is null or updated_at < $8)
  and ($9::timestamptz is null or updated_at >= $9) and ($10::timestamptz is null or updated_at <= $10)`;

const timesOf = (query: CampaignListQuery): (string | null)[] =>
  [
    query.createdAtGt,
    query.createdAtLt,
    query.createdAtGe,
    query.createdAtLe,
    query.updatedAtGt,
    query.updatedAtLt,
    query.updatedAtGe,
    query.updatedAtLe,
  ].map((time) => time ?? null);

function found<R>(row: R | undefined): R {
  if (row === undefined) throw new ServiceError(404, 'not_found', 'There is no such campaign.');
  return row;
}
