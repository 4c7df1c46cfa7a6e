import type { SpokenKnowledge } from '../../engines/recognition/model-preparation.server.ts';
import { SUBJECT_TEXTS } from './business-subjects.server.ts';
import { type Embed, MOST_MEANT, textsOf } from './fact-search.server.ts';
import { HOURS_QUESTIONS } from './prompt-answers.server.ts';
import { readPrompt } from './prompt-reading.server.ts';

/** Computes the vectors of a prompt's facts before the first question. Never rejects. */
export async function warmMeaning(prompt: string, embed: Embed): Promise<void> {
  const texts = readPrompt(prompt).facts.slice(0, MOST_MEANT).flatMap(textsOf);
  // If this fails, the first answers come from words alone.
  await embed([...HOURS_QUESTIONS, ...SUBJECT_TEXTS, ...texts]).catch(() => []);
}

/** What callers of an assistant may say because of its prompt, for the recogniser's language model. */
export function spokenPrompt(prompt: string): SpokenKnowledge {
  const { facts, organisation, name } = readPrompt(prompt);
  const named = [organisation, name].flatMap((one) => one ?? []);
  const entries = facts.flatMap(({ entry }) => entry ?? []);
  const things = entries.length > 0 ? entries : named.length > 0 ? named : ['your services'];
  return {
    plans: things,
    services: things,
    sentences: [...named.flatMap((one) => [one, `is this ${one}`]), ...facts.map(({ text }) => text)],
  };
}
