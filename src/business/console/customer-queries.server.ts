import { z } from 'zod';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { CustomerAccount, CustomerPlan, CustomersPage } from './console.contract.ts';
import {
  containing,
  declareForOperators,
  type OperatorScope,
  SEARCH,
  sent,
} from './operator-scope.server.ts';

const SHOWN = 50;
const LEDGER_SHOWN = 200;
const COLUMNS = `user_id, email, full_name, created_at, last_sign_in_at, customer_id, credits, plans,
  files, deletion_due_at`;

/** Customers by address or name, and one of them with the ledger that explains the balance. */
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
      const shown = rows.slice(0, SHOWN);
      return { rows: shown.map(sentCustomer), next: rows.length > SHOWN ? (shown.at(-1)?.user_id ?? null) : null };
    },
  });
  declareForOperators(scope, {
    name: 'customer',
    method: 'GET',
    input: z.object({ id: z.uuid() }),
    async answer(queries, { id }): Promise<CustomerAccount> {
      const customer = await queries.maybe(`select ${COLUMNS} from operator.customers where user_id = $1`, [
        id,
      ]);
      if (customer === undefined) throw new ServiceError(404, 'not_found', 'There is no such customer.');
      const override = await queries.maybe(
        'select plan, reason, set_by, created_at, until from operator.plan_overrides where user_id = $1',
        [id],
      );
      return {
        customer: sentCustomer(customer),
        override: override === undefined ? null : sent(override),
        // What was given back never counted, so it changes no balance.
        ledger: (
          await queries.many(
            `select id, amount, kind, description, state, created_at,
                  (sum(case when state = 'returned' then 0 else amount end) over (order by created_at, id))::integer as balance /* not null */
           from operator.ledger
           where customer_row = (select customer_row from operator.customers where user_id = $1)
           order by created_at desc, id desc limit $2`,
            [id, LEDGER_SHOWN],
          )
        ).map(sent),
      };
    },
  });
}

/** A row of `operator.customers`, whose plans are JSON already. */
const sentCustomer = <Row extends { plans: unknown }>(row: Row) => ({
  ...sent(row),
  plans: row.plans as readonly CustomerPlan[],
});
