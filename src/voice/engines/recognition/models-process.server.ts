/** The worker that prepares models: some 0.5 s of work, during which calls must go on. */
import { serveWorkerRequests } from '../../../kernel/concurrency/worker-server.server.ts';
import { prepareModels } from './model-preparation.server.ts';
import type { ModelsRequest } from './models-messages.server.ts';

serveWorkerRequests(({ knowledge, folder }: ModelsRequest) => prepareModels(knowledge, folder));
