import { startVoiceProviders } from '../../tests/support/servers/voice-provider-servers.ts';
import type { Figure } from '../support/figure.ts';
import { freePort, freshDataDir, removeDataDir, startProduct } from '../support/product.ts';
import { measureTurns, QUESTIONS, turnFigures } from './measure-turns.ts';
import type { CallerSounds } from './support/caller-sounds.ts';

const ANSWER = 'Certainly. That is what you asked for.';
/** Time between two words of live recognition. */
const WORD_MS = 180;

/**
 * Turns with live recognition, a streaming model and a streaming voice from a provider that answers at once.
 */
export async function measureProvider(sounds: CallerSounds): Promise<Figure[]> {
  const providers = await startVoiceProviders();
  const dataDir = freshDataDir();
  const questions = [...QUESTIONS, ...QUESTIONS.slice(0, 3)];
  providers.wordMs = WORD_MS;
  const product = await startProduct(dataDir, await freePort(), {
    VOICE_LLM_URL: providers.address('http', '/v1'),
    VOICE_STT_URL: providers.address('ws', '/v1/listen'),
    VOICE_TTS_URL: providers.address('http', '/v1'),
  });
  try {
    for (const _voice of [1, 2])
      for (const question of questions) {
        providers.heard.push(question);
        providers.answers.push({ text: ANSWER });
      }
    const series = await measureTurns(product, sounds, {
      voices: ['rms', 'awb'],
      questions,
      pauseSeconds: 4,
    });
    return turnFigures('Provider', series, { median: 700, p95: undefined });
  } finally {
    await product.stop();
    await providers.close();
    removeDataDir(dataDir);
  }
}
