import type { Queries } from '../../kernel/resources/database/database.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import { assistantOf } from '../calls/call-setup.server.ts';
import type { DailyCaps } from '../calls/record/daily-caps.server.ts';
import { fillAssistant } from '../calls/template-filling.server.ts';
import type { CallAssistant, VoiceEngines } from '../engines/engines.server.ts';
import type { VoiceRecords } from '../records/voice-records.server.ts';
import type { EvalRunRequest, RunOutcome } from './evaluation.contract.ts';
import { runEvaluation } from './evaluation-run.server.ts';
import {
  type EvalRecord,
  type EvaluationStore,
  type KeptRun,
  openEvaluationStore,
} from './evaluation-store.server.ts';

/** The job that holds the conversation of a run. */
const RUN_JOB = 'run-voice-evaluation';
/** More than the longest conversation takes, so that its outcome can still be stored. */
const JOB_SECONDS = 180;

/** Tests of assistants. */
export interface Evaluations {
  readonly store: EvaluationStore;
  /**
   * Stores a run, which begins once the transaction has been committed.
   *
   * @returns its record, before it began
   * @throws ServiceError 404 `not_found`
   */
  begin(given: EvalRunRequest, queries: Queries): Promise<EvalRecord>;
  /**
   * Checks before the transaction whether a run with `target` may begin now.
   *
   * @throws ServiceError 429 `minutes_limit`, `spend_limit` if the run would cost something and a daily cap is
   * reached
   */
  admit(target: EvalRunRequest['target']): Promise<void>;
}

/** What tests of assistants use. */
export interface EvaluationParts {
  readonly resources: Resources;
  readonly records: VoiceRecords;
  readonly engines: VoiceEngines;
  readonly caps: DailyCaps;
}

/** Opens the tests of assistants; called before the jobs start. */
export function openEvaluations(parts: EvaluationParts): Evaluations {
  const { resources, caps } = parts;
  const store = openEvaluationStore(resources);
  resources.jobs.define<{ runId: string }>(
    RUN_JOB,
    { retries: 2, retryDelaySeconds: 2, timeoutSeconds: JOB_SECONDS, concurrency: 1 },
    async ({ data: { runId }, signal }) => {
      const run = await store.going(runId);
      // The run was deleted meanwhile, or an earlier attempt ended it without the job noticing.
      if (run === undefined) return;
      const startedAt = new Date();
      const outcome = await outcomeOf(parts, runId, run, signal);
      const endedAt = new Date();
      const minutes = (endedAt.getTime() - startedAt.getTime()) / 60_000;
      // Counted even where the process stops: the provider was paid, and the next process holds the
      // conversation again.
      await caps.count({ kind: 'test', minutes, cost: outcome.cost, costs: outcome.costs ?? [] });
      // A process that stops leaves the run to the next one.
      signal.throwIfAborted();
      const times = { startedAt: startedAt.toISOString(), endedAt: endedAt.toISOString() };
      await store.end(runId, { ...outcome, ...times });
    },
  );
  return {
    store,
    async begin(given, queries) {
      const run = await store.begin(given, queries);
      await resources.jobs.add(queries, RUN_JOB, { runId: run.id });
      return run;
    },
    admit: async (target) => admit(parts, await assistantOf(parts.records, target)),
  };
}

/** @throws ServiceError 429 if the model of an assistant costs something and a daily cap is reached */
async function admit({ engines, caps }: EvaluationParts, assistant: CallAssistant): Promise<void> {
  const call = { callId: 'test', assistant, log: () => {} };
  if ((await engines.charges?.(call, 'model')) === true) await caps.admitTrial();
}

async function outcomeOf(
  parts: EvaluationParts,
  id: string,
  { eval: { messages }, target }: KeptRun,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const { resources, records, engines } = parts;
  const { TIME_ZONE: zone, VOICE_CALL_SPEND: mostDollars } = resources.settings;
  const warnings: string[] = [];
  try {
    const assistant = fillAssistant(await assistantOf(records, target), {
      now: new Date(),
      zone,
      brand: resources.settings.BRAND,
      warn: (line) => void warnings.push(line),
    });
    // Runs before this one may have reached a cap while it waited.
    await admit(parts, assistant);
    const outcome = await runEvaluation(engines, { id, assistant, messages, signal, mostDollars });
    return { ...outcome, warnings: [...warnings, ...outcome.warnings] };
  } catch (error) {
    const endedMessage = (error as Error).message;
    return { status: 'fail', endedReason: 'error', endedMessage, messages: [], warnings, cost: 0 };
  }
}
