import type { Queries } from '../../../kernel/resources/database/database.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { unlinkDeleted } from '../../../platform/storage/storage-sweep.server.ts';

/** The ids of one kind of demo record. */
const OF = (kind: string): string => `(select id from private.demo_records where kind = '${kind}')`;
const CUSTOMERS = OF('customer');
/** Ids of everything that jobs and the change log may name. */
const NAMED = "(select id from private.demo_records where kind <> 'bytes')";

const ACCOUNTS = `delete from auth.users where id::text in ${CUSTOMERS}`;

/** Each is a statement of our own. The ids stay until the bytes are gone, so all of it can be repeated. */
const DELETIONS: readonly string[] = [
  // The events and analyses of the documents are named by jobs, so their ids are kept with the others first.
  `insert into private.demo_records (id, kind)
   select a.id::text, 'file' from private.analyses a where a.user_id::text in ${CUSTOMERS} on conflict do nothing`,
  `insert into private.demo_records (id, kind)
   select o.id::text, 'file' from private.outbox_events o where o.subject_id::text in ${NAMED} on conflict do nothing`,
  `insert into private.demo_records (id, kind)
   select s.version, 'bytes' from storage.objects s where s.owner::text in ${CUSTOMERS} and s.version is not null
   on conflict do nothing`,
  `delete from private.outbox_events where subject_id::text in ${NAMED}`,
  `delete from private.uploads where user_id::text in ${CUSTOMERS}`,
  `delete from public.enquiries where id in ${OF('enquiry')}`,
  `delete from northline_app.bookings where id::text in ${OF('booking')}`,
  `delete from private.voice_records where id::text in ${OF('call')}`,
  `delete from private.payment_invoices where id in ${OF('invoice')}`,
  `delete from public.subscriptions where customer_id in ${OF('provider customer')}`,
  // Before the accounts, so that nothing is ended at the payment provider.
  `delete from private.payment_customers where customer_id in ${OF('provider customer')}`,
  // Also of an account that somebody has deleted already.
  `delete from public.customers where id::text in ${OF('provider customer')}`,
  ACCOUNTS,
  `delete from private.erasures where account::text in ${CUSTOMERS}`,
];

const NAMES_ONE = `exists (
  select from regexp_matches(concat_ws(' ', j.data::text, j.group_id), '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', 'g') as m (id)
   where m.id[1] in ${NAMED})`;
const BYTES = OF('bytes');

/** What jobs and clients that catch up would still find. */
const REMAINS: readonly string[] = [
  `delete from private.job j where j.state <> 'active' and ${NAMES_ONE}`,
  `delete from realtime.changes c where exists (
     select from jsonb_each_text(c.body::jsonb -> 'known' || jsonb_build_object('owner', c.body ->> 'owner')) as part
      where part.value in ${NAMED})`,
  'delete from private.demo_records',
  'delete from private.demo_data',
];

/**
 * One pass of the removal, in the transaction of `queries`: the first one deletes the records, and a later one, when their
 * bytes are gone too, the last traces with the list of ids. A pass that is killed is repeated.
 *
 * @returns whether another pass should follow at once
 * @trigger storage.objects queue_deletion
 */
export async function removeDemoData(resources: Resources, queries: Queries): Promise<boolean> {
  let accounts = 0;
  for (const statement of DELETIONS) {
    const deleted = await queries.run(uncheckedSql(statement, 'composed'));
    if (statement === ACCOUNTS) accounts = deleted;
  }
  // Bytes are deleted only after their rows, which is committed with this pass.
  if (accounts > 0) return true;
  await unlinkDeleted(resources);
  const { waits } = await queries.one(
    uncheckedSql<{ waits: boolean }>(
      `select exists (select from private.object_deletions where version in ${BYTES})
           or exists (select from private.job j where j.state = 'active' and ${NAMES_ONE}) as waits`,
      'composed',
    ),
  );
  if (!waits) for (const statement of REMAINS) await queries.run(uncheckedSql(statement, 'composed'));
  return false;
}
