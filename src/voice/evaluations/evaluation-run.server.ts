import { nextSlice } from '../../kernel/concurrency/event-loop-slices.ts';
import type { CallAssistant, VoiceEngines } from '../engines/engines.server.ts';
import type { EvalMessage, RunMessage, RunOutcome } from './evaluation.contract.ts';
import { judgeReply } from './reply-judging.server.ts';
import {
  openTypedConversation,
  type TypedConversation,
  type TypedReply,
} from './typed-conversation.server.ts';

/** Milliseconds that a whole conversation may take. */
const LONGEST_MS = 120_000;

interface RunParts {
  readonly id: string;
  /** Whole and filled. */
  readonly assistant: CallAssistant;
  readonly messages: readonly EvalMessage[];
  /** The process stops. */
  readonly signal: AbortSignal;
  /** What the conversation may cost, US dollars. */
  readonly mostDollars: number;
}

/** Holds a conversation with an assistant, typed, and judges each reply that is to be judged. Never rejects. */
export async function runEvaluation(
  engines: VoiceEngines,
  { id, assistant, messages, signal, mostDollars }: RunParts,
): Promise<RunOutcome> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]);
  const said: RunMessage[] = [];
  let conversation: TypedConversation | undefined;
  try {
    conversation = await openTypedConversation(engines, { id, assistant, signal: patience, mostDollars });
    const passed = await hold(conversation, messages, said);
    return outcome(passed ? 'pass' : 'fail', 'mockConversation.done', said, conversation);
  } catch (error) {
    const endedReason = patience.aborted ? 'timeout' : 'error';
    const words = patience.aborted ? 'It took too long.' : (error as Error).message;
    return { ...outcome('fail', endedReason, said, conversation), endedMessage: words };
  } finally {
    conversation?.close();
  }
}

const outcome = (
  status: RunOutcome['status'],
  endedReason: RunOutcome['endedReason'],
  messages: readonly RunMessage[],
  conversation: TypedConversation | undefined,
): RunOutcome => ({
  status,
  endedReason,
  messages,
  warnings: conversation?.warnings ?? [],
  cost: conversation?.cost() ?? 0,
  costs: conversation?.costs() ?? [],
});

/** @returns whether every judged reply was as it should be. @throws Error with a sentence where it could not go on */
async function hold(
  conversation: TypedConversation,
  messages: readonly EvalMessage[],
  said: RunMessage[],
): Promise<boolean> {
  let passed = true;
  let reply: TypedReply = await conversation.greet();
  say(said, reply);
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant') {
      const fault = judgeReply(message.judgePlan, reply);
      mark(said, fault);
      passed &&= fault === null;
      if (fault !== null && message.continuePlan?.exitOnFailureEnabled === true) return false;
    } else if (message.role === 'user') {
      if (reply.hungUp) throw new Error(`The assistant hung up before “${message.content}” was said.`);
      said.push({ role: 'user', content: message.content });
      // Nothing in a turn need wait for anything, and a conversation may have a hundred.
      await nextSlice();
      reply = await conversation.say(message.content, answersAfter(messages, index));
      say(said, reply);
    } else if (message.role === 'system') {
      said.push({ role: 'system', content: message.content });
      conversation.instruct(message.content);
    } else said.push({ role: 'tool', content: message.content });
  }
  return passed;
}

/** What tools answer in the turn of a line: the tool messages up to the next line. */
function answersAfter(messages: readonly EvalMessage[], index: number): string[] {
  const rest = messages.slice(index + 1);
  const next = rest.findIndex(({ role }) => role === 'user');
  return rest
    .slice(0, next === -1 ? undefined : next)
    .flatMap((message) => (message.role === 'tool' ? [message.content] : []));
}

function say(said: RunMessage[], { text, calls }: TypedReply): void {
  if (text === '' && calls.length === 0) return;
  said.push({ role: 'assistant', content: text, ...(calls.length === 0 ? {} : { toolCalls: calls }) });
}

/** Notes at the last reply how it was judged; one that failed stays failed. */
function mark(said: RunMessage[], fault: string | null): void {
  const at = said.findLastIndex(({ role }) => role === 'assistant' || role === 'user');
  const last = said[at];
  if (last?.role === 'assistant') said[at] = { ...last, judged: { fault: last.judged?.fault ?? fault } };
  else said.push({ role: 'assistant', content: '', judged: { fault } });
}
