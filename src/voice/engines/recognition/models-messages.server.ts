import type { SpokenKnowledge } from './model-preparation.server.ts';

/** What a worker prepares models from; the answer is a `PreparedModels`. */
export interface ModelsRequest {
  readonly knowledge: SpokenKnowledge;
  readonly folder: string;
}
