import { plainWords } from '../../dialogue/spoken/word-normalisation.server.ts';
import type { CallAssistant, ExpectedWords } from '../../engines/engines.server.ts';
import { type EndpointRule, endpointRules } from '../../records/endpoint-rules.contract.ts';

/** The times (milliseconds) and words that govern one conversation. */
export interface ConversationRules {
  readonly firstMessage: string;
  readonly firstMessageMode: 'speaks' | 'generates' | 'waits';
  readonly firstMessageInterruptible: boolean;
  /**
   * Asks whether the call may be recorded; the first message waits for the answer. Empty where nothing is
   * asked.
   */
  readonly opening: string;
  /** An answer is not heard sooner than this after the end of the caller's speech. */
  readonly responseDelayMs: number;
  /** This much voice over the assistant's silences it. */
  readonly interruptAfterMs: number;
  /** Recognised words that an interruption needs; with 0 voice alone holds the assistant. */
  readonly interruptWords: number;
  /** How long the assistant stays silent after an interruption. */
  readonly backOffMs: number;
  /** Whether a caller who speaks for long hears `Mm-hm`. */
  readonly backChannels: boolean;
  readonly silenceTimeoutMs: number;
  readonly maxDurationMs: number;
  readonly endCallMessage: string;
  readonly endCallPhrases: readonly string[];
  /**
   * Sentences for a silent caller (`hooks`, `messagePlan`). Of those whose time has come, the first is said.
   */
  readonly silencePrompts: readonly SilencePrompt[];
  /** Said before the call ends for silence. */
  readonly silenceMessage: string;
  /** The assistant's own phrases, added to the default ones (`stopSpeakingPlan`). */
  readonly phrases: InterruptionPhrases;
  /** Pauses of the caller that end a turn, in place of the usual ones (`startSpeakingPlan`). */
  readonly pauses: EndpointPauses | undefined;
  /**
   * Pauses by what was said; they come before every other rule (`startSpeakingPlan.customEndpointingRules`).
   */
  readonly endpointRules: readonly EndpointRule[];
  /**
   * Set for a call that goes out: answering machines are recognised, and get this message, where it is not
   * empty.
   */
  readonly voicemail: { readonly message: string } | undefined;
}

/** A sentence for a silent caller. */
export interface SilencePrompt {
  readonly afterMs: number;
  readonly most: number;
  /** The sentences, said in turn. */
  readonly messages: readonly string[];
  /** Whether the count begins anew once the caller speaks. */
  readonly resets: boolean;
}

/** Phrases as plain words: those that never take the turn, and those that always do. */
export interface InterruptionPhrases {
  readonly acknowledgements: readonly string[];
  readonly interruptions: readonly string[];
}

/** Milliseconds of silence that end a turn after a punctuation mark, without one, and after a number. */
export interface EndpointPauses {
  readonly punctuation: number;
  readonly noPunctuation: number;
  readonly number: number;
}

const numberOf = (value: unknown, otherwise: number, most: number): number =>
  typeof value === 'number' && value >= 0 ? Math.min(value, most) : otherwise;

/**
 * The rules of an assistant; for missing fields the defaults are those of docs/contracts/voice.md §3 and §6.
 *
 * @param goesOut whether the call calls somebody by telephone, where a machine may answer
 * @param opening asked before the first message, which waits for the answer
 */
