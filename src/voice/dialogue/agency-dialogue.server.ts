import type { DialogueManager } from '../engines/engines.server.ts';
import type { AgencyKnowledge } from './agency-knowledge.server.ts';
import { type AssistantAnswers, createCallDialogue } from './call-dialogue.server.ts';
import type { DialogueTools } from './dialogue-tools.server.ts';
import { answerTopic, asksQuestion } from './topics/topic-answer.server.ts';

/** What a dialogue is made of. */
export interface AgencyDialogueOptions {
  readonly known: AgencyKnowledge;
  readonly tools: DialogueTools;
  /** IANA name of the agency's time zone. */
  readonly zone: string;
  readonly now?: () => Date;
  /** A spoken answer of the assistant's own files; `sure` where nothing else could be meant. */
  readonly consult?: Consult | undefined;
}

type Consult = (question: string, sure: boolean) => Promise<string | null>;

/** The dialogue of the agency's own front office, out of its catalogue and its files. */
export function createAgencyDialogue({
  known,
  consult,
  tools,
  zone,
  now,
}: AgencyDialogueOptions): DialogueManager {
  return createCallDialogue({ answers: agencyAnswers(known, consult), tools, zone, now });
}

function agencyAnswers(known: AgencyKnowledge, consult: Consult = async () => null): AssistantAnswers {
  const inFiles = async (words: string, sure: boolean) => {
    const sentence = await consult(words, sure);
    return sentence === null ? null : { topic: 'file', sentence, action: null };
  };
  return {
    name: 'agency-dialogue',
    greeting: [
      `Hello, I am the AI assistant of ${known.brand}. This call is not recorded.`,
      'How can I help you?',
    ],
    misses: [
      'Sorry, I did not understand that. I can tell you about our services and prices, take an enquiry, or book a call. What would you like?',
      'I am afraid I still do not understand. I can tell you about prices and services, take an enquiry, or book a call.',
      'I did not get that either. You can type to me as well, or I take a message for a colleague. Shall I?',
    ],
    sent: 'Thank you. A colleague replies within 24 hours. Is there anything else?',
    notSent: 'I am sorry, I could not store it. Please use the enquiry form on this page.',
    messageFor: '',
    answer: async (words, before) =>
      (await inFiles(words, true)) ?? answerTopic(words, known, before) ?? (await inFiles(words, false)),
    asksQuestion: async (words, before) => asksQuestion(words, known, before),
  };
}
