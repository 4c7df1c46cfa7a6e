import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { createScan } from '../../../platform/storage/content/content-scan.server.ts';
import { declareForOperators, type OperatorScope } from '../operator-gate.server.ts';
import { addDemoStep, DEMO_STEPS, type DemoParts } from './demo-loading.server.ts';
import { removeDemoData } from './demo-removal.server.ts';

/** Seconds between two rounds; an order wakes the round at once. */
const ROUND_SECONDS = 10;

/**
 * `POST operator-demo-data`: `{do: 'add'}` orders six invented customers, `{do: 'remove'}` orders their removal. A round
 * does both, step by step, so that a killed process goes on where it was. 409 `nothing_to_do` when it is so already.
 */
export function mountDemoData(scope: OperatorScope, analyse: DemoParts['analyse']): void {
  const { resources } = scope;
  declareForOperators(scope, {
    name: 'demo-data',
    method: 'POST',
    input: z.object({ do: z.enum(['add', 'remove']) }),
    async answer(queries, { do: wanted }) {
      const { done } =
        wanted === 'add'
          ? await queries.one('select operator.add_demo_data() as done')
          : await queries.one('select operator.remove_demo_data() as done');
      if (done !== true)
        throw new ServiceError(
          409,
          'nothing_to_do',
          wanted === 'add' ? 'There is demo data already.' : 'There is no demo data, or it is being removed.',
        );
      return { done };
    },
  });
  const parts = { resources, analyse, scan: createScan(resources.settings, resources.log) };
  resources.jobs.every(
    'demo data',
    ROUND_SECONDS,
    async () => {
      while (await workOnDemoData(parts));
    },
    'demo_data',
  );
}

/** One step, unless another process does it. @returns whether there is a further one */
export function workOnDemoData(parts: DemoParts): Promise<boolean> {
  return parts.resources.database.transaction(async (queries) => {
    const order = await queries.maybe('select state, step from private.demo_data for update skip locked');
    if (order === undefined || order.state === 'ready') return false;
    if (order.state === 'removing') return removeDemoData(parts.resources, queries);
    await addDemoStep(parts, queries, order.step);
    const step = order.step + 1;
    const state = step < DEMO_STEPS ? 'adding' : 'ready';
    await queries.run('update private.demo_data set step = $1, state = $2', [step, state]);
    return state === 'adding';
  });
}
