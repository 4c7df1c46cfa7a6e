import path from 'node:path';
import { joined } from '../../packages/telephone-audio/src/sounds.fixture.ts';
import { spokenKnowledge } from '../../src/voice/dialogue/agency-knowledge.server.ts';
import { prepareModels } from '../../src/voice/engines/recognition/model-preparation.server.ts';
import { type Figure, median, shown } from '../support/figure.ts';
import type { Product } from '../support/product.ts';
import { QUESTIONS } from './measure-turns.ts';
import { type CallerSounds, silence } from './support/caller-sounds.ts';
import { KNOWN } from './support/known-agency.ts';
import { RATE } from './support/sound-find.ts';
import { openSoundReader } from './support/sound-reader.ts';

/**
 * The engines' processing time as a ratio to the length of the sound, and the recogniser's remaining work
 * after its end.
 */
export async function measureEngines({ dataDir }: Product, sounds: CallerSounds): Promise<Figure[]> {
  const heard: number[] = [];
  const finished: number[] = [];
  const models = await prepareModels(spokenKnowledge(KNOWN), path.join(dataDir, 'bench-models'));
  const reader = await openSoundReader(models);
  for (const question of QUESTIONS) {
    const clip = await sounds.say(`Well, ${question}`);
    const utterance = joined([silence(0.3), clip, silence(0.3)]);
    const begun = performance.now();
    await reader.read(utterance, 'whole');
    finished.push(performance.now() - begun);
    heard.push((performance.now() - begun) / msOf(utterance));
  }
  return [
    ratioFigure(
      'Recognition',
      median(heard),
      `${reader.runtime}, a whole utterance; ${shown(median(finished), 'ms')} after the last sound`,
    ),
  ];
}

const msOf = (pcm: Int16Array): number => (pcm.length / RATE) * 1000;

function ratioFigure(name: string, ratio: number, against: string): Figure {
  return {
    name: `${name}: time to sound`,
    measured: shown(ratio, ''),
    against: `ratio to the length of the same sound; ${against}`,
    aim: 'under 0.5 (four calls, two cores)',
    met: ratio < 0.5,
  };
}
