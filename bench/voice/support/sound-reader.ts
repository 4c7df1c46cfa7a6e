import { readFileSync } from 'node:fs';
import type { ModelRuntime } from '@northline/speech/model-runtime';
import type { ExpectedWords, Recognised } from '../../../src/voice/engines/engines.server.ts';
import { readLanguageModel } from '../../../src/voice/engines/recognition/language-model-lookup.server.ts';
import type { PreparedModels } from '../../../src/voice/engines/recognition/model-preparation.server.ts';
import { openMoonshine } from '../../../src/voice/engines/recognition/moonshine-model.server.ts';
import { readWeights } from '../../../src/voice/engines/recognition/moonshine-weights.server.ts';
import {
  READING_WIDTH,
  readUtterance,
} from '../../../src/voice/engines/recognition/utterance-reading.server.ts';
import { createWordBias } from '../../../src/voice/engines/recognition/word-bias.server.ts';

/** The product's recogniser in this process: one sound after another. */
export interface SoundReader {
  readonly runtime: ModelRuntime;
  read(pcm: Int16Array, part: keyof typeof READING_WIDTH, expected?: ExpectedWords): Promise<Recognised>;
}

/** Opens it with an assistant's models. */
export async function openSoundReader(models: PreparedModels, runtime?: ModelRuntime): Promise<SoundReader> {
  const language = readLanguageModel(readFileSync(models.ownModel, 'utf8'));
  const model = await openMoonshine(await readWeights(), runtime);
  return {
    runtime: model.runtime,
    async read(pcm, part, expected) {
      const bias = createWordBias(language, models.phrases, expected);
      const heard = await readUtterance(model, pcm, { bias, width: READING_WIDTH[part] });
      return heard ?? { text: '', confidence: 0 };
    },
  };
}
