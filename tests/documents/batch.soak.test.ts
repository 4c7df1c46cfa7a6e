import { readFileSync } from 'node:fs';
import { createClient } from '@supabase/supabase-js';
import { expect, onTestFinished, test } from 'vitest';
import { connectAsOwner } from '../../bench/support/owner-connection.ts';
import type { Report } from '../../packages/document-reader/src/contract/report.contract.ts';
import { makeTabledInvoice } from '../../packages/document-reader/src/samples/make-tabled-invoices.fixture.ts';
import type { AnalysisQueue } from '../../src/business/files/analysis-queue.contract.ts';
import { dataFolder, keysOf, startProduct } from '../support/servers/product-start.ts';

/** A machine that is busy with other work takes fewer. */
const FILES = Number(process.env.BATCH_FILES ?? 300);
/** One file in twenty is a PDF; the others are texts. */
const EVERY_PDF = 20;
const PATIENCE = Number(process.env.TEST_PATIENCE ?? 1);
const WAIT = { timeout: 520_000 * PATIENCE, interval: 2000 };
/** Most memory of the server itself, kB; it needs some 250 MB while it does nothing. */
const MOST_MEMORY = 700_000;

const total = (at: number): string => `${100 + at}.${String(at % 100).padStart(2, '0')}`;
const bill = (at: number): Buffer =>
  Buffer.from(
    `Harbour Lamps Ltd\n12 Quay Street, Bristol\n\nINVOICE\nInvoice number: HL-${1000 + at}\nInvoice date: 3 March 2026\n\nTotal due: GBP ${total(at)}\n`,
  );

test(`a batch of ${FILES} files that are chosen at once ends whole, in order, with a place and a time for each`, {
  timeout: 560_000 * PATIENCE,
}, async () => {
  const data = dataFolder('batch');
  const product = startProduct(data, {}, [process.execPath, 'src/cli/start.ts']);
  const url = await product.url;
  const { anon_key: anonKey } = keysOf(data);
  const owner = await connectAsOwner(data);
  onTestFinished(() => owner.end());
  const client = createClient(url, anonKey, { auth: { persistSession: false, autoRefreshToken: false } });
  const { data: signed } = await client.auth.signUp({
    email: 'ada@customers.example',
    password: 'harbour tulip seventeen',
  });
  const userId = signed.user?.id ?? '';
  await owner.query(
    'insert into public.customers (user_id, credits) values ($1, $2) on conflict (user_id) do update set credits = $2',
    [userId, FILES],
  );
  const call = async (name: string, body: object) => {
    const { data: session } = await client.auth.getSession();
    return fetch(`${url}/functions/v1/${name}`, {
      method: 'POST',
      headers: {
        apikey: anonKey,
        authorization: `Bearer ${session.session?.access_token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
  };

  const ids: string[] = [];
  for (let at = 0; at < FILES; at += 1) {
    const isPdf = at % EVERY_PDF === 0;
    const name = `bill-${at}.${isPdf ? 'pdf' : 'txt'}`;
    const bytes = isPdf ? makeTabledInvoice(700_000 + at, 'en').pdf : bill(at);
    const type = isPdf ? 'application/pdf' : 'text/plain';
    await client.rpc('use_credits', { p_user_id: userId, p_amount: 1, p_description: 'Document Analysis' });
    const path = `${userId}/${at}_${name}`;
    const stored = await client.storage.from('user-uploads').upload(path, bytes, { contentType: type });
    expect(stored.error).toBeNull();
    const { data: row, error } = await client
      .from('user_files')
      .insert({ user_id: userId, file_path: path, file_name: name, file_size: bytes.length, mime_type: type })
      .select('id')
      .single<{ id: string }>();
    expect(error).toBeNull();
    ids.push(row?.id ?? '');
  }

  // As the page does: four at a time, without a pause.
  const waiting = ids.entries();
  const statuses: number[] = [];
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (const [at, id] of waiting) statuses[at] = (await call('analyze', { file_id: id })).status;
    }),
  );
  expect(statuses).toEqual(ids.map(() => 202));

  const looks: AnalysisQueue['documents'][] = [];
  const left = async (): Promise<number> => {
    looks.push(((await (await call('analysis-queue', {})).json()) as AnalysisQueue).documents);
    const { rows } = await owner.query<{ left: number }>(
      "select count(*)::int as left from public.user_files where status not in ('analyzed', 'failed')",
    );
    return rows[0]?.left ?? 0;
  };
  await expect.poll(left, WAIT).toBe(0);

  // Nothing failed, and nothing was read twice.
  const { rows: analyses } = await owner.query<{ file: string; state: string }>(
    'select file_id as file, state from private.analyses order by reading_since',
  );
  expect(analyses.map(({ state }) => state)).toEqual(ids.map(() => 'completed'));
  expect(new Set(analyses.map(({ file }) => file))).toEqual(new Set(ids));
  const { rows: reports } = await owner.query<{ file: string; report: Report }>(
    'select file_id as file, report from northline_app.analysis_reports',
  );
  const factOf = (file: string, key: string): string | undefined =>
    reports.find((each) => each.file === file)?.report.fields.find((field) => field.key === key)?.normalized;
  for (const [at, id] of ids.entries()) {
    if (at % EVERY_PDF === 0) expect(factOf(id, 'total'), `bill-${at}.pdf`).toBeDefined();
    else expect(factOf(id, 'total'), `bill-${at}.txt`).toBe(total(at));
  }

  // The queue is taken in the order in which the files came into it: four stand beside each other at the door.
  const order = new Map(ids.map((id, at) => [id, at]));
  const apart = analyses.map(({ file }, at) => Math.abs((order.get(file) ?? FILES) - at));
  expect(Math.max(...apart)).toBeLessThanOrEqual(8);
  const seen = looks.filter((documents) => documents.some(({ place }) => place !== null));
  expect(seen.length).toBeGreaterThan(1);
  for (const documents of seen) {
    const places = documents.map(({ place }) => place).filter((place) => place !== null);
    expect(places).toEqual(places.map((_, at) => at + 1));
    const seconds = documents.map((each) => each.seconds);
    expect(seconds).toEqual(seconds.toSorted((a, b) => a - b));
  }
  // The estimate moves with what was read: it says less for the last document as the queue becomes shorter.
  const lasts = seen.map((documents) => documents.at(-1)?.seconds ?? 0);
  expect(lasts.at(-1)).toBeLessThan(lasts[0] ?? 0);

  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${product.pid}/status`, 'utf8'))?.[1];
  expect(Number(peak)).toBeLessThan(MOST_MEMORY);
  const { rows: customers } = await owner.query('select credits from public.customers');
  expect(customers).toEqual([{ credits: 0 }]);
});
