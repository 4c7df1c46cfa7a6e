import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { parseInput } from '../../../kernel/functions/function-declaration.server.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import type { Payments } from '../payments.server.ts';
import { syncCustomer } from './subscription-sync.server.ts';

/** The result of a comparison with the provider; everything but `customers` and `underway` should be 0. */
export interface Reconciliation {
  /** Customers that were read again. */
  readonly customers: number;
  /** Subscriptions that differed, now repaired. */
  readonly subscriptions: number;
  /** Paid invoices whose credits were missing, now granted. */
  readonly grants: number;
  /** Refunds and disputes whose credits had not been taken back, now taken back. */
  readonly refunds: number;
  /** Differences of customers with an event that still waits: these are not errors, only early. */
  readonly underway: number;
  /**
   * Accounts whose credits differ from the sum of their ledger or of the rest of their grants. Never repaired
   * automatically: an operator has to look.
   */
  readonly balances: number;
  /** Customers for which the provider did not answer; the log says why. */
  readonly failed: number;
}

const HOUR_SECONDS = 3600;
/** Requests to the provider at once: far below Stripe's limit of 100 a second. */
const PARALLEL = 4;

/**
 * Mounts `POST /functions/v1/reconcile-billing` (service key only; `northline billing reconcile`)
 * and the nightly round that does the same.
 */
export function mountReconciliation(http: HttpContext, resources: Resources, payments: Payments): void {
  const { jobs } = resources;
  // Not by `declareFunction`: neither users nor visitors may ever call it, and it may take minutes.
  http.server.post('/functions/v1/reconcile-billing', async (request) => {
    const caller = await http.authenticate(request.headers, request.query as Record<string, unknown>);
    if (caller.role !== 'service_role') {
      throw new ServiceError(403, 'not_admin', 'This function needs the service key.');
    }
    parseInput(z.object({}).nullish(), request.body);
    return reconcileCustomers(resources, payments);
  });
  jobs.every('customers at the payment provider', HOUR_SECONDS, async () => {
    // The first round runs at the start, when the embedded provider cannot be reached yet.
    if (http.server.server.listening) await reconcileAtNight(resources, payments);
  });
}

/** The nightly round, if it is due; the log says whether anything differed. Returns what it found. */
export async function reconcileAtNight(
  resources: Pick<Resources, 'database' | 'log'>,
  payments: Payments,
): Promise<Reconciliation | undefined> {
  const { database, log } = resources;
  if (!(await isTonightsTurn(database))) return undefined;
  const outcome = await reconcileCustomers(resources, payments);
  const { subscriptions, grants, refunds, balances, failed } = outcome;
  if (subscriptions + grants + refunds + balances + failed > 0) log.error(outcome, 'billing had drifted');
  else log.info(outcome, 'billing equals the provider');
  return outcome;
}

/** True once a night for all processes together, or when the last round is long ago. */
async function isTonightsTurn(database: Resources['database']): Promise<boolean> {
  await database.run(
    `insert into private.installation (key, value) values ('billing reconciled at', now()::text)
     on conflict (key) do nothing`,
  );
  const claimed = await database.run(
    `update private.installation set value = now()::text where key = 'billing reconciled at'
       and (value::timestamptz < now() - interval '40 hours'
         or value::timestamptz < now() - interval '20 hours'
           and extract(hour from now() at time zone 'Europe/London') between 2 and 4)`,
  );
  return claimed === 1;
}

/**
 * Reads every customer that the provider or we know again, repairs differences and reports them. Harmless at
 * any time: it does for all customers what an event does for one.
 */
export async function reconcileCustomers(
  resources: Pick<Resources, 'database' | 'log'>,
  payments: Payments,
): Promise<Reconciliation> {
  const { database, log } = resources;
  const ids = new Set<string>();
  for await (const customer of payments.stripe.customers.list({ limit: 100 })) ids.add(customer.id);
  const ours = await database.many('select customer_id from private.payment_customers');
  for (const { customer_id: id } of ours) ids.add(id);

  const total = { subscriptions: 0, grants: 0, refunds: 0, underway: 0, failed: 0 };
  const waiting = [...ids];
  const read = async (): Promise<void> => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      try {
        const early = await hasWaitingEvent(database, id);
        const { subscriptions, grants, refunds } = await syncCustomer(resources, payments, id);
        if (early) total.underway += subscriptions + grants + refunds;
        else {
          total.subscriptions += subscriptions;
          total.grants += grants;
          total.refunds += refunds;
        }
      } catch (error) {
        total.failed += 1;
        log.error({ err: error, customer: id }, 'a customer could not be reconciled');
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, read));
  return { customers: ids.size, ...total, balances: await unexplainedBalances(database) };
}

async function hasWaitingEvent(database: Resources['database'], customerId: string): Promise<boolean> {
  const { waits } = await database.one(
    `select exists (select 1 from private.payment_events where handled_at is null
       and (customer_id = $1 or customer_id is null)) as waits`,
    [customerId],
  );
  return waits;
}

/** Counts accounts whose credits are not the sum of their ledger. */
async function unexplainedBalances(database: Resources['database']): Promise<number> {
  const { count } = await database.one('select count(*)::int as count from private.unexplained_balances');
  return count;
}
