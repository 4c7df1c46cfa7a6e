import type { Queries } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { assistantOf } from '../calls/call-setup.server.ts';
import { fillAssistant } from '../calls/template-filling.server.ts';
import type { VoiceEngines } from '../engines/engines.server.ts';
import type { VoiceRecords } from '../records/voice-records.server.ts';
import type { EvalRunRequest, RunOutcome } from './evaluation.contract.ts';
import { runEvaluation } from './evaluation-run.server.ts';
import {
  type EvalRecord,
  type EvaluationStore,
  type KeptRun,
  openEvaluationStore,
} from './evaluation-store.server.ts';

/** Job that holds the conversation of a run. */
const RUN_JOB = 'run-voice-evaluation';
/** Above the longest conversation, so that its end is still written. */
const JOB_SECONDS = 180;

/** Tests of assistants. */
export interface Evaluations {
  readonly store: EvaluationStore;
  /**
   * Stores a run and has it begun once the transaction is over.
   *
   * @returns its record, before it began
   * @throws ServiceError 404 `not_found`
   */
  begin(given: EvalRunRequest, queries: Queries): Promise<EvalRecord>;
}

/** Opens them; before the jobs start. */
export function openEvaluations(
  resources: Resources,
  records: VoiceRecords,
  engines: VoiceEngines,
): Evaluations {
  const store = openEvaluationStore(resources);
  resources.jobs.define<{ runId: string }>(
    RUN_JOB,
    { retries: 2, retryDelaySeconds: 2, timeoutSeconds: JOB_SECONDS, concurrency: 1 },
    async ({ data: { runId }, signal }) => {
      const run = await store.going(runId);
      // Deleted meanwhile, or ended by an attempt whose end was not noticed.
      if (run === undefined) return;
      const startedAt = new Date().toISOString();
      const outcome = await outcomeOf({ resources, records, engines }, runId, run, signal);
      // A process that stops leaves it to the next one.
      signal.throwIfAborted();
      await store.end(runId, { ...outcome, startedAt, endedAt: new Date().toISOString() });
    },
  );
  return {
    store,
    async begin(given, queries) {
      const run = await store.begin(given, queries);
      await resources.jobs.add(queries, RUN_JOB, { runId: run.id });
      return run;
    },
  };
}

interface RunnerParts {
  readonly resources: Resources;
  readonly records: VoiceRecords;
  readonly engines: VoiceEngines;
}

async function outcomeOf(
  { resources, records, engines }: RunnerParts,
  id: string,
  { eval: { messages }, target }: KeptRun,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const warnings: string[] = [];
  try {
    const assistant = fillAssistant(await assistantOf(records, target), {
      now: new Date(),
      zone: resources.settings.TIME_ZONE,
      warn: (line) => void warnings.push(line),
    });
    const outcome = await runEvaluation(engines, { id, assistant, messages, signal });
    return { ...outcome, warnings: [...warnings, ...outcome.warnings] };
  } catch (error) {
    const endedMessage = (error as Error).message;
    return { status: 'fail', endedReason: 'error', endedMessage, messages: [], warnings, cost: 0 };
  }
}
