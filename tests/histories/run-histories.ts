import { faultsOf } from './check-history.ts';
import { live } from './live-history.ts';
import type { World } from './open-world.ts';
import { seeded } from './random.ts';

/** What a run of histories did and found. */
export interface HistoriesOutcome {
  /** Number of histories. Their seeds are consecutive, so a stopped run continues with the next seed. */
  readonly histories: number;
  readonly kills: number;
  /** One sentence each, with the seed of its history. */
  readonly faults: readonly string[];
}

/** Options of a run. */
export interface HistoriesPlan {
  readonly count: number;
  /** Seed of the first history; each later one has the next seed. */
  readonly seed: number;
  /** Histories that run at once. */
  readonly parallel: number;
  /** No history begins after this time, epoch milliseconds. */
  readonly until?: number;
  /** Once aborted, no new history begins; those under way finish. */
  readonly signal?: AbortSignal;
  told?(outcome: HistoriesOutcome): void;
}

/** Runs histories and checks each when it is over. */
export async function runHistories(world: World, plan: HistoriesPlan): Promise<HistoriesOutcome> {
  const faults: string[] = [];
  const until = plan.until ?? Number.POSITIVE_INFINITY;
  let [next, done, kills] = [0, 0, 0];
  const worker = async (): Promise<void> => {
    while (next < plan.count && Date.now() < until && plan.signal?.aborted !== true) {
      const seed = plan.seed + next;
      next += 1;
      const name = `history-${seed}`;
      try {
        const life = await live(world, name, seeded(seed));
        kills += life.kills;
        faults.push(...(await faultsOf(life)));
      } catch (error) {
        faults.push(`${name}: ${(error as Error).stack ?? String(error)}`);
      }
      done += 1;
      plan.told?.({ histories: done, kills, faults });
    }
  };
  await Promise.all(Array.from({ length: plan.parallel }, worker));
  return { histories: done, kills, faults };
}
