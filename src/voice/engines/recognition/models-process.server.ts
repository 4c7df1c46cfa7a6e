/** The worker that prepares models: some 0.5 s of work, during which calls must go on. */
import { answerAsker } from '../answer-asker.server.ts';
import type { ModelsRequest } from './models-messages.server.ts';
import { prepareModels } from './prepare-models.server.ts';

answerAsker(({ files, knowledge, folder }: ModelsRequest) => prepareModels(files, knowledge, folder));
