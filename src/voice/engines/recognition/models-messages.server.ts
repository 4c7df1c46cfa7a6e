import type { RecogniserFiles } from './find-recogniser.server.ts';
import type { SpokenKnowledge } from './prepare-models.server.ts';

/** What models are prepared from; the answer is a `PreparedModels`. */
export interface ModelsRequest {
  readonly files: RecogniserFiles;
  readonly knowledge: SpokenKnowledge;
  readonly folder: string;
}
