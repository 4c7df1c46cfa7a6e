import { createMeaning } from '../../src/voice/dialogue/knowledge/meaning-client.server.ts';
import { trainCallers } from './train-callers.ts';
import { trainFacts } from './train-facts.ts';
import { trainSubjects } from './train-subjects.ts';

// Learns from the examples of what callers say, and writes the result beside them. So no number that decides
// a meaning is set by hand, and no call waits until the model has read some thousand sentences. The same
// examples give the same files.
const meaning = createMeaning();
// The worker alone does not keep the process alive.
const stay = setInterval(() => {}, 60_000);
await trainCallers(meaning.embed);
await trainSubjects(meaning.embed);
await trainFacts(meaning.embed);
clearInterval(stay);
await meaning.close();
