import { createMeaning } from '../../src/voice/dialogue/knowledge/meaning-client.server.ts';
import { trainCallers } from './train-callers.ts';
import { trainFacts } from './train-facts.ts';
import { trainSubjects } from './train-subjects.ts';

// Learns from the examples of what callers say, and writes it beside them: what is meant is decided by numbers that nobody set by
// hand, and no call waits for some thousand sentences to be read by the model. The same examples give the same files.
const meaning = createMeaning();
// The worker alone does not keep a process alive.
const stay = setInterval(() => {}, 60_000);
await trainCallers(meaning.embed);
await trainSubjects(meaning.embed);
await trainFacts(meaning.embed);
clearInterval(stay);
await meaning.close();
