import { nextSlice } from '../../kernel/concurrency/event-loop-slices.ts';
import type { CallAssistant, VoiceEngines } from '../engines/engines.server.ts';
import type { EvalMessage, RunMessage, RunOutcome } from './evaluation.contract.ts';
import { judgeReply } from './reply-judging.server.ts';
import {
  openTypedConversation,
  type TypedConversation,
  type TypedReply,
} from './typed-conversation.server.ts';

/** Most milliseconds that a whole conversation may take. */
const LONGEST_MS = 120_000;

interface RunParts {
  readonly id: string;
  /** With its secrets, and its templates filled. */
  readonly assistant: CallAssistant;
  readonly messages: readonly EvalMessage[];
  /** Aborted when the process stops. */
  readonly signal: AbortSignal;
  /** Most that the conversation may cost, US dollars. */
  readonly mostDollars: number;
}

/**
 * Holds a typed conversation with an assistant, and judges the replies that are to be judged. Never rejects.
 */
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

/**
 * Says the lines one after another. @returns whether every judged reply was right. @throws Error with a
 * sentence where the conversation could not go on
 */
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
      // Yields to other work: a turn may be answered without waiting for anything, and there may be a hundred
      // turns.
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

/** What the tools answer in the turn of a line: the tool messages up to the next line. */
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

/** Marks the last reply with the judgement; a reply that has failed stays failed. */
function mark(said: RunMessage[], fault: string | null): void {
  const at = said.findLastIndex(({ role }) => role === 'assistant' || role === 'user');
  const last = said[at];
  if (last?.role === 'assistant') said[at] = { ...last, judged: { fault: last.judged?.fault ?? fault } };
  else said.push({ role: 'assistant', content: '', judged: { fault } });
}
