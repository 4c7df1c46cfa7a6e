import type { SpokenKnowledge } from './model-preparation.server.ts';

/** What models are prepared from; the answer is a `PreparedModels`. */
export interface ModelsRequest {
  readonly knowledge: SpokenKnowledge;
  readonly folder: string;
}
