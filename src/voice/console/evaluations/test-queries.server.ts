import { z } from 'zod';
import { declareForOperators, type OperatorScope } from '../../../business/console/operator-gate.server.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { EvalBody } from '../../evaluations/evaluation.contract.ts';
import type { KeptRun } from '../../evaluations/evaluation-store.server.ts';
import type { ConsoleTest, TestRunDetail, TestsPage } from './assistant-tests.contract.ts';
import { linesOf } from './test-lines.server.ts';

const MOST_TESTS = 100;

/**
 * Tests of an assistant at the console: the list with the newest run of each version, and the words of a run.
 */
export function serveTests(scope: OperatorScope): void {
  declareForOperators(scope, {
    name: 'tests',
    method: 'GET',
    input: z.object({ assistant: z.uuid() }),
    async answer(queries, { assistant }): Promise<TestsPage> {
      const tests = await queries.many(
        `select id /* not null */, body /* not null */ from operator.evals
          where assistant_id = $1 order by created_at, id limit $2`,
        [assistant, MOST_TESTS],
      );
      const runs = await queries.many(
        `select distinct on (eval_id, assistant_version) id /* not null */, eval_id, assistant_version as version,
                passed, status = 'running' as running, created_at /* not null */
           from operator.eval_runs where eval_id = any($1::uuid[]) and assistant_id = $2
          order by eval_id, assistant_version, created_at desc`,
        [tests.map(({ id }) => id), assistant],
      );
      const byTest = Map.groupBy(runs, ({ eval_id }) => eval_id);
      return {
        tests: tests.map(({ id, body }): ConsoleTest => {
          const { name, messages } = body as EvalBody;
          return {
            id,
            name: name ?? id.slice(0, 8),
            lines: linesOf(messages),
            runs: (byTest.get(id) ?? [])
              .map((run) => shownRun(run))
              .sort((one, other) => other.at.localeCompare(one.at)),
          };
        }),
      };
    },
  });
  serveTestRun(scope);
}

const shownRun = (run: {
  readonly id: string;
  readonly version: number | null;
  readonly passed: boolean | null;
  readonly running: boolean | null;
  readonly created_at: Date;
}) => ({
  id: run.id,
  version: run.version,
  passed: run.passed,
  running: run.running === true,
  at: run.created_at.toISOString(),
});

function serveTestRun(scope: OperatorScope): void {
  declareForOperators(scope, {
    name: 'test-run',
    method: 'GET',
    input: z.object({ id: z.uuid() }),
    async answer(queries, { id }): Promise<TestRunDetail> {
      const row = await queries.maybe(
        `select id /* not null */, assistant_version as version, passed, status = 'running' as running,
                created_at /* not null */, body /* not null */
           from operator.eval_runs where id = $1`,
        [id],
      );
      if (row === undefined) throw new ServiceError(404, 'not_found', 'There is no such run.');
      const { outcome } = row.body as KeptRun;
      return {
        ...shownRun(row),
        messages: outcome?.messages ?? [],
        fault: outcome?.endedMessage ?? null,
        warnings: outcome?.warnings ?? [],
      };
    },
  });
}
