import { type WallTime, wallTimeOf } from '../../business/bookings/zoned-time.server.ts';
import type { DialogueManager } from '../engines/engines.server.ts';
import type { AgencyKnowledge } from './agency-knowledge.server.ts';
import { type AssistantAnswers, createCallDialogue } from './call-dialogue.server.ts';
import type { DialogueTools } from './dialogue-tools.server.ts';
import type { Embed } from './knowledge/fact-search.server.ts';
import { asksForDay, sayOpenOn } from './knowledge/hours-exceptions.server.ts';
import { readConsent } from './spoken/caller-consent.server.ts';
import { normaliseWords } from './spoken/word-normalisation.server.ts';
import { meantTopic } from './topics/meant-topic.server.ts';
import { asksQuestion, type Earlier, type TopicAnswer } from './topics/topic-answer.server.ts';

/** What the dialogue is made from. */
export interface AgencyDialogueOptions {
  readonly known: AgencyKnowledge;
  readonly tools: DialogueTools;
  /** IANA name of the agency's time zone. */
  readonly zone: string;
  readonly now?: () => Date;
  /**
   * Searches the assistant's files for a spoken answer; with `sure`, only where nothing else can be meant.
   */
  readonly consult?: Consult | undefined;
  /** The sentences of its files, at most that many; they may name days on which the agency is closed. */
  readonly fileSentences?: ((most: number) => Promise<readonly string[]>) | undefined;
  /** Embeds texts, to ask back where the rules understand nothing; without it only words are compared. */
  readonly embed?: Embed | undefined;
}

type Consult = (question: string, sure: boolean) => Promise<string | null>;

/** The dialogue of the agency's own front office, from its catalogue and its files. */
export function createAgencyDialogue({
  known,
  consult,
  fileSentences,
  embed,
  tools,
  zone,
  now,
}: AgencyDialogueOptions): DialogueManager {
  const clock = (): WallTime => wallTimeOf((now ?? (() => new Date()))(), zone);
  return createCallDialogue({
    site: known.site,
    answers: agencyAnswers(known, { consult, fileSentences, embed, clock }),
    tools,
    zone,
    now,
  });
}

/** Most sentences of files in which a day is looked for. */
const FILE_SENTENCES = 500;
const PLACES = ['first', 'second', 'third'];
const PLACE = /\b(first|second|third|last)\b(?! (time|month|week|day|year))/;
const REFUSES_ALL =
  /^(no|nope|none|neither)( thanks| thank you)?$|\b(none|neither|not any) of (them|those|these|that)\b/;

type Sources = Pick<AgencyDialogueOptions, 'consult' | 'fileSentences' | 'embed'> & {
  readonly clock: () => WallTime;
};

function agencyAnswers(
  known: AgencyKnowledge,
  { consult = async () => null, fileSentences = async () => [], embed, clock }: Sources,
): AssistantAnswers {
  let asked: readonly string[] = [];
  const askBack = (questions: readonly string[]): TopicAnswer => {
    asked = questions;
    const [last = '', ...others] = asked.map((question) => `'${question.replace(/[.?]$/, '')}'`).reverse();
    const list = others.length === 0 ? last : `${others.reverse().join(', ')}, or ${last}`;
    return { topic: 'asks-back', sentence: `Do you mean ${list}?`, action: null };
  };
  /**
   * The question that the caller chose of those asked back, null for none; otherwise the words themselves.
   * Afterwards nothing is asked any more.
   */
  const chosen = (words: string): string | null => {
    const [only, ...more] = asked;
    if (only === undefined) return words;
    const place = PLACE.exec(words)?.[1];
    const one = place === 'last' ? asked.at(-1) : asked[PLACES.indexOf(place ?? '')];
    const refused = place !== undefined || REFUSES_ALL.test(words);
    const meant = one ?? (more.length === 0 && readConsent(words) === true ? only : undefined);
    asked = [];
    return meant === undefined ? (refused ? null : words) : normaliseWords(meant);
  };
  const inFiles = async (words: string, sure: boolean) => {
    const sentence = await consult(words, sure);
    return sentence === null ? null : { topic: 'file', sentence, action: null };
  };
  const onDay = async (words: string, before: Earlier | null): Promise<TopicAnswer | null> => {
    const { week } = known;
    if (week === undefined || !asksForDay(words, clock(), before?.topic === 'hours')) return null;
    const sentences = [...known.sentences, ...(await fileSentences(FILE_SENTENCES))];
    const sentence = sayOpenOn(words, { week, sentences, now: clock() });
    return sentence === null ? null : { topic: 'hours', sentence, action: null };
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
    async answer(said, before) {
      const words = chosen(said);
      if (words === null) return null;
      const open = await onDay(words, before);
      if (open !== null) return open;
      const sure = await inFiles(words, true);
      if (sure !== null) return sure;
      const meant = await meantTopic(words, known, before, embed);
      if (meant.is === 'told') return meant.answer;
      const close = await inFiles(words, false);
      return close ?? (meant.is === 'asks-back' ? askBack(meant.questions) : null);
    },
    asksQuestion: async (words, before) =>
      asksForDay(words, clock(), false) || asksQuestion(words, known, before),
  };
}
