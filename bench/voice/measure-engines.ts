import path from 'node:path';
import { spokenKnowledge } from '../../src/features/voice/dialogue/agency-knowledge.server.ts';
import { findRecogniser } from '../../src/features/voice/recognition/find-recogniser.server.ts';
import { openDecoder } from '../../src/features/voice/recognition/open-decoder.server.ts';
import { prepareModels } from '../../src/features/voice/recognition/prepare-models.server.ts';
import { joined } from '../../tests/support/join-sound.ts';
import { type Figure, median, shown } from '../figure.ts';
import type { Product } from '../product.ts';
import { type CallerSounds, silence } from './caller-sounds.ts';
import { RATE } from './find-sound.ts';
import { QUESTIONS } from './measure-turns.ts';

const WINDOW = 512;
const KNOWN = { brand: 'Northline', contactEmail: 'hello@northline.example', hours: '', sentences: [] };

/** The engines' time as a ratio to the sound that they work on, and what recognition still does after the end of it. */
export async function measureEngines({ dataDir }: Product, sounds: CallerSounds): Promise<Figure[]> {
  const made: number[] = [];
  const heard: number[] = [];
  const finished: number[] = [];
  const files = findRecogniser();
  if (files === null) throw new Error('PocketSphinx is not installed.');
  const models = await prepareModels(files, spokenKnowledge(KNOWN), path.join(dataDir, 'bench-models'));
  const decoder = openDecoder({ ...files, ...models });
  for (const question of QUESTIONS) {
    const before = performance.now();
    // A word before it, so that no sound is taken from what the speaker keeps.
    const clip = await sounds.say(`Well, ${question}`);
    made.push((performance.now() - before) / msOf(clip));
    const utterance = joined([silence(0.3), clip, silence(0.3)]);
    const begun = performance.now();
    decoder.begin();
    for (let at = 0; at < utterance.length; at += WINDOW) decoder.hear(utterance.slice(at, at + WINDOW));
    heard.push((performance.now() - begun) / msOf(utterance));
    const ending = performance.now();
    decoder.end();
    finished.push(performance.now() - ending);
  }
  return [
    ratioFigure('Recognition', median(heard), `${shown(median(finished), 'ms')} more after the last sound`),
    ratioFigure('Synthesis', median(made), 'in the speech worker'),
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
