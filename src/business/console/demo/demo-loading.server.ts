import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PROJECT_ROOT } from '../../../kernel/config/project-root.ts';
import {
  COURSE_CREDIT_DESCRIPTION,
  COURSE_VIDEOS_BUCKET,
  CREDIT_DESCRIPTION,
  LIMITS,
  UPLOADS_BUCKET,
} from '../../../kernel/contract/limits.ts';
import type { Catalogue } from '../../../kernel/contract/plans.ts';
import type { Caller } from '../../../kernel/resources/database/caller.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { DEMO_DOMAIN } from '../../../kernel/resources/mailer/mail-check.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import type { Scan } from '../../../platform/storage/content/content-scan.server.ts';
import { checkContent } from '../../../platform/storage/content/upload-content-check.server.ts';
import { objectSegment } from '../../../platform/storage/objects/object-name.contract.ts';
import { storeServerFile } from '../../../platform/storage/uploads/server-file.server.ts';
import { readVideoLength } from '../../courses/video-length.server.ts';
import {
  DEMO_BOOKINGS,
  DEMO_CALLS,
  DEMO_ENQUIRIES,
  DEMO_FILES,
  DEMO_PEOPLE,
  type DemoFile,
  type DemoPerson,
  planOf,
} from './demo-people.server.ts';

/** What adding demo data needs. */
export interface DemoParts {
  readonly resources: Resources;
  readonly scan: Scan;
  /** Starts the analysis of a document that has none yet. */
  analyse(document: { userId: string; fileId: string }): Promise<void>;
}

const SERVER: Caller = { role: 'service_role', userId: undefined, claims: { role: 'service_role' } };
/** Credits of a demo customer without a plan. */
const CREDITS = 5;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Seconds between two lines of a call. */
const LINE_SECONDS = 7;

const ago = (ms: number): Date => new Date(Date.now() - ms);

/** The customers and all that needs no file first, then one file after another. */
export const DEMO_STEPS = 1 + DEMO_FILES.length;

/**
 * One step of the adding. The first one is the transaction of `queries`; the others store a file in a transaction of their
 * own, which a repeated step finds done.
 */
export async function addDemoStep(parts: DemoParts, queries: Queries, step: number): Promise<void> {
  const file = DEMO_FILES[step - 1];
  await (file === undefined ? addRecords(parts.resources, queries) : addFile(parts, queries, file));
}

/** Writes an id before its record, so that no trigger takes the record for a real one. */
const mark = async <Id extends string>(queries: Queries, kind: DemoKind, id: Id): Promise<Id> => {
  await queries.run('insert into private.demo_records (id, kind) values ($1, $2)', [id, kind]);
  return id;
};
type DemoKind = 'customer' | 'provider customer' | 'invoice' | 'enquiry' | 'call' | 'booking' | 'file';

async function addRecords({ settings, site }: Resources, queries: Queries): Promise<void> {
  // Nobody can have taken these addresses before.
  const domain = `${randomUUID().slice(0, 4)}.${DEMO_DOMAIN}`;
  const accounts: Account[] = [];
  for (const person of DEMO_PEOPLE) accounts.push(await addCustomer(queries, site.plans, person, domain));
  const who = (place: number): Account => {
    const account = accounts[place];
    if (account === undefined) throw new Error(`There is no demo person ${place}.`);
    return account;
  };
  for (const [place, enquiry] of DEMO_ENQUIRIES.entries())
    await addEnquiry(queries, enquiry, { ...who(enquiry.person), place });
  for (const call of DEMO_CALLS) await addCall(queries, call, who(call.person));
  for (const { person, days, hour } of DEMO_BOOKINGS) {
    const { name, phone, email } = who(person);
    await queries.run(
      `insert into northline_app.bookings
         (id, starts_at, minutes, name, phone, email, demo, created_at, told_agency, told_calendar)
       values ($1, (date_trunc('day', now() at time zone $2) + make_interval(days => $3, hours => $4)) at time zone $2,
               30, $5, $6, $7, true, now() - interval '7 days', 0, 0)`,
      [await mark(queries, 'booking', randomUUID()), settings.TIME_ZONE, days, hour, name, phone, email],
    );
  }
}

