import type { CallAssistant } from '../engines/engines.server.ts';

const LONGEST_SENTENCE = 400;
/** Matches instructions to the assistant, which are not answers for a caller. */
const INSTRUCTION =
  /^(you are|you're|your (task|job|role|goal)|always|never|do not|don't|be |keep|speak|answer|respond|act|if the (caller|user))\b/i;

/** The assistant's own prompt; empty where it has none. */
export function promptOf({ model }: CallAssistant): string {
  return (model?.messages ?? [])
    .flatMap((message) =>
      message.role === 'system' && typeof message.content === 'string' ? [message.content] : [],
    )
    .join('\n');
}

/**
 * Whether an assistant speaks for the agency, from its catalogue: one without a prompt, and one whose
 * `model.knowledgeBase.provider` is `agency`. All others know only what their prompt and their files say.
 */
export function isAgencys(assistant: CallAssistant): boolean {
  return assistant.model?.knowledgeBase?.provider === 'agency' || promptOf(assistant).trim() === '';
}

/** The prompt of an assistant that also knows the agency's catalogue, sentence by sentence. */
export function sentencesOf(assistant: CallAssistant): string[] {
  return (promptOf(assistant).match(/[^.!?\n]+[.!?]?/g) ?? [])
    .map((sentence) => sentence.trim())
    .filter(
      (sentence) => sentence !== '' && sentence.length <= LONGEST_SENTENCE && !INSTRUCTION.test(sentence),
    );
}
