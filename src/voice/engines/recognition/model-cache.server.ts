import { programFile } from '../../../kernel/concurrency/program-file.ts';
import { createThreadClient } from '../../../kernel/concurrency/worker-client.server.ts';
import type { PreparedModels, SpokenKnowledge } from './model-preparation.server.ts';
import type { ModelsRequest } from './models-messages.server.ts';

const ENTRY = programFile('src/voice/engines/recognition/models-process.server.ts');
const MOST_KEPT = 100;

/** The models for what an assistant knows, prepared once in a worker for the same knowledge. */
export interface KeptModels {
  /** @throws Error when they cannot be written */
  for(knowledge: SpokenKnowledge): Promise<PreparedModels>;
  close(): Promise<void>;
}

/** @param folder where the files are kept */
export function keepModels(folder: string): KeptModels {
  const worker = createThreadClient<ModelsRequest, PreparedModels>(ENTRY);
  const kept = new Map<string, Promise<PreparedModels>>();
  let asked = 0;

  async function prepare(knowledge: SpokenKnowledge): Promise<PreparedModels> {
    asked += 1;
    try {
      return await worker.ask({ knowledge, folder });
    } finally {
      asked -= 1;
      // The worker is needed for new knowledge only, and holds memory.
      if (asked === 0) await worker.close();
    }
  }

  return {
    for(knowledge) {
      const key = JSON.stringify(knowledge);
      const known = kept.get(key);
      if (known !== undefined) return known;
      const prepared = prepare(knowledge);
      kept.set(key, prepared);
      if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value ?? '');
      prepared.catch(() => kept.delete(key));
      return prepared;
    },
    close: () => worker.close(),
  };
}
