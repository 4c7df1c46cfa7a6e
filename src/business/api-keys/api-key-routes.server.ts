import { z } from 'zod';
import { API_RIGHTS } from '../../kernel/contract/api-rights.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { declareFunction } from '../../kernel/functions/function-declaration.server.ts';
import { requireUser } from '../../kernel/http/authenticate.ts';
import type { HttpContext } from '../../kernel/http/http-context.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { containing, declareForOperators, pageOf, SEARCH, sent } from '../console/operator-gate.server.ts';
import { type ApiKeyList, type ConsoleApiKeyPage, KEY_DAYS, KEY_NAME_LENGTH } from './api-key.contract.ts';
import { createApiKey, endApiKey, listApiKeys, rightsOfAccount } from './api-key-store.server.ts';

const PER_PAGE = 50;
const FEW = { count: 20, seconds: 600 };

/**
 * Mounts the functions of API keys: each person makes, lists and revokes their own, and operators see and revoke all. A
 * key opens none of them.
 */
export function mountApiKeys(http: HttpContext, resources: Resources): void {
  const { database, siteUrl } = resources;
  declareFunction(http, {
    name: 'api-keys',
    method: 'GET',
    callers: 'users',
    body: z.object({}),
    limit: { count: 120, seconds: 60, burst: 60 },
    async handle({ caller }): Promise<ApiKeyList> {
      const userId = requireUser(caller);
      const account = await database.maybe(
        'select private.operator_role_of(raw_app_meta_data) as role from auth.users where id = $1',
        [userId],
      );
      return {
        keys: await listApiKeys(database, userId),
        rights: rightsOfAccount(account?.role ?? null),
        mcp: `${siteUrl}/mcp`,
      };
    },
  });
  declareFunction(http, {
    name: 'create-api-key',
    callers: 'users',
    status: 201,
    body: z.object({
      name: z.string().trim().min(1).max(KEY_NAME_LENGTH),
      rights: z.array(z.enum(API_RIGHTS)).min(1).max(API_RIGHTS.length),
      days: z.literal(KEY_DAYS),
    }),
    limit: FEW,
    handle({ caller, body }) {
      const userId = requireUser(caller);
      const aal = caller.claims.aal === 'aal2' ? 'aal2' : 'aal1';
      return database.transaction((queries) => createApiKey(queries, { ...body, userId, aal }));
    },
  });
  declareFunction(http, {
    name: 'end-api-key',
    callers: 'users',
    body: z.object({ id: z.uuid() }),
    limit: { count: 60, seconds: 60 },
    async handle({ caller, body: { id } }) {
      if (!(await endApiKey(database, requireUser(caller), id, 'owner'))) throw noSuchKey();
      return { ended: true };
    },
  });
  serveConsole(http, resources);
}

function serveConsole(http: HttpContext, resources: Resources): void {
  declareForOperators(
    { http, resources },
    {
      name: 'api-keys',
      method: 'GET',
      input: z.object({ q: SEARCH, after: z.uuid().or(z.literal('')).default('') }),
      async answer(queries, { q, after }): Promise<ConsoleApiKeyPage> {
        const rows = await queries.many(
          `select id /* not null */, name /* not null */, hint /* not null */, rights /* not null */,
                  created_at /* not null */, expires_at /* not null */, last_used_at, ended_at, ended_by,
                  user_id /* not null */, email, is_mine /* not null */
             from operator.api_keys
            where ($1 = '' or name ilike $2 or email ilike $2 or hint = $1)
              and ($3 = '' or (created_at, id) < (select created_at, id from operator.api_keys where id::text = $3))
            order by created_at desc, id desc limit $4`,
          [q, containing(q), after, PER_PAGE + 1],
        );
        const page = pageOf(rows, PER_PAGE, sent, (row) => row.id);
        return { ...page, rows: page.rows as ConsoleApiKeyPage['rows'] };
      },
    },
  );
  declareForOperators(
    { http, resources },
    {
      name: 'end-api-key',
      method: 'POST',
      input: z.object({ id: z.uuid() }),
      async answer(queries, { id }) {
        const { ended } = await queries.one('select operator.end_api_key($1) as ended', [id]);
        if (ended !== true) throw noSuchKey();
        return { ended: true };
      },
    },
  );
}

const noSuchKey = (): ServiceError =>
  new ServiceError(404, 'not_found', 'There is no such valid key: it may have been revoked already.');
