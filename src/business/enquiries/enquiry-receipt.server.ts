import { createHmac, randomInt } from 'node:crypto';
import { declareFunction, type FunctionCall } from '../../kernel/functions/function-declaration.server.ts';
import { addressKey } from '../../kernel/http/client-address.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import { derivedSecret } from '../../kernel/resources/crypto/secrets.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import { ENQUIRY_TARGET } from '../../kernel/resources/outbound-http/webhook-targets.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { ENQUIRY_LENGTHS, type EnquiryReceipt, REPLY_HOURS } from './enquiry.contract.ts';
import { COURSE_INQUIRY_RULES, enquiryRules } from './enquiry-check.server.ts';
import { COURSE_EVENT, defineEnquiryEvents, ENQUIRY_EVENT } from './enquiry-delivery.server.ts';
import { type Enquiry, mailToAgency, mailToVisitor } from './enquiry-mails.server.ts';
import { sendEnquiryReplies } from './enquiry-replies.server.ts';
import { isSerious, reasonsToSuspect } from './enquiry-suspicion.server.ts';
import type { WorkProof } from './proof-of-work/proof-of-work.contract.ts';
import { mountWorkChallenge, verifyProof } from './proof-of-work/proof-of-work.server.ts';
import { watchReplyClock } from './reply-reminder.server.ts';

/** An address that sends more is a program; below this, even a suspicious enquiry is accepted. */
const LIMIT = { count: 60, seconds: 600, burst: 30 };
/** Mails to the agency about suspicious enquiries in an hour; further ones are only stored. */
const MOST_SUSPECT_MAILS = 20;
/**
 * Acknowledgements to one mailbox in a day, so that nobody can send many of them to somebody else's address.
 */
const MOST_ACKNOWLEDGEMENTS = 3;

/** An enquiry before it has an id and a time, with what the page reported about the sender. */
type Words = Omit<Enquiry, 'id' | 'timestamp' | 'user_id'>;
interface Traces {
  readonly nickname: string;
  readonly elapsed_ms?: number | undefined;
  readonly proof?: WorkProof | undefined;
  /** True where no form of this site was filled in, so that no proof of work was asked for. */
  readonly spoken?: true;
}

/** What was sent, and by whom. */
interface Received extends Pick<FunctionCall<unknown>, 'caller' | 'address'> {
  readonly prefix: 'ENQ' | 'COURSE';
  readonly words: Words;
  readonly traces: Traces;
}

/**
 * The functions `enquiry` and `course-inquiry`: they store the enquiry and its mails in one transaction, then
 * deliver it.
 */
export function mountEnquiries(http: HttpContext, resources: Resources): void {
  defineEnquiryEvents(resources);
  watchReplyClock(resources);
  sendEnquiryReplies(resources);
  mountWorkChallenge(http, resources);
  declareFunction(http, {
    name: 'enquiry',
    callers: 'anyone',
    body: enquiryRules(resources.site),
    limit: LIMIT,
    handle: ({ body: { nickname, elapsed_ms, proof, ...words }, ...call }) =>
      receive(resources, {
        prefix: 'ENQ',
        words: { ...words, course_description: null },
        traces: { nickname, elapsed_ms, proof },
        ...call,
      }),
  });
  declareFunction(http, {
    name: 'course-inquiry',
    callers: 'anyone',
    body: COURSE_INQUIRY_RULES,
    limit: LIMIT,
    handle: ({ body: { nickname, elapsed_ms, proof, ...words }, ...call }) =>
      receive(resources, {
        prefix: 'COURSE',
        words: { ...words, phone: null, additional_notes: null, enquiry_type: 'Course Launcher' },
        traces: { nickname, elapsed_ms, proof },
        ...call,
      }),
  });
}

/**
 * Stores and delivers an enquiry that somebody gave an assistant, by word or on another site, like one from the form.
 *
 * @param words without an e-mail address if the caller has none; then with a phone number
 * @param origin what limits count it by: a form's network address, or the call; and a field that only programs fill in
 */
export function receiveSpokenEnquiry(
  resources: Resources,
  words: { name: string; email: string | null; phone: string | null; service: string; notes: string },
  { address, nickname = '' }: { readonly address: string; readonly nickname?: string },
): Promise<EnquiryReceipt> {
  const { name, email, phone, service, notes } = words;
  return receive(resources, {
    prefix: 'ENQ',
    words: {
      name: name.slice(0, ENQUIRY_LENGTHS.name),
      email: email ?? '',
      phone,
      enquiry_type: service,
      company_name: null,
      website: null,
      course_description: null,
      additional_notes: notes.slice(0, ENQUIRY_LENGTHS.additional_notes),
    },
    traces: { nickname, spoken: true },
    caller: { role: 'anon', userId: undefined, claims: {} },
    address,
  });
}

