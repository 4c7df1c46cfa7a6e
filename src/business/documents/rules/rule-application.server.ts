import type { DocumentKind } from '@northline/document-reader/report.contract';
import { analysisPath } from '../../../kernel/contract/routes.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { languageOfUser } from '../../../kernel/resources/mailer/mail-language.ts';
import { openTemplates } from '../../../kernel/resources/mailer/mail-templates.ts';
import { isSuppressed } from '../../../kernel/resources/mailer/suppressions.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { type Correction, factsOf } from '../corrections/fact-correction.contract.ts';
import { type Acts, type DoneAct, MOST_SENT_A_DAY, type Wanted } from './rule.contract.ts';
import { isMet, type PlannedActs, planActs, type RuleDocument } from './rule-matching.server.ts';

declare module '../../../kernel/resources/database/json-columns.ts' {
  interface JsonColumns {
    'northline_app.document_rules.wanted': Wanted;
    'northline_app.document_rules.acts': Acts;
    'northline_app.rule_runs.done': DoneAct[];
  }
}

/** The event that a rule sends to a customer's program; its subject is the run of the rule. */
export const RULE_EVENT = 'document.rule';

/** What the actions of a rule need. */
export type RuleParts = Pick<Resources, 'mailer' | 'outbox' | 'settings' | 'site' | 'siteUrl'>;

const VARIABLES = { 'document-rule': ['rule', 'file', 'title', 'href'] } as const;
const MAILS = openTemplates('business/documents/mails', VARIABLES);

/** A document as rules see it; undefined without a report. */
export async function findRuleDocument(
  queries: Queries,
  fileId: string,
): Promise<(RuleDocument & { readonly userId: string; readonly uploadedAt: Date }) | undefined> {
  const row = await queries.maybe(
    `select r.user_id, r.report #>> '{document,kind}' as kind /* not null */,
            r.report #>> '{document,title}' as title /* not null */, r.report -> 'fields' as fields, f.file_name, f.created_at,
            (select jsonb_agg(jsonb_build_object('key', c.key, 'original', c.original, 'value', c.value,
                                                 'normalized', c.normalized, 'corrected_at', c.corrected_at))
               from northline_app.analysis_corrections c where c.file_id = r.file_id) as corrections
       from northline_app.analysis_reports r
       join public.user_files f on f.id = r.file_id and f.deleted_at is null
      where r.file_id = $1`,
    [fileId],
  );
  if (row === undefined) return undefined;
  return {
    userId: row.user_id,
    uploadedAt: row.created_at,
    kind: row.kind as DocumentKind,
    title: row.title,
    fileName: row.file_name,
    facts: factsOf(row.fields as RuleDocument['facts'], (row.corrections ?? []) as Correction[]),
  };
}

/**
 * Applies the rules of a document's owner to it, in the transaction of `queries`. Each rule acts once for a document: its run
 * is stored with what it did, so another analysis or a process that died changes nothing. No action uploads, analyses or
 * corrects a document, so rules cannot set off each other.
 */
export async function applyRules(parts: RuleParts, queries: Queries, fileId: string): Promise<void> {
  const document = await findRuleDocument(queries, fileId);
  if (document === undefined) return;
  const rules = await queries.many(
    `select id, name, wanted, acts from northline_app.document_rules d
      where d.user_id = $1 and d.active and d.since <= $2
        and not exists (select from northline_app.rule_runs r where r.rule_id = d.id and r.file_id = $3)
      order by d.created_at, d.id`,
    [document.userId, document.uploadedAt, fileId],
  );
  for (const rule of rules) {
    if (!isMet(rule.wanted, document)) continue;
    const plan = planActs(rule.acts, document, new Date());
    await run(parts, queries, { rule, fileId, document, plan });
  }
}

interface Run {
  readonly rule: { readonly id: string; readonly name: string; readonly acts: Acts };
  readonly fileId: string;
  readonly document: RuleDocument & { readonly userId: string };
  readonly plan: PlannedActs;
}

