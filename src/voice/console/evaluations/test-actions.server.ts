import { z } from 'zod';
import {
  declareOperatorWork,
  type OperatorScope,
  signAsOperator,
} from '../../../business/console/operator-gate.server.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { type EvalBody, evalSchema } from '../../evaluations/evaluation.contract.ts';
import type { Evaluations } from '../../evaluations/evaluation-service.server.ts';
import { requireAssistantParts } from '../../records/assistant-parts.server.ts';
import type { VoiceRecords } from '../../records/voice-records.server.ts';
import { parseVoice } from '../../records/voice-scope.server.ts';
import { DRAFT, withDraft } from '../assistants/assistant-draft.server.ts';
import { JUDGES, TEST_LENGTHS } from './assistant-tests.contract.ts';
import { messagesOf } from './test-lines.server.ts';

const LINE = z.object({
  say: z.string().trim().min(1).max(TEST_LENGTHS.line),
  judge: z.enum(JUDGES),
  expect: z.string().trim().max(TEST_LENGTHS.expect),
  tool: z.string().trim().max(TEST_LENGTHS.tool),
});
const RUNS_A_MINUTE = 20;

/** What the actions use. */
export interface TestWork {
  readonly records: VoiceRecords;
  readonly evaluations: Evaluations;
}

/**
 * What an operator can do with the tests of an assistant; each action is audited in the transaction of its
 * change.
 */
export function serveTestActions(scope: OperatorScope, work: TestWork): void {
  serveSaving(scope, work);
  serveRunning(scope, work);
}

function serveSaving(scope: OperatorScope, { records, evaluations: { store } }: TestWork): void {
  const { database } = scope.resources;
  declareOperatorWork(scope, {
    name: 'save-test',
    input: z.object({
      id: z.uuid().nullable(),
      assistantId: z.uuid(),
      name: z.string().trim().min(1).max(TEST_LENGTHS.name),
      lines: z.array(LINE).min(1).max(TEST_LENGTHS.lines),
    }),
    async work(caller, { id, assistantId, name, lines }) {
      await records.mustExist('assistant', [assistantId], 'assistantId');
      const changes = { name, messages: messagesOf(lines) };
      const next = (present: object): EvalBody =>
        parseVoice(evalSchema, { ...present, ...changes, type: 'chat.mockConversation', assistantId });
      return database.transaction(async (queries) => {
        const saved =
          id === null ? await store.create(next({}), queries) : await store.change(id, next, queries);
        await signAsOperator(queries, caller, { action: 'test.save', subject: saved.id });
        return { id: saved.id };
      });
    },
  });
  declareOperatorWork(scope, {
    name: 'delete-test',
    input: z.object({ id: z.uuid() }),
    work: (caller, { id }) =>
      database.transaction(async (queries) => {
        await signAsOperator(queries, caller, { action: 'test.delete', subject: id });
        await store.remove(id, queries);
        return { done: true };
      }),
  });
}

function serveRunning(scope: OperatorScope, { records, evaluations }: TestWork): void {
  const { database } = scope.resources;
  declareOperatorWork(scope, {
    name: 'run-tests',
    input: z.object({ assistantId: z.uuid(), draft: DRAFT.nullable() }),
    bodyLimit: 256 * 1024,
    perMinute: RUNS_A_MINUTE,
    async work(caller, { assistantId, draft }) {
      const changes = draft === null ? null : withDraft(await records.whole('assistant', assistantId), draft);
      if (changes !== null) await requireAssistantParts(records, changes);
      const target = {
        type: 'assistant' as const,
        assistantId,
        ...(changes === null ? {} : { assistantOverrides: changes }),
      };
      const tests = await database.many('select id from private.voice_evals where assistant_id = $1', [
        assistantId,
      ]);
      if (tests.length === 0)
        throw new ServiceError(409, 'nothing_to_do', 'This assistant has no tests yet. Write one first.');
      await evaluations.admit(target);
      await database.transaction(async (queries) => {
        const details = { draft: draft !== null };
        await signAsOperator(queries, caller, { action: 'test.run', subject: assistantId, details });
        for (const { id } of tests) await evaluations.begin({ type: 'eval', evalId: id, target }, queries);
      });
      return { begun: tests.length };
    },
  });
}
