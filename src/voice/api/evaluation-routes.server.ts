import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type EvalBody,
  evalListSchema,
  evalRunSchema,
  evalSchema,
} from '../evaluations/evaluation.contract.ts';
import type { Evaluations } from '../evaluations/evaluation-service.server.ts';
import type { EvalRecord } from '../evaluations/evaluation-store.server.ts';
import { requireAssistantParts } from '../records/assistant-parts.server.ts';
import { jsonObject } from '../records/voice-fields.contract.ts';
import { idOf, parseVoice, type VoiceScope } from '../records/voice-scope.server.ts';
import { mergeChanges } from './record-routes.server.ts';
import type { Page } from './result-pages.server.ts';

const RUNS = { name: 'runs of tests', count: 60, seconds: 60 };

/** Mounts tests of assistants and their runs: `/eval` and `/eval/run`, as the published server SDK calls them. */
export function mountEvaluations(scope: VoiceScope, { store, begin, admit }: Evaluations): void {
  const { server, records, resources, http } = scope;
  const exists = (given: EvalBody): Promise<void> =>
    records.mustExist('assistant', [given.assistantId], 'assistantId');
  server.post('/eval', async (request, reply) => {
    const given = parseVoice(evalSchema, request.body);
    await exists(given);
    return reply.code(201).send(await store.create(given));
  });
  server.get('/eval', async (request) => pageOf(request, (query) => store.list(query)));
  server.register(async (single) => {
    // Simulated callers are another resource of the published API, which is not offered here.
    single.addHook('preValidation', async (request: FastifyRequest, reply: FastifyReply) => {
      if ((request.params as { id?: string }).id === 'simulation') reply.callNotFound();
    });
    single.get('/eval/:id', async (request) => store.find(idOf(request)));
    single.patch('/eval/:id', async (request) => {
      const given = parseVoice(jsonObject, request.body);
      const next = (present: object): EvalBody =>
        parseVoice(evalSchema, mergeChanges(present as Record<string, unknown>, given));
      const id = idOf(request);
      if (typeof given.assistantId === 'string')
        await records.mustExist('assistant', [given.assistantId], 'assistantId');
      return store.change(id, next);
    });
    single.delete('/eval/:id', async (request) => store.remove(idOf(request)));
  });
  server.post('/eval/run', async (request, reply) => {
    await http.rateLimiter.take(RUNS, http.addressOf(request));
    const given = parseVoice(evalRunSchema, request.body);
    const { assistant, assistantId } = given.target;
    await records.mustExist('assistant', [assistantId], 'target.assistantId');
    if (assistant !== undefined) await requireAssistantParts(records, assistant);
    await admit(given.target);
    const run = await resources.database.transaction((queries) => begin(given, queries));
    return reply.code(201).send(run);
  });
  server.get('/eval/run', async (request) => pageOf(request, (query) => store.listRuns(query)));
  server.get('/eval/run/:id', async (request) => store.findRun(idOf(request)));
  server.delete('/eval/run/:id', async (request) => store.removeRun(idOf(request)));
}

async function pageOf(
  request: FastifyRequest,
  list: (
    query: ReturnType<typeof evalListSchema.parse>,
  ) => Promise<{ readonly results: readonly EvalRecord[]; readonly total: number }>,
): Promise<Page<EvalRecord>> {
  const query = parseVoice(evalListSchema, request.query);
  const { results, total } = await list(query);
  return {
    results,
    metadata: { itemsPerPage: query.limit, totalItems: total, currentPage: query.page },
  };
}