async function run(parts: RuleParts, queries: Queries, { rule, fileId, document, plan }: Run): Promise<void> {
  const { userId } = document;
  const { acts } = rule;
  const sends = acts.mail === true || acts.webhook !== undefined;
  const maySend = sends && (await sentToday(queries, userId)) < MOST_SENT_A_DAY;
  const proven = acts.mail === true && maySend ? await provenAddress(queries, userId) : undefined;
  const isStopped = proven !== undefined && (await isSuppressed(queries, proven, 'service'));
  const address = isStopped ? undefined : proven;
  const done = plan.done.map((each): DoneAct => {
    const isSent = each.act === 'mail' || each.act === 'webhook';
    if (isSent && !maySend) return { ...each, text: `not sent: ${MOST_SENT_A_DAY} were sent today` };
    if (each.act === 'mail' && isStopped)
      return { ...each, text: 'not sent: mails to your address are stopped' };
    if (each.act === 'mail' && address === undefined)
      return { ...each, text: 'not sent: your address is not confirmed' };
    return each;
  });
  const stored = await queries.maybe(
    `insert into northline_app.rule_runs (rule_id, file_id, user_id, done) values ($1, $2, $3, $4)
     on conflict (rule_id, file_id) do nothing returning id`,
    [rule.id, fileId, userId, JSON.stringify(done)],
  );
  if (stored === undefined) return;
  if (acts.tag !== undefined) await addTag(queries, { fileId, userId, tag: acts.tag });
  if (plan.name !== undefined)
    await queries.run('update public.user_files set file_name = $2, updated_at = now() where id = $1', [
      fileId,
      plan.name,
    ]);
  if (address !== undefined) {
    const values = {
      rule: rule.name,
      file: plan.name ?? document.fileName,
      title: document.title,
      href: parts.siteUrl + analysisPath(fileId),
    };
    const language = await languageOfUser(queries, userId);
    const mail = MAILS.mail(parts, language, 'document-rule', values);
    await parts.mailer.send(queries, { to: address, purpose: 'service', ...mail });
  }
  if (acts.webhook !== undefined && maySend) await parts.outbox.add(queries, RULE_EVENT, stored.id);
  if (plan.remind !== undefined)
    await queries.run(
      'insert into private.document_reminders (run_id, due_at, day) values ($1, $2, $3::text::date)',
      [stored.id, plan.remind.at, plan.remind.day],
    );
}

/** How many mails and webhooks the rules of an account sent in the last day. */
async function sentToday(queries: Queries, userId: string): Promise<number> {
  const { sent } = await queries.one(
    `select count(*)::int as sent /* not null */ from northline_app.rule_runs r, jsonb_array_elements(r.done) as d
      where r.user_id = $1 and r.done_at > now() - interval '1 day' and d ->> 'act' in ('mail', 'webhook')
        and d ->> 'text' not like 'not sent%'`,
    [userId],
  );
  return sent;
}

/** The account's address, if a mailed link proved it. */
export async function provenAddress(queries: Queries, userId: string): Promise<string | undefined> {
  const user = await queries.maybe(
    'select email from auth.users where id = $1 and email_proven_at is not null and deleted_at is null',
    [userId],
  );
  return user?.email ?? undefined;
}

/** @trigger northline_app.file_tags check_tags */
async function addTag(
  queries: Queries,
  { fileId, userId, tag }: { fileId: string; userId: string; tag: string },
): Promise<void> {
  await queries.run(
    `insert into northline_app.file_tags as known (file_id, user_id, tags) values ($1, $2, array[$3::text])
     on conflict (file_id) do update set tags = known.tags || $3::text
      where cardinality(known.tags) < 20
        and not exists (select from unnest(known.tags) as tag where lower(tag) = lower($3::text))`,
    [fileId, userId, tag],
  );
}
