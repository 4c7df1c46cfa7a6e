import path from 'node:path';
import fc from 'fast-check';
import { test } from 'vitest';
import { writtenText } from '../text/written-text.fixture.ts';
import { expectSound } from './expect-sound.fixture.ts';
import { openVoice } from './voice.ts';
import { readVoiceFolder } from './voice-folder.ts';

const SEED = Number(process.env.SOAK_SEED ?? 1);
const COUNT = 120;

test(`${COUNT} texts of any kind and length are said`, async () => {
  const voice = await openVoice(readVoiceFolder(path.join(import.meta.dirname, '../../voices/emma')));
  for (const text of fc.sample(writtenText(), { numRuns: COUNT, seed: SEED })) await expectSound(voice, text);
});
