import { createHash } from 'node:crypto';
import { createClient } from '@supabase/supabase-js';
import type pg from 'pg';
import { UPLOADS_BUCKET } from '../../src/kernel/contract/limits.ts';
import { SPECIFIED_PLANS } from '../../src/kernel/contract/plans.ts';
import type { Acknowledged } from './customer.ts';

const ALLOWANCE = SPECIFIED_PLANS[0]?.limits.creditsPerMonth ?? 0;

/**
 * Every sentence about the books that is untrue after the kills; the list should be empty. Run it when no
 * work is under way any more.
 */
export async function checkBooks(
  owner: pg.Client,
  url: string,
  serviceKey: string,
  customers: readonly Acknowledged[],
): Promise<string[]> {
  const faults: string[] = [];
  const expectNone = async (what: string, sql: string): Promise<void> => {
    const { rows } = await owner.query(sql);
    if (rows.length > 0) faults.push(`${what}: ${rows.length}, e.g. ${JSON.stringify(rows[0])}`);
  };
  await expectNone(
    'customers whose balance is not the sum of their ledger',
    `select c.id, c.credits, coalesce(sum(t.amount) filter (where t.state <> 'returned'), 0) as ledger
     from public.customers c left join public.credit_transactions t on t.customer_row = c.id
     group by c.id having c.credits <> coalesce(sum(t.amount) filter (where t.state <> 'returned'), 0)`,
  );
  await expectNone(
    'spends that are neither settled nor returned',
    "select id, state from public.credit_transactions where kind = 'spend' and state not in ('settled', 'returned')",
  );
  await expectNone(
    'objects without a record',
    `select o.name from storage.objects o where o.bucket_id = '${UPLOADS_BUCKET}'
     and not exists (select 1 from public.user_files f where f.file_path = o.name)`,
  );
  await expectNone(
    'records without an object',
    `select f.file_path from public.user_files f
     where not exists (select 1 from storage.objects o where o.bucket_id = '${UPLOADS_BUCKET}' and o.name = f.file_path)`,
  );
  await expectNone(
    'records without exactly one paid credit',
    `select f.file_path, count(t.id) from public.user_files f
     left join public.credit_transactions t on t.file_id = f.id and t.kind = 'spend' and t.state = 'settled'
     group by f.id having count(t.id) <> 1`,
  );
  await expectNone(
    'invoices granted twice',
    `select invoice_id, count(*) from public.credit_transactions where kind = 'grant' group by invoice_id having count(*) > 1`,
  );
  await expectNone(
    'files that say analyzed without exactly one report, or the reverse',
    `select f.file_path, f.status, count(r.*) from public.user_files f
     left join northline_app.analysis_reports r on r.file_id = f.id
     group by f.id having (f.status = 'analyzed') <> (count(r.*) = 1) or count(r.*) > 1`,
  );
  await expectNone(
    'analyses that hang',
    "select file_path, status from public.user_files where status in ('queued', 'analyzing')",
  );
  const storage = createClient(url, serviceKey, { auth: { persistSession: false } }).storage.from(
    UPLOADS_BUCKET,
  );
  for (const customer of customers) {
    faults.push(...(await faultsOfGrants(owner, customer)));
    faults.push(...(await faultsOfFiles(owner, storage, customer)));
  }
  return faults;
}

/** Every payment granted its credits, and none more than once. */
async function faultsOfGrants(owner: pg.Client, { userId, payments }: Acknowledged): Promise<string[]> {
  const granted = await owner.query(
    `select coalesce(sum(t.amount), 0)::int as credits from public.credit_transactions t
     join public.customers c on c.id = t.customer_row where c.user_id = $1 and t.kind = 'grant'`,
    [userId],
  );
  const credits = Number(granted.rows[0]?.credits);
  if (credits >= payments * ALLOWANCE && credits % ALLOWANCE === 0) return [];
  return [`${userId} paid ${payments} times and was granted ${credits} credits`];
}

type Bucket = ReturnType<ReturnType<typeof createClient>['storage']['from']>;

/** Acknowledged files exist byte for byte, deleted ones are gone, and analysed ones have finished. */
async function faultsOfFiles(owner: pg.Client, storage: Bucket, customer: Acknowledged): Promise<string[]> {
  const { rows } = await owner.query<{ file_path: string; status: string }>(
    'select file_path, status from public.user_files where user_id = $1',
    [customer.userId],
  );
  const status = new Map(rows.map((row) => [row.file_path, row.status]));
  const faults = [
    ...[...customer.deleted]
      .filter((file) => status.has(file))
      .map((file) => `the deleted file ${file} is there`),
    ...[...customer.analyses]
      .filter((file) => status.get(file) !== 'analyzed')
      .map((file) => `the analysis of ${file} ended as ${status.get(file)}`),
  ];
  for (const [file, sha256] of customer.files) {
    if (!status.has(file)) {
      faults.push(`the acknowledged file ${file} has no record`);
      continue;
    }
    const { data, error } = await storage.download(file);
    const bytes = data === null ? '' : Buffer.from(await data.arrayBuffer());
    if (createHash('sha256').update(bytes).digest('hex') !== sha256) {
      faults.push(`the bytes of ${file} differ or are gone (${error?.message ?? 'wrong hash'})`);
    }
  }
  return faults;
}
