import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { declareFunction } from '../../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { type DocumentRule, DRY_RUN_DOCUMENTS, type DryRun, MOST_RULES } from './rule.contract.ts';
import { findRuleDocument } from './rule-application.server.ts';
import { isMet, planActs } from './rule-matching.server.ts';
import { actsSchema, line, wantedSchema } from './rule-schema.server.ts';
import { proveWebhook, ruleSecret } from './rule-webhook.server.ts';

/** The functions of rules: the list, saving, removing, and the dry run. */
export function declareRules(http: HttpContext, resources: Resources): void {
  const { database, keys } = resources;
  declareFunction(http, {
    name: 'list-rules',
    callers: 'users',
    body: z.strictObject({}),
    limit: { count: 60, seconds: 60, burst: 30 },
    handle: async ({ caller }) => {
      const userId = requireUser(caller);
      const rules = await database.asCaller(caller, (queries) => listRules(queries, userId));
      return {
        rules: rules.map(
          (rule): DocumentRule => ({
            ...rule,
            secret: rule.acts.webhook === undefined ? null : ruleSecret(keys, userId),
          }),
        ),
      };
    },
  });
  declareSaveRule(http, resources);
  declareFunction(http, {
    name: 'remove-rule',
    callers: 'users',
    body: z.strictObject({ rule_id: z.uuid() }),
    limit: { count: 60, seconds: 60, burst: 30 },
    handle: async ({ caller, body }) => {
      const gone = await database.run(
        'delete from northline_app.document_rules where id = $1 and user_id = $2',
        [body.rule_id, requireUser(caller)],
      );
      if (gone === 0) throw noSuchRule();
      return { removed: true };
    },
  });
  declareTryRule(http, resources);
}

function listRules(queries: Queries, userId: string) {
  return queries.many(
    `select d.id, d.name, d.wanted, d.acts, d.active,
            (select count(*) from northline_app.rule_runs r where r.rule_id = d.id)::int as runs /* not null */
       from northline_app.document_rules d where d.user_id = $1 order by d.created_at, d.id`,
    [userId],
  );
}

const saveSchema = z.strictObject({
  /** Absent for a new rule. */
  rule_id: z.uuid().optional(),
  name: line(60),
  wanted: wantedSchema,
  acts: actsSchema,
  active: z.boolean(),
});

/**
 * `save-rule`: stores a rule, a new one or another form of one. It acts on documents that are uploaded from then on. Answers
 * `{rule_id}`.
 *
 * Errors: 404 `not_found`; 409 `too_many_rules`; 422 `webhook_not_proven`.
 */
function declareSaveRule(http: HttpContext, resources: Resources): void {
  const { database } = resources;
  declareFunction(http, {
    name: 'save-rule',
    callers: 'users',
    body: saveSchema,
    limit: { count: 30, seconds: 60, burst: 15 },
    handle: async ({ caller, body }) => {
      const userId = requireUser(caller);
      const { webhook } = body.acts;
      if (webhook !== undefined && !(await isKnownWebhook(database, userId, webhook)))
        await proveWebhook(resources, userId, webhook);
      const id = await database.transaction((queries) => saveRule(queries, userId, body));
      return { rule_id: id };
    },
  });
}

/** Whether another form of the same account's rules has this address, so that it is proven already. */
async function isKnownWebhook(queries: Queries, userId: string, url: string): Promise<boolean> {
  const known = await queries.maybe(
    "select 1 from northline_app.document_rules where user_id = $1 and acts ->> 'webhook' = $2 limit 1",
    [userId, url],
  );
  return known !== undefined;
}

async function saveRule(
  queries: Queries,
  userId: string,
  { rule_id: id, name, wanted, acts, active }: z.output<typeof saveSchema>,
): Promise<string> {
  await queries.maybe('select id from auth.users where id = $1 for no key update', [userId]);
  const stored = [name, JSON.stringify(wanted), JSON.stringify(acts), active] as const;
  if (id !== undefined) {
    const changed = await queries.run(
      `update northline_app.document_rules set name = $3, wanted = $4, acts = $5, active = $6, since = now()
        where id = $1 and user_id = $2`,
      [id, userId, ...stored],
    );
    if (changed === 0) throw noSuchRule();
    return id;
  }
  const { count } = await queries.one(
    'select count(*)::int as count /* not null */ from northline_app.document_rules where user_id = $1',
    [userId],
  );
  if (count >= MOST_RULES)
    throw new ServiceError(
      409,
      'too_many_rules',
      `An account has at most ${MOST_RULES} rules. Remove one first.`,
    );
  const rule = await queries.one(
    `insert into northline_app.document_rules (user_id, name, wanted, acts, active) values ($1, $2, $3, $4, $5)
     returning id`,
    [userId, ...stored],
  );
  return rule.id;
}

/** `try-rule`: what a rule would have done with the latest documents. It changes nothing. */
function declareTryRule(http: HttpContext, { database }: Pick<Resources, 'database'>): void {
  declareFunction(http, {
    name: 'try-rule',
    callers: 'users',
    body: z.strictObject({ wanted: wantedSchema, acts: actsSchema }),
    limit: { count: 30, seconds: 60, burst: 15 },
    heavyFor: 'customers',
    handle: ({ caller, body: { wanted, acts } }): Promise<DryRun> =>
      database.asCaller(caller, async (queries) => {
        const latest = await queries.many(
          `select r.file_id from northline_app.analysis_reports r
             join public.user_files f on f.id = r.file_id and f.deleted_at is null
            where r.user_id = $1 order by f.created_at desc, r.file_id limit $2`,
          [requireUser(caller), DRY_RUN_DOCUMENTS],
        );
        const met: DryRun['met'][number][] = [];
        for (const { file_id: fileId } of latest) {
          const document = await findRuleDocument(queries, fileId);
          if (document === undefined || !isMet(wanted, document)) continue;
          const { done } = planActs(acts, document, new Date());
          met.push({ file_id: fileId, file_name: document.fileName, acts: done });
        }
        return { looked: latest.length, met };
      }),
  });
}

const noSuchRule = (): ServiceError => new ServiceError(404, 'not_found', 'There is no such rule.');
