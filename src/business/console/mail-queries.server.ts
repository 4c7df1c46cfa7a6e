import { z } from 'zod';
import { servesMailbox } from '../mailbox/mailbox-access.server.ts';
import type { MailsPage } from './console.contract.ts';
import { containing, declareForOperators, type OperatorScope, SEARCH, sent } from './operator-gate.server.ts';

const SHOWN = 100;

/** Mails of the last week without their text, and the addresses that get none. */
export function serveMails(scope: OperatorScope): void {
  const { mailer, settings, siteUrl } = scope.resources;
  declareForOperators(scope, {
    name: 'mails',
    method: 'GET',
    input: z.object({
      state: z.enum(['all', 'kept', 'waiting', 'sent', 'failed', 'bounced', 'suppressed']).default('all'),
      q: SEARCH,
    }),
    async answer(queries, { state, q }): Promise<MailsPage> {
      const pattern = containing(q);
      return {
        keepsMails: mailer.keepsMails,
        mailbox: mailer.keepsMails && servesMailbox(settings, siteUrl),
        mails: (
          await queries.many(
            `select id, recipient, subject, state, purpose, attempts, last_error, created_at, sent_at from operator.mails
           where ($1 = 'all' or state = $1) and ($2 = '' or recipient ilike $3 or subject ilike $3)
           order by created_at desc, id limit $4`,
            [state, q, pattern, SHOWN],
          )
        ).map(sent),
        suppressions: (
          await queries.many(
            `select address, reason, source, detail, created_at from operator.suppressions where $1 = '' or address ilike $2
           order by updated_at desc, address limit $3`,
            [q, pattern, SHOWN],
          )
        ).map(sent),
      };
    },
  });
}
