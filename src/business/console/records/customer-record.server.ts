import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { isDemoAddress } from '../../../kernel/resources/mailer/mail-check.ts';
import type { CustomerAccount, CustomerPlan } from '../console.contract.ts';
import { declareForOperators, type OperatorScope, type Sent, sent } from '../operator-gate.server.ts';
import {
  type CustomerEvent,
  type CustomerInvoice,
  type CustomerRecord,
  MOST_OF_A_LIST,
} from './customer-record.contract.ts';

const LEDGER_SHOWN = 200;

/** `GET operator-customer?id=`: one customer with everything that a telephone call may be about. */
export function serveCustomerRecord(scope: OperatorScope): void {
  const { database } = scope.resources;
  declareForOperators(scope, {
    name: 'customer',
    method: 'GET',
    heavy: true,
    input: z.object({ id: z.uuid() }),
    async answer(queries, { id }): Promise<CustomerRecord> {
      const account = await readAccount(queries, id);
      const address = (account.customer.email ?? '').toLowerCase();
      const phones = await readPhones(database, id, address);
      const access = await queries.maybe(
        `select max(until) as until from operator.support_access
          where user_id = $1 and ended_at is null and until > now()`,
        [id],
      );
      // The rest is read as the owner: the view above has answered, so the caller is an operator.
      return {
        ...account,
        phones,
        storage: await database.one(
          `select private.storage_used_bytes($1)::float8 as used /* not null */,
                  private.storage_limit_bytes($1)::float8 as limit /* not null */`,
          [id],
        ),
        invoices: await readInvoices(database, id),
        files: (
          await database.many(
            `select id, file_name, file_size::float8 as file_size /* not null */, status, created_at
               from public.user_files where user_id = $1 and deleted_at is null
              order by created_at desc, id limit $2`,
            [id, MOST_OF_A_LIST],
          )
        ).map(sent),
        events: await readEvents(database, { id, address, phones }),
        unread:
          (
            await database.one(
              `select count(*)::integer as unread from northline_app.messages
              where user_id = $1 and not from_agency and read_at is null and lesson_id is null`,
              [id],
            )
          ).unread ?? 0,
        team: await readTeam(database, id),
        mails: (
          await database.many(
            `select id, subject, state, created_at from private.mails where lower(recipient) = $1
              order by created_at desc, id limit $2`,
            [address, MOST_OF_A_LIST],
          )
        ).map(sent),
        support_until: access?.until?.toISOString() ?? null,
        demo: isDemoAddress(address),
      };
    },
  });
}

/** @throws ServiceError 404 `not_found` */
async function readAccount(queries: Queries, id: string): Promise<CustomerAccount> {
  const customer = await queries.maybe(
    `select user_id, email, full_name, created_at, last_sign_in_at, customer_id, credits, plans, files, deletion_due_at
       from operator.customers where user_id = $1`,
    [id],
  );
  if (customer === undefined) throw new ServiceError(404, 'not_found', 'There is no such customer.');
  const override = await queries.maybe(
    'select plan, reason, set_by, created_at, until from operator.plan_overrides where user_id = $1',
    [id],
  );
  // What was given back never counted, so it changes no balance.
  const ledger = await queries.many(
    `select id, amount, kind, description, state, created_at,
            (sum(case when state = 'returned' then 0 else amount end) over (order by created_at, id))::integer as balance /* not null */
       from operator.ledger
      where customer_row = (select customer_row from operator.customers where user_id = $1)
      order by created_at desc, id desc limit $2`,
    [id, LEDGER_SHOWN],
  );
  return {
    customer: sentCustomer(customer),
    override: override === undefined ? null : sent(override),
    ledger: ledger.map(sent),
  };
}

/** A row of `operator.customers`, whose plans are JSON already. */
export const sentCustomer = <Row extends { plans: unknown }>(
  row: Row,
): Omit<Sent<Row>, 'plans'> & { plans: readonly CustomerPlan[] } => ({
  ...sent(row),
  plans: row.plans as readonly CustomerPlan[],
});

