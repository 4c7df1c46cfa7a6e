import { z } from 'zod';
import type { CustomersPage } from './console.contract.ts';
import {
  containing,
  declareForOperators,
  type OperatorScope,
  pageOf,
  SEARCH,
} from './operator-gate.server.ts';
import { sentCustomer } from './records/customer-record.server.ts';

const SHOWN = 50;
const COLUMNS = `user_id, email, full_name, created_at, last_sign_in_at, customer_id, credits, plans,
  files, deletion_due_at`;

/** Customers by address, name or id. */
export function serveCustomers(scope: OperatorScope): void {
  declareForOperators(scope, {
    name: 'customers',
    method: 'GET',
    heavy: true,
    input: z.object({ q: SEARCH, after: z.uuid().or(z.literal('')).default('') }),
    async answer(queries, { q, after }): Promise<CustomersPage> {
      const rows = await queries.many(
        // The costly columns are asked only for the customers on this page.
        `select ${COLUMNS} from operator.customers
          where user_id = any (array(select user_id from operator.customer_names
            where ($1 = '' or email ilike $2 or full_name ilike $2 or customer_id = $1 or user_id::text = $1)
              and ($3 = '' or (created_at, user_id) < (select created_at, user_id from operator.customer_names where user_id::text = $3))
            order by created_at desc, user_id desc limit $4))
          order by created_at desc, user_id desc`,
        [q, containing(q), after, SHOWN + 1],
      );
      return pageOf(rows, SHOWN, sentCustomer, (row) => row.user_id);
    },
  });
}