interface Account extends DemoPerson {
  readonly id: string;
  readonly email: string;
}

/**
 * The account of a person, with what belongs to it.
 *
 * @trigger auth.users keep_demo_account
 */
async function addCustomer(
  queries: Queries,
  plans: Catalogue,
  person: DemoPerson,
  domain: string,
): Promise<Account> {
  const id = await mark(queries, 'customer', randomUUID());
  const email = `${person.local}@${domain}`;
  // Without a password and barred for good: nobody signs in.
  await queries.run(
    `insert into auth.users (id, email, raw_user_meta_data, banned_until, created_at)
     values ($1, $2, $3, '9999-12-31', $4)`,
    [
      id,
      email,
      JSON.stringify({ full_name: person.name, company: person.company, notices: { analysis: false } }),
      ago(person.daysAgo * DAY_MS),
    ],
  );
  await addMoney(queries, plans, person, id);
  for (const { body, hoursAgo, fromAgency, read } of person.messages)
    await queries.run(
      `insert into northline_app.messages (user_id, from_agency, body, sent_at, read_at)
       values ($1, $2, $3, $4, case when $5 then $4::timestamptz + interval '1 hour' end)`,
      [id, fromAgency, body, ago(hoursAgo * HOUR_MS), read],
    );
  return { ...person, id, email };
}

/** The plan with its invoices, or credits that nobody paid. No id of it is known to the payment provider. */
async function addMoney(
  queries: Queries,
  plans: Catalogue,
  person: DemoPerson,
  userId: string,
): Promise<void> {
  const plan = planOf(plans, person);
  const provider =
    plan === undefined ? null : await mark(queries, 'provider customer', `cus_demo_${randomUUID()}`);
  const row = await mark(queries, 'provider customer', randomUUID());
  await queries.run(
    'insert into public.customers (id, user_id, customer_id, created_at) values ($1, $2, $3, $4)',
    [row, userId, provider, ago(person.daysAgo * DAY_MS)],
  );
  if (plan === undefined) {
    await queries.run('select private.correct_credits($1, $2, $3)', [row, CREDITS, 'Demo data']);
    return;
  }
  await queries.run('insert into private.payment_customers (customer_id, customer_row) values ($1, $2)', [
    provider,
    row,
  ]);
  const subscription = `sub_demo_${randomUUID()}`;
  const begun = ago((person.payments[0] ?? 0) * DAY_MS);
  const ends = new Date(begun.getTime() + 30 * DAY_MS);
  await queries.run(
    `insert into public.subscriptions (customer_id, subscription_id, price_id, tier, status, current_period_start,
       current_period_end, payment_method_brand, payment_method_last4, created_at)
     values ($1, $2, $3, $4, 'active', $5, $6, 'demo', '0000', $5)`,
    [provider, subscription, plan.priceId, plan.tier, begun, ends],
  );
  for (const daysAgo of person.payments) {
    const invoice = await mark(queries, 'invoice', `in_demo_${randomUUID()}`);
    await queries.run(
      `insert into private.payment_invoices
         (id, customer_id, subscription_id, number, status, total, amount_due, amount_remaining, created_at, currency)
       values ($1, $2, $3, $4, 'paid', $5, $5, 0, $6, $7)`,
      [
        invoice,
        provider,
        subscription,
        `DEMO-${invoice.slice(-4)}`,
        plan.pricePence,
        ago(daysAgo * DAY_MS),
        plan.currency.toLowerCase(),
      ],
    );
    await queries.run('select private.grant_credits($1, $2, $3, $4, $5, $6, $7, $7)', [
      row,
      plan.limits.creditsPerMonth,
      invoice,
      `${plan.name} (demo)`,
      subscription,
      begun,
      ends,
    ]);
  }
}

