import { z } from 'zod';
import { moment } from '../../../kernel/contract/times.ts';
import {
  containing,
  declareForOperators,
  type OperatorScope,
  pageOf,
  SEARCH,
  sent,
} from '../operator-gate.server.ts';
import { auditSentence, codesSaying } from './audit-words.server.ts';
import type { AuditEntry, AuditPage } from './settings.contract.ts';

const SHOWN = 50;

/**
 * `operator-audit`: all audit logs in one list, newest first, each entry as a sentence with its code.
 * A search finds codes, and the words of sentences.
 *
 * @trigger private.payment_audit payment_audit_append_only
 */
export function serveAudit(scope: OperatorScope): void {
  const { settings } = scope.resources;
  declareForOperators(scope, {
    name: 'audit',
    method: 'GET',
    input: z.object({
      log: z.enum(['all', 'console', 'accounts', 'payments']).default('all'),
      q: SEARCH,
      after: z.string().max(120).default(''),
    }),
    heavy: true,
    async answer(queries, { log, q, after }): Promise<AuditPage> {
      const [at = '', key = ''] = after.split(' ');
      const rows = await queries.many(
        `select log /* not null */, id /* not null */, at /* not null */, action /* not null */, subject /* not null */,
                details /* not null */, actor, role, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as exact /* not null */
           from operator.trail
          where ($1 = 'all' or log = $1)
            and ($2 = '' or actor ilike $3 or action ilike $3 or subject ilike $3 or details::text ilike $3 or action = any ($7))
            and ($4::timestamptz is null or (at, log || ':' || id) < ($4::timestamptz, $5))
          order by at desc, log || ':' || id desc limit $6`,
        [log, q, containing(q), moment.safeParse(at).success ? at : null, key, SHOWN + 1, codesSaying(q)],
      );
      const named = await queries.many(
        'select id /* not null */, name /* not null */ from operator.names_of($1)',
        [rows.map(({ subject }) => subject)],
      );
      const names = new Map(named.map(({ id, name }) => [id, name]));
      return pageOf(
        rows,
        SHOWN,
        ({ exact: _exact, ...row }) => {
          const entry = sent(row) as Omit<AuditEntry, 'sentence'>;
          const sentence = auditSentence(entry, names.get(entry.subject), settings.TIME_ZONE);
          return { ...entry, sentence };
        },
        (row) => `${row.exact} ${row.log}:${row.id}`,
      );
    },
  });
}