export function conversationRules(
  assistant: CallAssistant,
  {
    goesOut = false,
    opening = '',
  }: { readonly goesOut?: boolean; readonly opening?: string | undefined } = {},
): ConversationRules {
  const { startSpeakingPlan: start = {}, stopSpeakingPlan: stop = {}, messagePlan: plan = {} } = assistant;
  const modes = {
    'assistant-speaks-first': 'speaks',
    'assistant-speaks-first-with-model-generated-message': 'generates',
    'assistant-waits-for-user': 'waits',
  } as const;
  return {
    firstMessage: assistant.firstMessage ?? '',
    firstMessageMode: modes[assistant.firstMessageMode ?? 'assistant-speaks-first'],
    firstMessageInterruptible: assistant.firstMessageInterruptionsEnabled ?? true,
    opening,
    responseDelayMs: numberOf(start.waitSeconds, assistant.responseDelaySeconds ?? 0.4, 5) * 1000,
    interruptAfterMs: numberOf(stop.voiceSeconds, 0.2, 0.5) * 1000,
    interruptWords: numberOf(stop.numWords, assistant.numWordsToInterruptAssistant ?? 0, 10),
    backOffMs: numberOf(stop.backoffSeconds, 1, 10) * 1000,
    backChannels: assistant.backchannelingEnabled === true,
    silenceTimeoutMs: (assistant.silenceTimeoutSeconds ?? 30) * 1000,
    maxDurationMs: (assistant.maxDurationSeconds ?? 1800) * 1000,
    endCallMessage: assistant.endCallMessage ?? '',
    endCallPhrases: phrasesOf(assistant.endCallPhrases),
    silencePrompts: silencePrompts(assistant),
    silenceMessage: textsOf([plan.silenceTimeoutMessage])[0] ?? '',
    phrases: {
      acknowledgements: phrasesOf(stop.acknowledgementPhrases),
      interruptions: phrasesOf(stop.interruptionPhrases),
    },
    pauses: pausesOf(start.transcriptionEndpointingPlan),
    endpointRules: endpointRules(start.customEndpointingRules),
    voicemail: goesOut ? voicemailOf(assistant) : undefined,
  };
}

function silencePrompts({ hooks = [], messagePlan: plan = {} }: CallAssistant): SilencePrompt[] {
  const hooked = hooks
    .filter(({ on }) => on === 'customer.speech.timeout')
    .map(({ do: actions, options = {} }) => ({
      afterMs: (options.timeoutSeconds ?? IDLE_SECONDS) * 1000,
      most: options.triggerMaxCount ?? IDLE_MOST,
      messages: actions.flatMap(({ type, exact }) => (type === 'say' ? textsOf([exact].flat()) : [])),
      resets: options.triggerResetMode === 'onUserSpeech',
    }));
  const planned = {
    afterMs: Math.max(numberOf(plan.idleTimeoutSeconds, IDLE_SECONDS, 60), LEAST_IDLE_SECONDS) * 1000,
    most: numberOf(plan.idleMessageMaxSpokenCount, IDLE_MOST, 10),
    messages: textsOf(plan.idleMessages),
    resets: false,
  };
  return [...hooked, planned].filter(({ messages }) => messages.length > 0);
}

function voicemailOf({
  voicemailDetection,
  voicemailMessage,
}: CallAssistant): { message: string } | undefined {
  if (voicemailDetection === undefined || voicemailDetection === 'off') return undefined;
  return { message: voicemailMessage?.trim() ?? '' };
}

const LEAST_IDLE_SECONDS = 5;
const IDLE_SECONDS = 7.5;
const IDLE_MOST = 3;
const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : []).filter(
    (text): text is string => typeof text === 'string' && text !== '',
  );
const phrasesOf = (value: unknown): string[] =>
  textsOf(value)
    .map((phrase) => plainWords(phrase).join(' '))
    .filter((phrase) => phrase !== '');

function pausesOf(plan: unknown): EndpointPauses | undefined {
  if (typeof plan !== 'object' || plan === null) return undefined;
  const given = plan as Record<string, unknown>;
  return {
    punctuation: numberOf(given.onPunctuationSeconds, 0.1, 3) * 1000,
    noPunctuation: numberOf(given.onNoPunctuationSeconds, 1.5, 3) * 1000,
    number: numberOf(given.onNumberSeconds, 0.5, 3) * 1000,
  };
}

/** Words that show listening and do not ask for the turn (docs/contracts/voice.md §6). */
const ACKNOWLEDGEMENTS = new Set(
  [
    'uh huh um umm mm mmm hm hmm mhm mmhm uhhuh uh-huh aha ah oh okay ok yeah yep yes yup right',
    'sure good great fine cool nice exactly indeed correct true well i see got it alright er erm',
  ].flatMap((words) => words.split(' ')),
);
/** Phrases that take the turn at once, whatever the other rules say. */
const ALWAYS_INTERRUPTS =
  /^(?:please )?(?:stop|wait|hold on|hang on|no|nope|excuse me|shut up|be quiet|enough|pause|cancel|sorry but|one moment|just a (?:moment|second|minute))\b/;

