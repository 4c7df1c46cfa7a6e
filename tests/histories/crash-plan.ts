import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import type { Database, Queries } from '../../src/kernel/resources/database/database.ts';

/** Simulates a killed process: nothing that it would have done afterwards happens. */
export class Crash extends Error {}

interface Plan {
  /** Statements and requests until the kill. */
  left: number;
  /** Milliseconds that it pauses before each transaction, as on a busy machine. */
  readonly pauseMs: number;
}

const plans = new AsyncLocalStorage<Plan>();

/**
 * Runs work like a process that is killed before its `steps`-th statement, commit or request to the provider
 * from now on; everything that it tries afterwards fails as well.
 */
export function killedAfter<T>(steps: number, work: () => Promise<T>, pauseMs = 0): Promise<T> {
  return plans.run({ left: steps, pauseMs }, work);
}

/** Runs work of another process, which the kill does not affect. */
export function elsewhere<T>(work: () => Promise<T>): Promise<T> {
  return plans.exit(work);
}

/** One step of the process, at which the kill may come. */
export function step(): void {
  const plan = plans.getStore();
  if (plan === undefined) return;
  plan.left -= 1;
  if (plan.left <= 0) throw new Crash('killed');
}

/** A database in which every statement, and the moment after every commit, is a step. */
export function withKills(database: Database): Database {
  return {
    ...database,
    ...counted(database),
    async transaction(work) {
      step();
      const { pauseMs = 0 } = plans.getStore() ?? {};
      if (pauseMs > 0) await setTimeout(pauseMs);
      const result = await database.transaction(async (queries) => {
        const done = await work(counted(queries));
        step();
        return done;
      });
      step();
      return result;
    },
  };
}

function counted(queries: Queries): Queries {
  const stepped =
    (name: 'many' | 'maybe' | 'one' | 'run') =>
    async (text: string, values?: readonly unknown[]): Promise<unknown> => {
      step();
      const ask = queries[name] as (text: string, values?: readonly unknown[]) => Promise<unknown>;
      return ask(text, values);
    };
  const counting = {
    many: stepped('many'),
    maybe: stepped('maybe'),
    one: stepped('one'),
    run: stepped('run'),
  };
  return counting as unknown as Queries;
}

/** Whether a kill is the cause at any depth: the SDK wraps errors of its connection. */
export function isCrash(error: unknown): boolean {
  let cause = error;
  while (cause instanceof Error) {
    if (cause instanceof Crash) return true;
    const { cause: next, detail } = cause as { cause?: unknown; detail?: unknown };
    cause = next ?? detail;
  }
  return false;
}
