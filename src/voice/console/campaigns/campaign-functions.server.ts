import { z } from 'zod';
import {
  containing,
  declareDeletion,
  declareForOperators,
  declareOperatorWork,
  type OperatorScope,
  pageOf,
  SEARCH,
  signAsOperator,
} from '../../../business/console/operator-gate.server.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { campaignSchema, changeCampaignSchema } from '../../records/campaign.contract.ts';
import type { VoiceRecords } from '../../records/voice-records.server.ts';
import { parseVoice } from '../../records/voice-scope.server.ts';
import type { CampaignBody, CampaignCustomer } from '../../telephony/campaign-store.server.ts';
import type { PhoneService } from '../../telephony/phone/phone-service.server.ts';
import { CAMPAIGN_DRAFT, draftOf, peopleIn, withDraft } from './campaign-draft.server.ts';
import {
  CAMPAIGN_LIMITS,
  type CampaignDetail,
  type CampaignPerson,
  type CampaignStatus,
  type CampaignsPage,
  type ConsoleCampaign,
} from './campaigns.contract.ts';

const PER_PAGE = 50;
const PEOPLE_SHOWN = 100;
const CHOICES = 200;
const BODY_LIMIT = 512 * 1024;

/** What campaigns at the console use. */
export interface CampaignWork {
  readonly records: VoiceRecords;
  readonly phone: Pick<PhoneService, 'campaigns'>;
}

/** Campaigns at the console: list, one, save, stop and delete. */
export function serveCampaigns(scope: OperatorScope, work: CampaignWork): void {
  serveReading(scope);
  serveSaving(scope, work);
  const { store } = work.phone.campaigns;
  declareOperatorWork(scope, {
    name: 'end-campaign',
    input: z.object({ id: z.uuid() }),
    async work(caller, { id }) {
      const { status } = await store.find(id);
      if (status === 'ended') throw new ServiceError(409, 'campaign_ended', 'This campaign is over.');
      await store.end(id, undefined, (queries) =>
        signAsOperator(queries, caller, { action: 'campaign.end', subject: id }),
      );
      return { done: true };
    },
  });
  declareDeletion(scope, 'campaign', (id, within) => store.remove(id, within));
}

function serveReading(scope: OperatorScope): void {
  declareForOperators(scope, {
    name: 'campaigns',
    method: 'GET',
    input: z.object({ q: SEARCH, after: z.uuid().or(z.literal('')).default('') }),
    async answer(queries, { q, after }): Promise<CampaignsPage> {
      const rows = await queries.many(
        `select id /* not null */, body /* not null */, status /* not null */, ended_reason, created_at /* not null */,
                customers, waiting, calling, done, not_called
           from operator.campaigns
          where ($1 = '' or concat_ws(' ', id, body ->> 'name') ilike $2)
            and ($3 = '' or (created_at, id) < (select created_at, id from operator.campaigns where id::text = $3))
          order by created_at desc, id desc limit $4`,
        [q, containing(q), after, PER_PAGE + 1],
      );
      return pageOf(rows, PER_PAGE, shown, ({ id }) => id);
    },
  });
  declareForOperators(scope, {
    name: 'campaign',
    method: 'GET',
    input: z.object({ id: z.uuid().or(z.literal('')).default('') }),
    async answer(queries, { id }): Promise<CampaignDetail> {
      const choices = await choicesFor(queries);
      if (id === '') return { campaign: null, draft: null, people: [], ...choices };
      const row = await queries.maybe(
        `select id /* not null */, body /* not null */, status /* not null */, ended_reason, created_at /* not null */,
                customers, waiting, calling, done, not_called
           from operator.campaigns where id = $1`,
        [id],
      );
      if (row === undefined) throw new ServiceError(404, 'not_found', 'There is no such campaign.');
      const draft = draftOf(row.body as CampaignBody);
      return { campaign: shown(row), draft, people: await peopleOf(queries, id), ...choices };
    },
  });
}

