import { wallTimeOf } from '../../business/bookings/zoned-time.server.ts';
import type { PublishedSite } from '../../kernel/contract/site-content.ts';
import type { DialogueManager } from '../engines/engines.server.ts';
import { type AssistantAnswers, createCallDialogue } from './call-dialogue.server.ts';
import type { DialogueTools } from './dialogue-tools.server.ts';
import type { Embed } from './knowledge/fact-search.server.ts';
import { PromptAnswers } from './knowledge/prompt-answers.server.ts';
import { readPrompt } from './knowledge/prompt-reading.server.ts';
import { termsOf } from './likeness/word-meanings.server.ts';
import { answerManners, callTopics } from './topics/call-topics.server.ts';
import { isQuestion, type TopicAnswer } from './topics/topic-answer.server.ts';

/** What the dialogue of an assistant with its own prompt is made from. */
export interface PromptDialogueOptions {
  /** The agency that takes its messages. */
  readonly site: PublishedSite;
  /** Its system prompt, in whatever form its author wrote it. */
  readonly prompt: string;
  /** Its name in its record; a name that its prompt states comes first. */
  readonly name: string | null;
  readonly tools: DialogueTools;
  /** IANA name of the time zone in which it states times. */
  readonly zone: string;
  readonly now?: (() => Date) | undefined;
  /**
   * Searches the assistant's files for a spoken answer; with `sure`, only where nothing else can be meant.
   */
  readonly consult?: Consult | undefined;
  /** Embeds texts to compare their meaning; without it only words are compared. */
  readonly embed?: Embed | null;
}

type Consult = (question: string, sure: boolean) => Promise<string | null>;

/** Topics of small talk whose words often mean something else in a business's questions. */
const PASSING: ReadonlySet<string> = new Set(['repeat', 'wait', 'hello', 'thanks', 'never-mind', 'no']);
const UNKNOWN = "I don't have that here; shall I take a message?";
const FORBIDDEN = 'I am sorry, I cannot help with that. Shall I take a message?';

/**
 * The dialogue of an assistant that knows only what its prompt and its files say: not the agency's catalogue,
 * and nothing else that was not written for it. When it does not know something, it says so.
 */
export function createPromptDialogue(options: PromptDialogueOptions): DialogueManager {
  const { site, tools, zone, now } = options;
  return createCallDialogue({ site, answers: promptAnswers(options), tools, zone, now });
}

function promptAnswers({
  site,
  prompt,
  name,
  zone,
  now,
  consult,
  embed,
}: PromptDialogueOptions): AssistantAnswers {
  const reading = readPrompt(prompt);
  const clock = now ?? (() => new Date());
  const known = new PromptAnswers(reading, () => wallTimeOf(clock(), zone), embed ?? null);
  const speaks = { name: reading.name, organisation: reading.organisation };
  const topics = callTopics(speaks);
  const whose = reading.organisation === null ? '' : ` of ${reading.organisation}`;

  /** Answers what is not small talk: from the prompt, then from the files, then from what comes closest. */
  async function fromKnowledge(words: string): Promise<TopicAnswer | null> {
    const told = await known.answer(words);
    if (told.is === 'forbidden') return { topic: 'forbidden', sentence: FORBIDDEN, action: null };
    if (told.is === 'told') return { topic: 'known', sentence: told.sentence, action: null };
    const fromFile = await (consult?.(words, true) ?? null);
    const closest = fromFile ?? (told.is === 'unknown' ? await (consult?.(words, false) ?? null) : null);
    if (closest !== null) return { topic: 'file', sentence: closest, action: null };
    return told.is === 'asks-back' ? { topic: 'asks-back', sentence: told.sentence, action: null } : null;
  }

  async function answer(words: string): Promise<TopicAnswer | null> {
    const manners = answerManners(site, topics, words, true);
    // `When is my repeat prescription ready?` does not ask to repeat anything.
    const passing = manners !== null && PASSING.has(manners.topic) && known.knows(words);
    const answered =
      (passing ? null : manners) ??
      (await fromKnowledge(words)) ??
      // A question with words of the business is not small talk, even where nobody knows its answer.
      (passing && isQuestion(words) ? null : manners) ??
      (termsOf(words).length < 2 ? answerManners(site, topics, words, false) : null);
    if (answered !== null) return answered;
    const asks = isQuestion(words) || termsOf(words).length > 0;
    return asks ? { topic: 'unknown', sentence: UNKNOWN, action: null } : null;
  }

  return {
    name: 'prompt-dialogue',
    greeting: [
      `Hello, I am ${reading.name === null ? '' : `${reading.name}, `}the AI assistant${whose}.`,
      'How can I help you?',
    ],
    misses: [
      'Sorry, I did not understand that. What would you like to know?',
      'I am afraid I still do not understand. Could you say it in other words?',
      'I did not get that either. You can type to me as well, or I take a message. Shall I?',
    ],
    sent: 'Thank you. I have passed it on. Is there anything else?',
    notSent: 'I am sorry, I could not store it.',
    messageFor: reading.organisation ?? reading.name ?? name ?? 'an assistant',
    answer,
    async asksQuestion(words) {
      if (!isQuestion(words)) return false;
      const found = await answer(words);
      return found !== null && found.action === null;
    },
  };
}
