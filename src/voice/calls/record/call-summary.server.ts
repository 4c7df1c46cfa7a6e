import { stemsShared } from '../../dialogue/likeness/word-meanings.server.ts';
import { readConsent } from '../../dialogue/spoken/caller-consent.server.ts';
import { normaliseWords } from '../../dialogue/spoken/word-normalisation.server.ts';
import { isQuestion } from '../../dialogue/topics/topic-answer.server.ts';
import type { CallAnalysis } from '../../engines/engines.server.ts';
import type { CallMessage } from './transcript.server.ts';

/** Something that a caller wanted, and its outcome. */
export interface CallWish {
  readonly words: string;
  /** `passed-on`: a message was taken, and somebody else has to act. */
  readonly came: 'met' | 'passed-on' | 'open';
}

interface Turn {
  readonly said: string;
  /** Whether the assistant had just asked for something. */
  readonly afterQuestion: boolean;
  answer: string;
  readonly tools: { readonly name: string; readonly failed: boolean }[];
}

const SMALL_TALK =
  /^((hello|hi|hey|good (morning|afternoon|evening)|thanks?|thank you|bye|goodbye|yes|yeah|no|nope|okay|right|great|perfect|please|sure|sorry|pardon|what|very much|that is (all|right|it))\b ?)+$/;
const ASKS =
  /\b(i (would like|want|need|have to|am looking)|we (want|need|would like)|could (you|i|we)|can (you|i|we)|may i|tell me|give me|send me|book|cancel|move|reschedule|order|leave a message|call me|put me through|speak (to|with)|talk (to|with))\b/;
/** Wishes that words alone do not fulfil. */
const TASK =
  /\b(book|reserve|cancel|move|reschedule|postpone|change (my|the|our)|order|leave a message|take a message|enquiry|call (me|us)( back)?|appointment|put me through|speak (to|with) (a|the|some)|sign me up|refund)\b/;
/** What a caller who says yes may want besides. */
const WISHES =
  /\b(i (would like|want|need)|we (want|need)|could (you|i|we)|can (you|i|we)|tell me|how|what|when|where|which)\b/;
const QUESTION_WORD = /^(what|how|when|where|who|which|why|do|does|is|are)\b/;
const UNMET =
  /\bDo you mean\b[^?]*\?\s*$|don't have that here|cannot help|\bcannot (put|tell|do)\b|not understand|did not get that|could not|did not work|no free time|nothing was sent|words were not recognised|I leave that|can tell you about our services/;
/** Tools that pass a wish on to somebody. */
const PASSES_ON = /enquiry|message|callback|call_back/i;
const MESSAGE_WISH =
  /\b(call (me|us)|ring (me|us)|message|enquiry|inquiry|contact|details|quote|offer|information)\b/;
/** Reasons for an end after which a caller would say that the call failed. */
const BAD_ENDS = /error|shutdown|did-not|timed-out/;
const MOST_NAMED = 5;
const LONGEST_QUOTE = 160;
/** Two turns that share at least this part of their words are about the same thing. */
const SAME = 0.5;

/** What the caller wanted, turn by turn, and whether it was met. */
export function wishesOf(messages: readonly CallMessage[]): CallWish[] {
  const turns = turnsOf(messages);
  const wishes = turns.flatMap((turn, at): CallWish[] =>
    isWish(turn) ? [{ words: turn.said, came: outcomeOf(turn, turns.slice(at)) }] : [],
  );
  // A wish that was repeated later counts only once, with its later outcome.
  return wishes.filter(
    ({ words, came }, at) =>
      came === 'met' || !wishes.slice(at + 1).some((later) => stemsShared(words, later.words) >= SAME),
  );
}

function turnsOf(messages: readonly CallMessage[]): Turn[] {
  const turns: Turn[] = [];
  let before = '';
  for (const { role, kind, message, result } of messages) {
    const last = turns.at(-1);
    if (role === 'user')
      turns.push({ said: message, afterQuestion: /\?\s*$/.test(before), answer: '', tools: [] });
    else if (role === 'tool_call_result') last?.tools.push({ name: message, failed: hasFailed(result) });
    // A colleague who had the call answers as well.
    else if (role === 'bot' || kind === 'colleague') {
      if (last) last.answer += ` ${message}`;
      before = message;
    }
  }
  return turns;
}

const hasFailed = (result: unknown): boolean =>
  result === null || (typeof result === 'object' && 'error' in (result as object));

function isWish({ said, afterQuestion }: Turn): boolean {
  const words = normaliseWords(said);
  if (words === '' || SMALL_TALK.test(words)) return false;
  // An answer to a question of the assistant, such as the consent to recording, asks for nothing.
  if (afterQuestion && readConsent(words) !== null && !isQuestion(words) && !WISHES.test(words)) return false;
  if (isQuestion(words) || ASKS.test(words)) return true;
  // 'Ann Wood' may answer a question; without a question before it, it is what the caller came with.
  return !afterQuestion && words.split(' ').length > 1;
}

/** @param rest the turn and those after it: a task may be carried out turns later */
function outcomeOf(turn: Turn, rest: readonly Turn[]): CallWish['came'] {
  const words = normaliseWords(turn.said);
  // A tool that did what was asked has met the wish, also where its spoken answer was cut off.
  if (!TASK.test(words) && turn.tools.some(({ failed }) => !failed)) return 'met';
  if (!TASK.test(words) || QUESTION_WORD.test(words))
    return turn.answer.trim() === '' || UNMET.test(turn.answer) ? handedOn(turn, rest) : 'met';
  const until = rest.findIndex((one, at) => at > 0 && TASK.test(normaliseWords(one.said)) && isWish(one));
  const own = (until < 0 ? rest : rest.slice(0, until))
    .flatMap(({ tools }) => tools)
    .filter(({ failed }) => !failed);
  const acts = own.filter(({ name }) => !PASSES_ON.test(name));
  const about = /\b(cancel|move|reschedule|postpone|change)\b/.exec(words)?.[1];
  if (acts.some(({ name }) => about === undefined || fulfils(name, about))) return 'met';
  if (own.length === 0) return 'open';
  return MESSAGE_WISH.test(words) ? 'met' : 'passed-on';
}