interface Row {
  readonly id: string;
  readonly body: unknown;
  readonly status: string;
  readonly ended_reason: string | null;
  readonly created_at: Date;
  readonly customers: unknown;
  readonly waiting: unknown;
  readonly calling: unknown;
  readonly done: unknown;
  readonly not_called: unknown;
}

const shown = ({ id, body, status, ended_reason, created_at: at, ...counts }: Row): ConsoleCampaign => ({
  ...{ id, name: (body as CampaignBody).name, status: status as CampaignStatus, ended_reason },
  ...{ created_at: at.toISOString(), customers: Number(counts.customers), waiting: Number(counts.waiting) },
  ...{ calling: Number(counts.calling), done: Number(counts.done), not_called: Number(counts.not_called) },
});

async function peopleOf(queries: Queries, id: string): Promise<CampaignPerson[]> {
  const rows = await queries.many(
    `select position /* not null */, customer /* not null */, state /* not null */, attempts /* not null */, outcome,
            call_id
       from operator.campaign_customers where campaign_id = $1
      order by state = 'calling' desc, position limit $2`,
    [id, PEOPLE_SHOWN],
  );
  return rows.map(({ customer, state, ...row }) => {
    const { number, sipUri, name } = customer as CampaignCustomer;
    return {
      ...{ ...row, address: number ?? sipUri ?? '', name: name ?? null },
      state: state as CampaignPerson['state'],
    };
  });
}

async function choicesFor(queries: Queries): Promise<Pick<CampaignDetail, 'assistants' | 'numbers'>> {
  const assistants = await queries.many(
    `select id /* not null */, body ->> 'name' as name from operator.assistants order by created_at desc, id limit $1`,
    [CHOICES],
  );
  const numbers = await queries.many(
    'select id /* not null */, number, name from operator.phone_numbers order by created_at desc, id limit $1',
    [CHOICES],
  );
  return {
    assistants: assistants.map(({ id, name }) => ({ id, name: name ?? id.slice(0, 8) })),
    numbers: numbers.map(({ id, number, name }) => ({
      ...{ id, name: [number, name].filter((part) => part !== null).join(', ') || id.slice(0, 8) },
    })),
  };
}

function serveSaving(scope: OperatorScope, { records, phone: { campaigns } }: CampaignWork): void {
  const { log } = scope.resources;
  const { store, run } = campaigns;
  declareOperatorWork(scope, {
    name: 'save-campaign',
    input: z.object({
      id: z.uuid().nullable(),
      draft: CAMPAIGN_DRAFT,
      people: z.string().max(CAMPAIGN_LIMITS.list).default(''),
    }),
    bodyLimit: BODY_LIMIT,
    async work(caller, { id, draft, people }) {
      await records.mustExist('assistant', [draft.assistantId], 'assistantId');
      await records.mustExist('phone-number', [draft.phoneNumberId || undefined], 'phoneNumberId');
      let saved = id;
      if (saved === null) {
        const request = parseVoice(campaignSchema, { ...withDraft({}, draft), customers: peopleIn(people) });
        const subject = crypto.randomUUID();
        saved = subject;
        await store.create(request, {
          id: subject,
          within: (queries) => signAsOperator(queries, caller, { action: 'campaign.create', subject }),
        });
      } else {
        const change = (present: CampaignBody): CampaignBody => {
          if (draftOf(present) === null)
            throw new ServiceError(409, 'not_edited', 'The platform’s API changes a campaign of a squad.');
          return parseVoice(changeCampaignSchema, withDraft(present, draft)) as CampaignBody;
        };
        await store.change(saved, change, (queries) =>
          signAsOperator(queries, caller, { action: 'campaign.save', subject: String(id) }),
        );
      }
      // The request is answered before the first telephone rings.
      void run().catch((error: unknown) => log.error({ err: error }, 'campaigns could not be run'));
      return { id: saved };
    },
  });
}