async function addEnquiry(
  queries: Queries,
  { hoursAgo, type, notes, isCourse = false, answer }: (typeof DEMO_ENQUIRIES)[number],
  { id: userId, name, email, phone, company, place }: Account & { place: number },
): Promise<void> {
  const at = ago(hoursAgo * HOUR_MS);
  const kind = isCourse ? 'COURSE' : 'ENQ';
  const id = await mark(queries, 'enquiry', `${kind}-${at.getTime()}-demo${place}`);
  // Its clock never warns anybody, and its hashes match no visitor's.
  await queries.run(
    `insert into public.enquiries (id, name, email, phone, company_name, enquiry_type, additional_notes, course_description,
       user_id, address_hash, text_hash, created_at, due_at, warned_at, replied_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $1, $1, $10, $10::timestamptz + interval '24 hours', $10,
       case when $11 then $10::timestamptz + interval '3 hours' end)`,
    [
      id,
      name,
      email,
      phone,
      company,
      type,
      isCourse ? null : notes,
      isCourse ? notes : null,
      userId,
      at,
      answer !== undefined,
    ],
  );
  if (answer !== undefined)
    await queries.run(
      'insert into private.enquiry_replies (enquiry_id, body, mailed_at, created_at) values ($1, $2, $3, $3)',
      [id, answer, new Date(at.getTime() + 3 * HOUR_MS)],
    );
}

async function addCall(
  queries: Queries,
  { hoursAgo, summary, success, lines }: (typeof DEMO_CALLS)[number],
  { name, phone }: Account,
): Promise<void> {
  const start = ago(hoursAgo * HOUR_MS);
  const timeOf = (line: number): number => start.getTime() + line * LINE_SECONDS * 1000;
  const messages = lines.map((message, line) => ({
    role: line % 2 === 0 ? 'bot' : 'user',
    message,
    secondsFromStart: line * LINE_SECONDS,
    time: timeOf(line),
    endTime: timeOf(line + 1),
  }));
  const body = {
    type: 'inboundPhoneCall',
    status: 'ended',
    startedAt: start.toISOString(),
    endedAt: new Date(timeOf(lines.length)).toISOString(),
    endedReason: 'customer-ended-call',
    customer: { name, number: phone.replaceAll(' ', '') },
    messages,
    transcript: lines.map((line, at) => `${at % 2 === 0 ? 'AI' : 'User'}: ${line}`).join('\n'),
    analysis: { summary, successEvaluation: String(success) },
    cost: 0,
    costBreakdown: {},
  };
  await queries.run(
    "insert into private.voice_records (id, kind, body, created_at) values ($1, 'call', $2, $3)",
    [await mark(queries, 'call', randomUUID()), JSON.stringify(body), start],
  );
}

/**
 * Stores a file as its owner would, with a credit of the plan, and has our own analyser read a document.
 *
 * @trigger public.user_files record_file
 * @trigger storage.objects store_lesson
 */
async function addFile(parts: DemoParts, queries: Queries, file: DemoFile): Promise<void> {
  const person = DEMO_PEOPLE[file.person];
  const owner = await queries.maybe(
    `select u.id from auth.users u join private.demo_records d on d.id = u.id::text
      where u.raw_user_meta_data ->> 'full_name' = $1`,
    [person?.name ?? ''],
  );
  if (owner === undefined || person === undefined) return;
  if (file.kind === 'lesson') {
    if (planOf(parts.resources.site.plans, person) !== undefined) await storeLesson(parts, owner.id, file);
    return;
  }
  await parts.analyse({ userId: owner.id, fileId: await storeDocument(parts, owner.id, file) });
}