const fulfils = (tool: string, wish: string): boolean =>
  /cancel|delete/i.test(tool) ? wish === 'cancel' : /move|change|reschedule/i.test(tool) && wish !== 'cancel';

/** Where the assistant had no answer, it may have taken a message at once. */
function handedOn({ answer }: Turn, [, next]: readonly Turn[]): CallWish['came'] {
  const agreed =
    /take a message\?|Shall I\?/.test(answer) &&
    next?.tools.length === 0 &&
    /what is it about/i.test(next.answer);
  return agreed ? 'passed-on' : 'open';
}

/**
 * A summary and an evaluation without a language model: what was wanted, what was agreed, what is open. The
 * call is a success if every wish was met; the result has the form of the rubric. Nothing is invented.
 *
 * @param rubric of `analysisPlan.successEvaluationPlan`
 */
export function analyseByRules(
  messages: readonly CallMessage[],
  endedReason: string,
  rubric: string,
): CallAnalysis {
  const wishes = wishesOf(messages);
  const done = messages.filter(({ role }) => role === 'tool_call_result');
  const actions = done.map(({ message, result }) => ({ tool: message, result }));
  const met = wishes.filter(({ came }) => came === 'met').length;
  const share = wishes.length === 0 || BAD_ENDS.test(endedReason) ? 0 : met / wishes.length;
  return {
    summary: summaryOf(messages, wishes),
    successEvaluation: inRubric(rubric, share, wishes),
    ...(actions.length > 0 ? { structuredData: { actions } } : {}),
  };
}

function summaryOf(messages: readonly CallMessage[], wishes: readonly CallWish[]): string {
  if (!messages.some(({ role }) => role === 'user')) return 'The caller said nothing.';
  const agreed = messages
    .filter(({ role, result }) => role === 'tool_call_result' && !hasFailed(result))
    .map(({ message }, at) => describe(message, argumentsOf(messages, message, at)));
  const open = wishes.filter(({ came }) => came === 'open');
  const passedOn = wishes.filter(({ came }) => came === 'passed-on');
  return [
    wishes.length === 0 ? 'The caller asked for nothing.' : `The caller wanted: ${quoted(wishes)}.`,
    ...(agreed.length > 0 ? [`Agreed: ${agreed.join('; ')}.`] : []),
    ...(passedOn.length > 0 ? [`Passed on as a message: ${quoted(passedOn)}.`] : []),
    open.length > 0 ? `Left open: ${quoted(open)}.` : 'Nothing was left open.',
  ].join(' ');
}

function quoted(wishes: readonly CallWish[]): string {
  const shown = wishes.slice(0, MOST_NAMED).map(
    ({ words }) =>
      `"${words
        .trim()
        .replace(/[.!?]+$/, '')
        .slice(0, LONGEST_QUOTE)}"`,
  );
  return `${shown.join('; ')}${wishes.length > MOST_NAMED ? ` and ${wishes.length - MOST_NAMED} more` : ''}`;
}

type Given = Readonly<Record<string, unknown>>;

/** The arguments of the tool call at this place, or else of the tool's last call. */
function argumentsOf(messages: readonly CallMessage[], name: string, at: number): Given {
  const calls = messages.filter(({ role }) => role === 'tool_calls');
  const call = calls[at]?.message === name ? calls[at] : calls.findLast(({ message }) => message === name);
  const [first] = (call?.toolCalls ?? []) as { function?: { arguments?: unknown } }[];
  const given = first?.function?.arguments;
  return typeof given === 'object' && given !== null ? (given as Given) : {};
}

const DONE: Readonly<Record<string, string>> = {
  take_enquiry: 'a message was taken',
  book_call: 'a call was booked',
  find_booking: 'a booking was looked for',
  move_call: 'a call was moved',
  cancel_call: 'a call was cancelled',
  confirm_booking: 'a confirmation was sent',
};

function describe(tool: string, given: Given): string {
  const name = typeof given.name === 'string' && given.name !== '' ? ` for ${given.name}` : '';
  const start = typeof given.start === 'string' ? ` at ${given.start}` : '';
  const notes = typeof given.notes === 'string' ? ` about "${given.notes.slice(0, LONGEST_QUOTE)}"` : '';
  const what = DONE[tool] ?? `${tool.replaceAll('_', ' ')} was done`;
  return `${what}${name}${start}${notes}`;
}

/** The evaluation in the form of the rubric; for `PassFail`, `true` or `false`. */
function inRubric(rubric: string, share: number, wishes: readonly CallWish[]): string {
  if (rubric === 'NumericScale') return String(1 + Math.round(9 * share));
  if (rubric === 'PercentageScale') return `${Math.round(100 * share)}%`;
  const step = share === 1 ? 0 : share >= 0.66 ? 1 : share >= 0.33 ? 2 : 3;
  if (rubric === 'DescriptiveScale') return ['Excellent', 'Good', 'Fair', 'Poor'][step] ?? 'Poor';
  if (rubric === 'LikertScale')
    return ['Strongly Agree', 'Agree', 'Disagree', 'Strongly Disagree'][step] ?? 'Disagree';
  if (['Checklist', 'Matrix', 'AutomaticRubric'].includes(rubric))
    return JSON.stringify(wishes.map(({ words, came }) => ({ criterion: words, status: came })));
  return String(share === 1);
}
