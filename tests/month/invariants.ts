import type { BillingOverview } from '../../src/business/billing/subscription/billing-management.contract.ts';
import { subscriptionsOf } from '../../src/business/billing/subscription/billing-read.web.ts';
import { type Allowances, isHeld } from '../../src/business/billing/subscription/subscription-read.web.ts';
import { faultsOf } from '../histories/check-history.ts';
import { bookingFaults, threadFaults } from './agency-steps.ts';
import { recordOf } from './billing-steps.ts';
import { shownTo, teamFaults } from './team-steps.ts';
import { ask, type Month, type Person, say } from './world.ts';

/** What the server enforces for a person, read from the database. */
interface Enforced {
  readonly customer: string | null;
  readonly credits: number;
  readonly limit: number;
  readonly used: number;
}

/** What is wrong now about these people, a sentence each: nothing may be after any step of a month. */
export async function faultsNow(month: Month, whom: readonly number[]): Promise<string[]> {
  const now = await month.payments.now();
  const faults = await Promise.all([
    ...whom.map((at) => faultsAbout(month, month.people[at] as Person, now)),
    remains(month),
    linkFaults(month),
  ]);
  return faults.flat();
}

async function faultsAbout(month: Month, who: Person, now: number): Promise<string[]> {
  const enforced = await enforcedFor(month, who);
  const { database, site } = month.app.resources;
  const books =
    enforced.customer === null
      ? []
      : await faultsOf({
          ...{ name: who.name, user: who.id, customer: enforced.customer },
          ...{ world: { database }, turn: { now }, plans: site.plans },
        });
  // After the books, as what they let lapse has lapsed for the pages too.
  const faults = await Promise.all([
    pageFaults(month, who),
    rightFaults(month, who),
    teamFaults(month, who),
    threadFaults(month, who),
    bookingFaults(month, who),
  ]);
  return [...books, ...faults.flat().map((fault) => `${who.name}: ${fault}`)];
}

function enforcedFor({ app }: Month, { id }: Person): Promise<Enforced> {
  return app.resources.database.one(
    `select (select customer_id from public.customers where user_id = $1) as customer,
              coalesce((select credits from public.customers where user_id = $1), 0) as credits /* not null */,
              private.storage_limit_bytes($1)::float8 as limit /* not null */, private.storage_used_bytes($1)::float8 as used /* not null */`,
    [id],
  );
}

/** What the pages of a person and the console say, compared with what the server enforces. */
async function pageFaults(month: Month, who: Person): Promise<string[]> {
  const own = who.client.schema('northline_app');
  const [enforced, overview, allowed, files, lessons, account, record] = await Promise.all([
    enforcedFor(month, who),
    ask<BillingOverview>(who, 'billing-overview', {}),
    own.rpc('account_allowances'),
    who.client.from('user_files').select('id, file_size').eq('user_id', who.id).is('deleted_at', null),
    own.from('course_lessons').select('file_size').eq('user_id', who.id),
    who.client.from('customers').select('credits').maybeSingle(),
    recordOf(month, who),
  ]);
  const allowances = allowed.data as Allowances;
  const sizes = [...(files.data ?? []), ...(lessons.data ?? [])].map(({ file_size: size }) => Number(size));
  const sum = sizes.reduce((total, size) => total + size, allowances.picture_bytes);
  const billed = subscriptionsOf(overview);
  const plans = billed.map(({ plan, subscription }) => [plan.price_id, subscription.status]);
  const left = billed[0]?.plan.line === 'courses' ? enforced.credits : overview.usage.left;
  return differences([
    ['credits on the Billing tab', left, enforced.credits],
    ['credits on the Files tab', account.data?.credits ?? 0, enforced.credits],
    ['credits at the console', record.customer.credits, enforced.credits],
    ['balance of the ledger', record.ledger[0]?.balance ?? 0, enforced.credits],
    ['storage limit on the Files tab', allowances.storage_limit_bytes, enforced.limit],
    ['storage limit at the console', record.storage.limit, enforced.limit],
    ['storage in use on the Files tab', sum, enforced.used],
    ['storage in use at the console', record.storage.used, enforced.used],
    ['files', ids(files.data), [...who.files].sort()],
    ['files at the console', record.customer.files, who.files.size],
    [
      'plans on the Billing tab',
      heldOf(plans),
      heldOf(allowances.plans.map((one) => [one.price_id, one.subscription_status])),
    ],
    [
      'plans at the console',
      heldOf(record.customer.plans.map((one) => [one.price_id, one.status])),
      heldOf(plans),
    ],
  ]);
}