/** What a text means for the assistant's turn. */
export type Weight = 'nothing' | 'acknowledgement' | 'words' | 'stop';

/** Weighs whether what was recognised asks for the turn. */
export function weigh(
  text: string,
  { acknowledgements, interruptions }: InterruptionPhrases = { acknowledgements: [], interruptions: [] },
): { readonly weight: Weight; readonly words: number } {
  const words = plainWords(text);
  if (words.length === 0) return { weight: 'nothing', words: 0 };
  const plain = words.join(' ');
  if (acknowledgements.includes(plain)) return { weight: 'acknowledgement', words: words.length };
  if (ALWAYS_INTERRUPTS.test(plain) || hasEndPhrase(text, interruptions))
    return { weight: 'stop', words: words.length };
  const telling = words.filter((word) => !ACKNOWLEDGEMENTS.has(word));
  return { weight: telling.length === 0 ? 'acknowledgement' : 'words', words: words.length };
}

/** Matches a sentence that asks for a number, and one that asks for something that callers spell. */
const ASKS_DIGITS =
  /\bdigits?\b|\b(?:what|which|have|give|say|tell|repeat|confirm|enter|take)\b.*\b(?:number|post ?code|zip code)\b/i;
const ASKS_LETTERS =
  /\b(?:spell|letter by letter|say the address)\b|\b(?:what|which|have|give|say|tell|repeat|take)\b.*\be-?mail\b/i;

/** What a caller is likely to read out in answer to `asked`, if anything. */
export function expectedWords(asked: string): ExpectedWords | undefined {
  if (ASKS_LETTERS.test(asked)) return 'letters';
  return ASKS_DIGITS.test(asked) ? 'digits' : undefined;
}

/** Milliseconds of silence that end a turn (docs/contracts/voice.md §6). */
const ENDPOINT = { complete: 300, open: 700, unfinished: 1500 } as const;
/** Words that a sentence does not end with. */
const UNFINISHED =
  /(?:^|\s)(?:and|or|but|so|because|with|for|to|from|of|the|a|an|my|your|our|is|are|at|on|in|by|that|which|who|if|when|about|um|uh|er|erm|like|please could you|i|i'd like|i want|it's)$/;
/** The middle of a number, a spelling or an address: the caller is looking up the next piece. */
const COUNTING =
  /(?:^|\s)(?:\d+|zero|oh|one|two|three|four|five|six|seven|eight|nine|double|triple|[a-z]|dot|underscore)$/;
const WHOLE_NUMBER = 10;

/** The pause that ends a turn, for what the caller said in answer to the assistant's last sentence. */
export function pauseAfter(
  partial: string,
  lastSaid: string,
  { endpointRules: own, pauses }: Pick<ConversationRules, 'endpointRules' | 'pauses'>,
): number {
  return own.find((rule) => rule.matches(partial, lastSaid))?.ms ?? endpointDelayMs(partial, pauses);
}

/** How long a caller may pause after `partial` before the turn is over. */
export function endpointDelayMs(partial: string, pauses?: EndpointPauses): number {
  const words = plainWords(partial);
  const text = words.join(' ');
  if (text === '') return ENDPOINT.open;
  if (pauses !== undefined) {
    if (/[.!?]\s*$/.test(partial)) return pauses.punctuation;
    return COUNTING.test(text) ? pauses.number : pauses.noPunctuation;
  }
  if (/[.!?]\s*$/.test(partial)) return ENDPOINT.complete;
  if (UNFINISHED.test(text)) return ENDPOINT.unfinished;
  const counted = words.filter((word) => COUNTING.test(word)).length;
  if (COUNTING.test(text) && words.length > 1 && counted < WHOLE_NUMBER && counted > 1)
    return ENDPOINT.unfinished;
  return ENDPOINT.complete;
}

/** Whether a sentence of the assistant has one of the phrases that end the call. */
export function hasEndPhrase(sentence: string, phrases: readonly string[]): boolean {
  const text = ` ${plainWords(sentence).join(' ')} `;
  return phrases.some((phrase) => text.includes(` ${phrase} `));
}
