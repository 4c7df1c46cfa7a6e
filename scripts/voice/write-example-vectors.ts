import { writeFileSync } from 'node:fs';
import { createMeaning } from '../../src/voice/dialogue/knowledge/meaning-client.server.ts';
import {
  CALLER_EXAMPLES,
  examplesDigest,
  packVector,
  VECTORS_FILE,
} from '../../src/voice/dialogue/topics/caller-examples.server.ts';

// Writes the meaning of what callers say beside it, so that no call waits for some hundred sentences to be read by the model.
const meaning = createMeaning();
// The worker alone does not keep a process alive.
const stay = setInterval(() => {}, 60_000);
const vectors = await meaning.embed(CALLER_EXAMPLES.map(({ words }) => words));
writeFileSync(VECTORS_FILE, `${[examplesDigest(), ...vectors.map(packVector)].join('\n')}\n`);
clearInterval(stay);
await meaning.close();
console.log(`${vectors.length} vectors`);
