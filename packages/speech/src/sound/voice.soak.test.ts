import path from 'node:path';
import fc from 'fast-check';
import { test } from 'vitest';
import { writtenText } from '../text/written-text.fixture.ts';
import { expectSound } from './any-text.fixture.ts';
import { openVoice } from './voice.ts';
import { readVoiceFolder } from './voice-folder.ts';

test('two thousand texts of any kind are said', async () => {
  const voice = await openVoice(readVoiceFolder(path.join(import.meta.dirname, '../../voices/emma')));
  const seed = Math.floor(Math.random() * 2 ** 31);
  console.log(`seed ${seed}`);
  for (const text of fc.sample(writtenText(), { numRuns: 2000, seed })) await expectSound(voice, text);
});