const ids = (rows: readonly { id: string }[] | null): string[] => (rows ?? []).map(({ id }) => id).sort();

const heldOf = (plans: readonly (readonly (string | null)[])[]): string[] =>
  plans
    .filter(([, status]) => isHeld(status ?? null))
    .map((plan) => plan.join(' '))
    .sort();

/** Each comparison: what is compared, what is shown, what it should be. */
function differences(
  compared: readonly (readonly [what: string, shown: unknown, wanted: unknown])[],
): string[] {
  return compared
    .map(([what, shown, wanted]) => [what, JSON.stringify(shown), JSON.stringify(wanted)])
    .filter(([, shown, wanted]) => shown !== wanted)
    .map(([what, shown, wanted]) => `${what}: ${shown} in place of ${wanted}`);
}

/** Rows of other people that a person can read, besides what their team is shown. */
async function rightFaults(month: Month, who: Person): Promise<string[]> {
  const { client, id } = who;
  const own = client.schema('northline_app');
  const read = await Promise.all([
    client.from('user_files').select('user_id, file:id'),
    own.from('analysis_reports').select('user_id, file:file_id'),
    own.from('analysis_corrections').select('user_id, file:file_id'),
    own.from('analysis_shares').select('user_id'),
    own.from('messages').select('user_id'),
    client.from('customers').select('user_id'),
  ]);
  const names = ['files', 'reports', 'corrections', 'links', 'messages', 'customers'];
  const shown = shownTo(month, who);
  const seen = others(read[0].data, id);
  const faults = seen.sort().join() === shown.sort().join() ? [] : [`shown are ${seen}, not ${shown}`];
  for (const [at, name] of names.entries()) {
    const { data, error } = read[at] as { data: Owned[] | null; error: Error | null };
    const foreign = others(data, id).filter((file) => !shown.includes(file));
    if (error !== null) faults.push(`${name} cannot be read: ${error.message}`);
    if (foreign.length > 0) faults.push(`${foreign.length} ${name} of others can be read`);
  }
  return faults;
}

interface Owned {
  readonly user_id: string;
  readonly file?: string;
}

const others = (rows: readonly Owned[] | null, id: string): string[] =>
  (rows ?? []).filter((row) => row.user_id !== id).map((row) => row.file ?? '');

/** What points at something that is gone, or is left of it. Every step has ended, so nothing is under way. */
async function remains({ app, people }: Month): Promise<string[]> {
  const rows = await app.resources.database.many(
    `select 'a file without its object' as what /* not null */, f.id::text as id /* not null */ from public.user_files f
        where f.user_id = any ($1) and not exists (
          select from storage.objects o where o.bucket_id = 'user-uploads' and o.name = f.file_path)
       union all select 'an object without its record', o.name from storage.objects o
        where o.owner = any ($1) and o.bucket_id = 'user-uploads'
          and not exists (select from public.user_files f where f.file_path = o.name)
       union all select 'a state that the reports do not agree with', f.id::text from public.user_files f
        where f.user_id = any ($1) and (f.status = 'analyzed') <> exists (
          select from northline_app.analysis_reports r where r.file_id = f.id)
       union all select 'a credit that is under way', t.id::text from public.credit_transactions t
        where t.user_id = any ($1) and t.state in ('reserved', 'claimed', 'stored')`,
    [people.map(({ id }) => id)],
  );
  return rows.map(({ what, id }) => `${what}: ${id}`);
}

/** Links show what their owner sees until they are withdrawn, and nothing afterwards. */
async function linkFaults({ links, deadLinks, people }: Month): Promise<string[]> {
  const visitor = people[0] as Person;
  const shown = (token: string) => say<object>(visitor, 'read-shared-report', { token }, ['share_ended']);
  const live = await Promise.all(links.map(({ token }) => shown(token)));
  const dead = await Promise.all(deadLinks.map(shown));
  return [
    ...live.filter((report) => report === undefined).map(() => 'a link shows nothing'),
    ...dead.filter((report) => report !== undefined).map(() => 'a link shows a report that was withdrawn'),
  ];
}
