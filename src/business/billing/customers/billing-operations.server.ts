import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { moment } from '../../../kernel/contract/times.ts';
import { parseInput } from '../../../kernel/functions/function-declaration.server.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { HANDLED_EVENTS } from '../payment-events.server.ts';
import type { Payments } from '../payments.server.ts';
import { syncPrices } from '../price-sync.server.ts';
import { customerRowOf, explainBalance } from './balance-explanation.server.ts';

const name = z.string().trim().min(1).max(320);
const words = z.string().trim().min(1).max(200);
const COMMANDS = z.discriminatedUnion('command', [
  z.object({ command: z.literal('sync') }),
  z.object({ command: z.literal('explain'), customer: name }),
  z.object({
    command: z.literal('correct'),
    customer: name,
    amount: z.int().min(-10_000).max(10_000),
    reason: words,
  }),
  z.object({
    command: z.literal('override'),
    customer: name,
    plan: words,
    reason: words,
    by: words,
    until: moment.nullish(),
  }),
  z.object({ command: z.literal('end-override'), customer: name, by: words }),
]);

/** Mounts `POST /functions/v1/operate-billing` (service key only): the actions of `northline billing`. */
export function mountOperateBilling(http: HttpContext, resources: Resources, payments: Payments): void {
  const { database } = resources;
  http.server.post('/functions/v1/operate-billing', async (request) => {
    const caller = await http.authenticate(request.headers, request.query as Record<string, unknown>);
    if (caller.role !== 'service_role') {
      throw new ServiceError(403, 'not_admin', 'This function needs the service key.');
    }
    const given = parseInput(COMMANDS, request.body);
    switch (given.command) {
      case 'sync':
        return {
          prices: await syncPrices(resources, payments, resources.site.plans.sold),
          events: [...HANDLED_EVENTS],
        };
      case 'explain':
        return explainBalance(database, await customerRowOf(database, given.customer));
      case 'correct':
        return correct(given.customer, given.amount, given.reason);
      case 'override':
        return override(given);
      case 'end-override':
        return endOverride(given.customer, given.by);
    }
  });

  async function correct(customer: string, amount: number, reason: string): Promise<object> {
    const row = await customerRowOf(database, customer);
    const { credits } = await database.one('select credits from public.customers where id = $1', [row]);
    if (amount === 0 || credits + amount < 0) {
      throw new ServiceError(400, 'bad_amount', `There are ${credits} credits, so ${amount} cannot be.`);
    }
    await database.many('select private.correct_credits($1, $2, $3)', [row, amount, reason]);
    return explainBalance(database, row);
  }

  async function override(given: {
    customer: string;
    plan: string;
    reason: string;
    by: string;
    until?: string | null | undefined;
  }): Promise<object> {
    const { plans } = resources.site;
    const plan = plans.sold.find((known) => known.name === given.plan) ?? plans.find(given.plan);
    if (plan === undefined) throw new ServiceError(400, 'unknown_plan', `There is no plan ${given.plan}.`);
    const user = await userOf(given.customer);
    await endOverride(given.customer, given.by);
    await database.run(
      'insert into private.plan_overrides (user_id, plan, reason, set_by, until) values ($1, $2, $3, $4, $5)',
      [user, plan.name, given.reason, given.by, given.until ?? null],
    );
    return { user, plan: plan.name, until: given.until ?? null };
  }

  async function endOverride(customer: string, by: string): Promise<object> {
    const ended = await database.run(
      'update private.plan_overrides set ended_at = now(), ended_by = $2 where user_id = $1 and ended_at is null',
      [await userOf(customer), by],
    );
    return { ended };
  }

  async function userOf(named: string): Promise<string> {
    const row = await database.maybe(
      'select id from auth.users where lower(email) = lower($1) or id::text = $1 limit 1',
      [named],
    );
    if (row === undefined) throw new ServiceError(404, 'no_user', `There is no user ${named}.`);
    return row.id;
  }
}