/** The account's number, and those that came with its address; each once, however it is written. */
async function readPhones(database: Queries, id: string, address: string): Promise<string[]> {
  const rows = await database.many(
    `select distinct on (private.phone_ending(p.phone)) p.phone /* not null */ from (
       select '+' || u.phone as phone, 0 as rank from auth.users u where u.id = $1
       union all select e.phone, 1 from public.enquiries e where e.user_id = $1 or lower(e.email) = $2
       union all select b.phone, 2 from northline_app.bookings b where lower(b.email) = $2) as p
      where length(private.phone_ending(p.phone)) >= 6
      order by private.phone_ending(p.phone), p.rank limit 10`,
    [id, address],
  );
  return rows.map(({ phone }) => phone);
}

/** The invoices of a customer, the newest first. */
async function readInvoices(database: Queries, id: string): Promise<CustomerInvoice[]> {
  const rows = await database.many(
    `select i.id, i.number, i.status, i.currency, i.total,
            case when i.status = 'paid' then greatest(0, i.total - i.amount_remaining - i.refunded) else 0 end as refundable /* not null */,
            i.refunded, i.created_at
       from private.payment_invoices i
       join private.payment_customers p on p.customer_id = i.customer_id
       join public.customers c on c.id = p.customer_row
      where c.user_id = $1 and i.status <> 'draft'
      order by i.created_at desc, i.id limit $2`,
    [id, MOST_OF_A_LIST],
  );
  return rows.map(sent);
}

interface Person {
  readonly id: string;
  /** In lower case; '' for none. */
  readonly address: string;
  readonly phones: readonly string[];
}

async function readEvents(database: Queries, { id, address, phones }: Person): Promise<CustomerEvent[]> {
  const rows = await database.many(
    `with numbers as (select private.phone_ending(n) as ending from unnest($3::text[]) as n)
     select kind /* not null */, id /* not null */, title /* not null */, about /* not null */, at /* not null */ from (
       select 'call' as kind, r.id::text, coalesce(r.body #>> '{customer,number}', 'Web call') as title,
              coalesce(r.body #>> '{analysis,summary}', '') as about, r.created_at::timestamptz as at
         from private.voice_records r
        where r.kind = 'call' and private.phone_ending(r.body #>> '{customer,number}') in (select ending from numbers)
       union all
       select 'booking', b.id::text, b.minutes || ' minutes', case b.state when 'cancelled' then 'Cancelled' else b.phone end, b.starts_at
         from northline_app.bookings b
        where lower(b.email) = $2 or private.phone_ending(b.phone) in (select ending from numbers)
       union all
       select 'enquiry', e.id, e.enquiry_type, left(coalesce(e.additional_notes, e.course_description, ''), 160), e.created_at
         from public.enquiries e where e.user_id = $1 or lower(e.email) = $2
       union all
       select 'message', m.user_id::text, case when m.from_agency then 'From us' else 'From the customer' end, left(m.body, 160), m.sent_at
         from northline_app.messages m where m.user_id = $1 and m.lesson_id is null
       union all
       select 'lesson', l.id::text, l.title, l.state, l.created_at from northline_app.course_lessons l where l.user_id = $1) as happened
      order by at desc, id limit $4`,
    [id, address, phones, MOST_OF_A_LIST],
  );
  return rows.map((row) => ({ ...sent(row), kind: row.kind as CustomerEvent['kind'] }));
}

async function readTeam(database: Queries, id: string): Promise<CustomerRecord['team']> {
  const members = await database.many(
    `select t.name, m.user_id, u.email, m.role
       from northline_app.team_members own
       join northline_app.teams t on t.id = own.team_id
       join northline_app.team_members m on m.team_id = t.id
       join auth.users u on u.id = m.user_id
      where own.user_id = $1 order by m.joined_at, m.user_id limit $2`,
    [id, MOST_OF_A_LIST],
  );
  const [first] = members;
  return first === undefined
    ? null
    : { name: first.name, members: members.map(({ user_id, email, role }) => ({ user_id, email, role })) };
}
