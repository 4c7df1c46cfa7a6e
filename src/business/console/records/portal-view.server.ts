import { z } from 'zod';
import { UPLOADS_BUCKET } from '../../../kernel/contract/limits.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Queries } from '../../../kernel/resources/database/database.ts';
import { isDemoAddress } from '../../../kernel/resources/mailer/mail-check.ts';
import { signedObjectUrl } from '../../../platform/storage/objects/object-signing.server.ts';
import {
  asOperator,
  declareForOperators,
  declareOperatorWork,
  type OperatorScope,
  sent,
} from '../operator-gate.server.ts';
import {
  NO_SUPPORT_ACCESS,
  PORTAL_PAGES,
  type PortalAnswer,
  type PortalPage,
  type PortalPageName,
} from './portal-view.contract.ts';

/** How long the address of a file works, seconds. */
const FILE_SECONDS = 60;
const MOST = 200;

/**
 * The portal as its customer sees it, while the customer allows it (decision 0665): the server reads with the customer's
 * rights in a transaction in which PostgreSQL refuses every write. No token of the customer is made.
 */
export function servePortal(scope: OperatorScope): void {
  const { resources } = scope;
  const { database } = resources;
  declareOperatorWork(scope, {
    name: 'portal',
    heavy: true,
    input: z.object({ id: z.uuid(), page: z.enum(PORTAL_PAGES) }),
    async work(caller, { id, page }): Promise<PortalAnswer> {
      const { until } = await asOperator(resources, caller, 'portal', (queries) => look(queries, id, page));
      const account = await database.one(
        `select coalesce(nullif(raw_user_meta_data ->> 'full_name', ''), email, '') as name /* not null */, email
           from auth.users where id = $1`,
        [id],
      );
      const claims = {
        sub: id,
        role: 'authenticated',
        aud: 'authenticated',
        aal: 'aal2',
        email: account.email,
      };
      const shown = await database.asCaller({ role: 'authenticated', userId: id, claims }, async (own) => {
        await own.one("select set_config('transaction_read_only', 'on', true) as mode");
        return readPage(own, page);
      });
      const demo = isDemoAddress(account.email ?? '');
      return { name: account.name, until: demo ? null : until.toISOString(), shown };
    },
  });
  declareForOperators(scope, {
    name: 'portal-file',
    method: 'POST',
    input: z.object({ id: z.uuid(), file: z.uuid() }),
    async answer(queries, { id, file }) {
      const { path } = await look(queries, id, 'file', file);
      const url =
        path === null ? undefined : await signedObjectUrl(resources, UPLOADS_BUCKET, path, FILE_SECONDS);
      if (url === undefined)
        throw new ServiceError(404, 'not_found', 'The customer has no such file any more.');
      return { url: url.slice(resources.siteUrl.length) };
    },
  });
}

/** Records the look. @throws ServiceError 403 while the customer does not allow it; nothing is recorded then */
async function look(
  queries: Queries,
  id: string,
  page: string,
  file: string | null = null,
): Promise<{ until: Date; path: string | null }> {
  const allowed = await queries.maybe(
    'select until /* not null */, file_path as path from operator.look_as($1, $2, $3)',
    [id, page, file],
  );
  if (allowed === undefined) {
    throw new ServiceError(403, NO_SUPPORT_ACCESS, 'The customer does not let you see the portal now.');
  }
  return allowed;
}

const READ: Readonly<Record<PortalPageName, (own: Queries) => Promise<PortalPage>>> = {
  files: async (own) => ({
    page: 'files',
    files: (
      await own.many(
        `select id, file_name, file_size::float8 as file_size /* not null */, status, report_line, created_at
           from public.user_files where user_id = auth.uid() and deleted_at is null order by created_at desc, id limit $1`,
        [MOST],
      )
    ).map(sent),
  }),
  courses: async (own) => ({
    page: 'courses',
    lessons: (
      await own.many(
        'select id, title, state, created_at from northline_app.course_lessons order by position, id limit $1',
        [MOST],
      )
    ).map(sent),
  }),
  messages: async (own) => ({
    page: 'messages',
    messages: (
      await own.many(
        `select id /* not null */, from_agency /* not null */, body /* not null */, sent_at /* not null */ from (
           select m.id::text, m.from_agency, m.body, m.sent_at from northline_app.messages m where m.lesson_id is null
           union all select e.id, e.from_agency, e.body, e.sent_at from northline_app.enquiries_in_thread() e) as thread
          order by sent_at desc, id limit $1`,
        [MOST],
      )
    ).map(sent),
  }),
  async billing(own) {
    const { allowed, credits } = await own.one(
      `select northline_app.account_allowances() as allowed,
              coalesce((select c.credits from public.customers c where c.user_id = auth.uid()), 0) as credits /* not null */`,
    );
    const history = await own.many(
      `select id, amount, coalesce(description, kind) as what /* not null */, created_at from public.credit_transactions
        where state <> 'returned' order by created_at desc, id limit $1`,
      [MOST],
    );
    return {
      page: 'billing',
      credits,
      ...(allowed as Pick<Extract<PortalPage, { page: 'billing' }>, 'plans' | 'storage_limit_bytes'>),
      history: history.map(sent),
    };
  },
};

const readPage = (own: Queries, page: PortalPageName): Promise<PortalPage> => READ[page](own);
