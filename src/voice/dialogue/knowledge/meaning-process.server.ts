/** The process that turns texts into vectors: some milliseconds of work each, during which calls must go on. */
import type { ModelRuntime } from '@northline/speech/model-runtime';
import { serveWorkerRequests } from '../../../kernel/concurrency/worker-server.server.ts';
import { openMeaningModel } from '../likeness/meaning-model.server.ts';
import type { MeaningReply, MeaningRequest } from './meaning-messages.server.ts';

const [runtime] = process.argv.slice(2) as [ModelRuntime?];
const loading = openMeaningModel(runtime);
// The first request reports a failure to load; until then it must not count as an unhandled rejection.
loading.catch(() => {});

serveWorkerRequests(async ({ texts }: MeaningRequest): Promise<MeaningReply> => {
  const model = await loading;
  return { vectors: await model.embed(texts) };
});