async function storeDocument(parts: DemoParts, userId: string, file: DemoFile): Promise<string> {
  const stored = await parts.resources.database.maybe(
    'select id from public.user_files where user_id = $1 and file_name = $2',
    [userId, file.name],
  );
  let id = stored?.id;
  if (id !== undefined) return id;
  await storeBytes(
    parts,
    { userId, file, bucketId: UPLOADS_BUCKET },
    async (queries, { path: name, mimeType, bytes }) => {
      const record = await queries.one(
        `insert into public.user_files (user_id, file_path, file_name, file_size, mime_type)
       values ($1, $2, $3, $4, $5) returning id`,
        [userId, name, file.name, bytes, mimeType],
      );
      await queries.run('update public.user_files set created_at = $2 where id = $1', [
        record.id,
        ago(file.daysAgo * DAY_MS),
      ]);
      await mark(queries, 'file', record.id);
      id = record.id;
    },
  );
  if (id === undefined) throw new Error('The file of a demo customer has no record.');
  return id;
}

async function storeLesson(parts: DemoParts, userId: string, file: DemoFile): Promise<void> {
  const { database } = parts.resources;
  const stored = await database.maybe('select 1 from northline_app.course_lessons where user_id = $1', [
    userId,
  ]);
  if (stored !== undefined) return;
  const length = await readVideoLength(sourceOf(file));
  if ('fault' in length) throw new Error(`The demo lesson cannot be read: ${length.fault}.`);
  const facts = { durationSeconds: length.seconds };
  await storeBytes(
    parts,
    { userId, file, bucketId: COURSE_VIDEOS_BUCKET, facts },
    async (queries, { id }) => {
      const lesson = await queries.one(
        `update northline_app.course_lessons set told_state = state, created_at = $2 where object_id = $1 returning id, course_id`,
        [id, ago(file.daysAgo * DAY_MS)],
      );
      await queries.run('update northline_app.courses set title = $2 where id = $1', [
        lesson.course_id,
        'Forklift refresher',
      ]);
      await queries.run(
        'insert into northline_app.messages (lesson_id, user_id, from_agency, body) values ($1, $2, false, $3)',
        [lesson.id, userId, 'Please cut the first ten seconds, the sound comes late.'],
      );
    },
  );
}

interface StoredFile {
  readonly userId: string;
  readonly file: DemoFile;
  readonly bucketId: string;
  readonly facts?: Readonly<Record<string, number>>;
}
interface StoredFacts {
  readonly id: string;
  readonly path: string;
  readonly mimeType: string;
  readonly bytes: number;
}

const sourceOf = (file: DemoFile): string => path.join(PROJECT_ROOT, 'src', ...file.path.split('/'));

/** @param also writes what belongs to the file in the transaction of its object */
async function storeBytes(
  { resources, scan }: DemoParts,
  { userId, file, bucketId, facts }: StoredFile,
  also: (queries: Queries, stored: StoredFacts) => Promise<void>,
): Promise<void> {
  const { database } = resources;
  const { used } = await database.asCaller(SERVER, (queries) =>
    queries.one('select public.use_credits($1, $2, $3) as used', [
      userId,
      LIMITS.creditsPerUpload,
      bucketId === UPLOADS_BUCKET ? CREDIT_DESCRIPTION : COURSE_CREDIT_DESCRIPTION,
    ]),
  );
  if (used !== true) throw new Error('A demo customer has no credit left.');
  const check = checkContent(file.name, '');
  const bytes = readFileSync(sourceOf(file));
  const name = `${userId}/${Date.now()}_${objectSegment(file.name)}`;
  await storeServerFile(
    { resources, scan },
    {
      bucketId,
      name,
      declared: bytes.length,
      overhead: 0,
      source: onePiece(bytes),
      check,
      ...(facts && { facts }),
      refused: async () => {
        await database.run('select private.return_reserved_credit($1)', [userId]);
      },
      owner: { role: 'authenticated', userId, claims: {} },
    },
    (queries, id, stored) => also(queries, { id, path: name, mimeType: check.mimeType, bytes: stored }),
  );
}

async function* onePiece(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