async function receive(
  resources: Resources,
  { prefix, words, traces, caller, address }: Received,
): Promise<EnquiryReceipt> {
  const { database, mailer, outbox, settings, keys } = resources;
  const secret = derivedSecret(keys, 'enquiries');
  const hash = (text: string) => createHmac('sha256', secret).update(text).digest('base64url');
  const now = new Date();
  const id = `${prefix}-${now.getTime()}-${randomPart()}`;
  const enquiry: Enquiry = { ...words, id, user_id: caller.userId ?? null, timestamp: now.toISOString() };
  const text = words.additional_notes ?? words.course_description ?? '';
  const addressHash = hash(`address ${addressKey(address)}`);
  const textHash = hash(`text ${words.email.toLowerCase()} ${text.toLowerCase()}`);
  const work = traces.spoken ? ({ is: 'not-asked' } as const) : verifyProof(keys, traces.proof);
  await database.transaction(async (queries) => {
    const reasons = await reasonsToSuspect(queries, {
      nickname: traces.nickname,
      elapsedMs: traces.elapsed_ms,
      text,
      addressHash,
      textHash,
      work,
    });
    const proofHash = work.is === 'good' ? work.hash : null;
    const eventSubject = await store(queries, enquiry, { reasons, addressHash, textHash, proofHash });
    if (reasons.length > 0 && (await tooManySuspects(queries))) return;
    const serious = isSerious(reasons);
    if (!serious && enquiry.email !== '' && (await mayAcknowledge(queries, enquiry.email))) {
      await mailer.send(queries, await mailToVisitor(resources, queries, enquiry));
    }
    if (!serious && settings.ENQUIRY_WEBHOOK_URL !== '') {
      await outbox.add(
        queries,
        prefix === 'ENQ' ? ENQUIRY_EVENT : COURSE_EVENT,
        eventSubject,
        ENQUIRY_TARGET,
      );
    } else await mailer.send(queries, mailToAgency(resources, enquiry, reasons));
  });
  return { id };
}

/**
 * @trigger public.enquiries announce
 */
async function store(
  queries: Queries,
  enquiry: Enquiry,
  marks: { reasons: readonly string[]; addressHash: string; textHash: string; proofHash: string | null },
): Promise<string> {
  const row = await queries.one(
    `insert into public.enquiries (id, name, email, phone, company_name, website, enquiry_type, additional_notes,
       course_description, user_id, suspect_reasons, address_hash, text_hash, proof_hash,
       created_at, due_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $15::timestamptz + $16::interval)
     returning event_subject`,
    [
      enquiry.id,
      enquiry.name,
      enquiry.email,
      enquiry.phone,
      enquiry.company_name,
      enquiry.website,
      enquiry.enquiry_type,
      enquiry.additional_notes,
      enquiry.course_description,
      enquiry.user_id,
      marks.reasons,
      marks.addressHash,
      marks.textHash,
      marks.proofHash,
      enquiry.timestamp,
      `${REPLY_HOURS} hours`,
    ],
  );
  return row.event_subject;
}

async function tooManySuspects(queries: Queries): Promise<boolean> {
  const { count } = await queries.one(
    `select count(*) from public.enquiries
     where suspect_reasons <> '{}' and created_at > now() - interval '1 hour'`,
  );
  return Number(count) > MOST_SUSPECT_MAILS;
}

/** Whether a mailbox may get another acknowledgement today; `name+tag@` is the mailbox of `name@`. */
async function mayAcknowledge(queries: Queries, email: string): Promise<boolean> {
  const mailbox = email.toLowerCase().replace(/\+[^@]*@/, '@');
  // One at a time for each mailbox, so that simultaneous enquiries are counted too.
  await queries.run("select pg_advisory_xact_lock(hashtextextended('acknowledge ' || $1::text, 0))", [
    mailbox,
  ]);
  const { count } = await queries.one(
    `select count(*) from private.mails where purpose = 'optional' and created_at > now() - interval '1 day'
       and regexp_replace(lower(recipient), '\\+[^@]*@', '@') = $1`,
    [mailbox],
  );
  return Number(count) < MOST_ACKNOWLEDGEMENTS;
}

/** Nine characters that people do not confuse when they read them aloud. */
function randomPart(): string {
  const letters = '23456789abcdefghjkmnpqrstuvwxyz';
  return Array.from({ length: 9 }, () => letters[randomInt(letters.length)]).join('');
}
