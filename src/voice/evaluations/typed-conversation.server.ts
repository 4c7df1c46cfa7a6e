import { conversationRules } from '../calls/conversation/conversation-rules.server.ts';
import { costsByCredential, costWithoutCall } from '../calls/record/call-report.server.ts';
import { CallMeter } from '../engines/call-meter.server.ts';
import type {
  CallAssistant,
  DialogueManager,
  DialogueStep,
  SpokenTurn,
  VoiceEngines,
} from '../engines/engines.server.ts';
import type { RunOutcome, ToolCall } from './evaluation.contract.ts';

/** What an assistant said and did in one turn. */
export interface TypedReply {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** Whether the assistant hung up after it. */
  readonly hungUp: boolean;
}

/** A conversation in typed lines; nothing of it is stored, booked or sent. */
export interface TypedConversation {
  /** The assistant's first words; empty where it waits for the caller. @throws Error as `say` does */
  greet(): Promise<TypedReply>;
  /**
   * Says a line of the caller.
   *
   * @param answers what the assistant's own tools answer, one after another
   * @throws Error when the dialogue fails or costs too much; the signal's reason when it takes too long
   */
  say(line: string, answers: readonly string[]): Promise<TypedReply>;
  /** Adds an instruction to the conversation. */
  instruct(text: string): void;
  /** Log lines about what did not work. */
  readonly warnings: readonly string[];
  /** US dollars so far. */
  cost(): number;
  /** The part of the cost that stored credentials pay. */
  costs(): NonNullable<RunOutcome['costs']>;
  close(): void;
}

interface ConversationParts {
  readonly id: string;
  readonly assistant: CallAssistant;
  readonly signal: AbortSignal;
  /** Most that it may cost, US dollars; after that no further line is answered. */
  readonly mostDollars: number;
}

const TOO_DEAR = 'It cost more than VOICE_CALL_SPEND lets one conversation cost.';

/** Begins a typed conversation. */
export async function openTypedConversation(
  engines: VoiceEngines,
  { id, assistant, signal, mostDollars }: ConversationParts,
): Promise<TypedConversation> {
  const warnings: string[] = [];
  const meter = new CallMeter();
  let prepared: string[] = [];
  const dialogue: DialogueManager = await engines.openDialogue({
    callId: id,
    assistant,
    log: (level, line) => void (['WARN', 'ERROR'].includes(level) && warnings.push(line)),
    meter,
    rehearsal: { answer: () => prepared.shift() },
  });
  const history: SpokenTurn[] = [];
  const heard = async (steps: AsyncIterable<DialogueStep>): Promise<TypedReply> => {
    const reply = await collect(steps);
    signal.throwIfAborted();
    if (reply.text !== '') history.push({ role: 'assistant', text: reply.text });
    return reply;
  };
  const cost = (): number => costWithoutCall({ ...dialogue.usage(), charged: meter.costs() }, engines.prices);
  return {
    warnings,
    async greet() {
      const { firstMessage, firstMessageMode } = conversationRules(assistant);
      if (firstMessageMode === 'waits') return { text: '', calls: [], hungUp: false };
      const made = firstMessageMode === 'generates' || firstMessage === '';
      return heard(made ? dialogue.greet(signal) : spoken(firstMessage));
    },
    async say(line, answers) {
      if (cost() > mostDollars) throw new Error(TOO_DEAR);
      prepared = [...answers];
      const before = [...history];
      history.push({ role: 'user', text: line });
      return heard(dialogue.reply({ text: line, confidence: 1, typed: true }, before, signal));
    },
    instruct: (text) => void history.push({ role: 'system', text }),
    cost,
    costs: () => costsByCredential(meter.costs()).costs ?? [],
    close: () => dialogue.close(),
  };
}

async function* spoken(text: string): AsyncGenerator<DialogueStep> {
  yield { kind: 'sentence', text };
}

async function collect(steps: AsyncIterable<DialogueStep>): Promise<TypedReply> {
  const sentences: string[] = [];
  const calls: ToolCall[] = [];
  let hungUp = false;
  for await (const step of steps) {
    if (step.kind === 'sentence') sentences.push(step.text.trim());
    else if (step.kind === 'tool-call') calls.push({ name: step.name, arguments: step.arguments });
    else if (step.kind === 'hang-up') hungUp = true;
  }
  return { text: sentences.join(' ').trim(), calls, hungUp };
}
