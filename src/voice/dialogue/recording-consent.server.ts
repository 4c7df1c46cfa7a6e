import type {
  CallerTurn,
  DialogueManager,
  DialogueStep,
  SpokenTurn,
  VoiceEngines,
} from '../engines/engines.server.ts';
import { readConsent } from './spoken/caller-consent.server.ts';
import { normaliseWords, plainWords } from './spoken/word-normalisation.server.ts';
import { isQuestion } from './topics/topic-answer.server.ts';

type Steps = AsyncGenerator<DialogueStep, void>;

const AGREED = 'Thank you, this call is recorded from now on.';
const REFUSED = 'All right, this call is not recorded.';
const GOES_ON = 'How can I help you?';
const WITHDRAWN = 'The recording has been stopped, and what was recorded is deleted.';
/** Matches a withdrawal of the consent, in any words that name the recording. */
const WITHDRAWS =
  /\b(stop|end|delete|erase|cancel|remove|without|no|not)\b.*\b(recording|recordings|recorded)\b|\b(not|stop) record\b/;
const RECORDED =
  'Yes, this call is recorded, as you agreed. Say: stop recording, and what was recorded is deleted.';
/**
 * Matches a question about the recording or about what is kept of the call. While a recording goes on, the dialogue
 * within would answer that nothing is recorded.
 */
const ASKS =
  /\b(is|are|am|do|will|being|get)\b.*\b(record|recorded|recording|recordings|taped|taping)\b|\b(store|keep|save|kept|stored|saved)\b.*\b(call|conversation|what i (say|said)|my (words|voice|data)|about me)\b/;
const asksAboutRecording = (text: string): boolean => ASKS.test(text) && isQuestion(text);
/** How often the question is repeated; a caller who says neither yes nor no is not recorded. */
const MOST_QUESTIONS = 2;
/** An answer of more words than this says more than yes or no. */
const SHORT_ANSWER = 6;

/** The question that is asked before anything is recorded. */
export interface ConsentQuestion {
  readonly question: string;
  /**
   * Whether it comes before the first message, which then waits for the answer; otherwise it comes after it.
   */
  readonly first: boolean;
}

/**
 * Engines whose dialogue asks whether the call may be recorded, and obeys when the caller later withdraws the
 * consent (docs/security-attacks.md, attack 44). An answer counts only when the question was heard to its
 * end.
 */
export function withRecordingConsent(engines: VoiceEngines, asked: ConsentQuestion): VoiceEngines {
  return {
    ...engines,
    openDialogue: async (call) => askingConsent(await engines.openDialogue(call), asked),
  };
}

function askingConsent(inner: DialogueManager, { question, first }: ConsentQuestion): DialogueManager {
  const tail = plainWords(question).slice(-3).join(' ');
  let consent: 'open' | 'given' | 'refused' = 'open';
  let asked = 0;

  /** Whether the last words that were heard end with the question. */
  const wasHeard = (history: readonly SpokenTurn[]): boolean => {
    const last = history.findLast(({ role }) => role === 'assistant');
    return last !== undefined && plainWords(last.text).join(' ').endsWith(tail);
  };

  async function* askAgain(turn: CallerTurn, history: readonly SpokenTurn[], signal: AbortSignal): Steps {
    yield* inner.reply(turn, history, signal);
    if (signal.aborted) return;
    asked += 1;
    if (asked <= MOST_QUESTIONS) {
      yield { kind: 'sentence', text: question };
      return;
    }
    consent = 'refused';
    yield { kind: 'consent', to: 'recording', given: false };
  }

  /**
   * What follows an answer: the reply to what else the caller asked in it, or the first message, or a
   * question.
   */
  async function* answered(given: boolean, rest?: () => AsyncIterable<DialogueStep>): Steps {
    consent = given ? 'given' : 'refused';
    // A caller who asked something in between has had an answer: a greeting would come too late.
    const greets = first && asked === 0 && rest === undefined;
    yield { kind: 'consent', to: 'recording', given, greets };
    if (rest !== undefined) return yield* rest();
    const told = given ? AGREED : REFUSED;
    yield { kind: 'sentence', text: greets ? told : `${told} ${GOES_ON}` };
  }

  /** The answer once the caller has agreed or refused. */
  async function* decided(turn: CallerTurn, history: readonly SpokenTurn[], signal: AbortSignal): Steps {
    if (consent === 'given' && asksAboutRecording(normaliseWords(turn.text)))
      yield { kind: 'sentence', text: RECORDED };
    else yield* inner.reply(turn, history, signal);
  }

  async function* reply(turn: CallerTurn, history: readonly SpokenTurn[], signal: AbortSignal): Steps {
    const text = normaliseWords(turn.text);
    if (consent !== 'refused' && WITHDRAWS.test(text)) {
      if (consent === 'open') return yield* answered(false);
      consent = 'refused';
      yield { kind: 'consent', to: 'recording', given: false };
      yield { kind: 'sentence', text: WITHDRAWN };
      return;
    }
    if (consent !== 'open') return yield* decided(turn, history, signal);
    const agreed = wasHeard(history) ? readConsent(text) : null;
    if (agreed === null) return yield* askAgain(turn, history, signal);
    const more = text.split(' ').length > SHORT_ANSWER;
    yield* answered(agreed, more ? () => inner.reply(turn, history, signal) : undefined);
  }

  return {
    name: inner.name,
    // A getter, because another assistant may take over.
    get followsInstructions() {
      return inner.followsInstructions;
    },
    async *greet(signal) {
      yield* inner.greet(signal);
      if (!first) yield { kind: 'sentence', text: question };
    },
    reply,
    ...(inner.analyse === undefined ? {} : { analyse: inner.analyse.bind(inner) }),
    usage: () => inner.usage(),
    close: () => inner.close(),
  };
}
