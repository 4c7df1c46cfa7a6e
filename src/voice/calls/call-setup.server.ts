import type { CallAssistant, CallContext, CallLine, VoiceEngines } from '../engines/engines.server.ts';
import type { MediaSession } from '../media/media-transport.server.ts';
import type { serverOf } from '../records/event-server.server.ts';
import type { VoiceRecords } from '../records/voice-records.server.ts';
import type { AssistantWebhook } from './assistant-webhook.server.ts';
import type { CallOutcome } from './record/call-report.server.ts';

/** What one call is run with. */
export interface CallSetup {
  readonly callId: string;
  readonly assistant: CallAssistant;
  /** A visitor's browser may speak for the visitor only, not give the assistant instructions. */
  readonly mayInstruct: boolean;
  /** What it may cost at its providers, US dollars; then the assistant says goodbye. */
  readonly mostDollars: number;
  readonly engines: VoiceEngines;
  readonly session: MediaSession;
  /** The question whether the call may be recorded, where the first message waits for what comes of it. */
  readonly opening?: string | undefined;
  /** The telephone; undefined in a browser. */
  readonly line?: CallLine | undefined;
  /** Whether it calls somebody by telephone. */
  readonly goesOut: boolean;
  readonly log: CallContext['log'];
  /** Notifies the assistant's server, and asks it. */
  readonly webhook: AssistantWebhook;
  /** Adds to the call's evidence; in order. */
  evidence(kind: 'disclosure' | 'turn' | 'consent', data: Readonly<Record<string, unknown>>): void;
  /** A line for those who read along: of the caller also what is still being understood. */
  words(role: 'user' | 'assistant' | 'colleague', text: string, final: boolean): void;
  /** A colleague speaks in the assistant's place; undefined: the assistant has the call again. */
  taken(name: string | undefined): void;
  /** The caller is there. */
  started(at: number): void;
  /** Another assistant of the call has it now: which. */
  handedOver?(name: string): CallAssistant | undefined;
  /** Called once, whatever happened. */
  ended(outcome: CallOutcome): Promise<void>;
}

/** Longest call of a visitor's browser, seconds (docs/security-attacks.md, attack 41). */
const LONGEST_PUBLIC_CALL = 900;

/**
 * The assistant that takes a call: the one that its record names or describes (of a squad the first
 * member's), with every override laid over it, its stored tools after its own, and its secrets in their
 * places. For our own use: it is never shown.
 *
 * @param given the call's record, whole
 * @throws ServiceError 404 `not_found` when it was deleted meanwhile
 */
export async function assistantOf(
  records: VoiceRecords,
  given: Readonly<Record<string, unknown>>,
): Promise<CallAssistant> {
  const squad = await squadOf(records, given);
  const member = squad?.members?.[0];
  const described = given.assistant ?? member?.assistant;
  const named = await wholeOf(records, 'assistant', given.assistantId ?? member?.assistantId);
  const assistant = await withKeptTools(records, {
    ...(described ?? named),
    ...member?.assistantOverrides,
    ...squad?.membersOverrides,
    ...(given.assistantOverrides as CallAssistant | undefined),
  });
  if (given.byPublicKey !== true) return assistant;
  const seconds = Math.min(assistant.maxDurationSeconds ?? LONGEST_PUBLIC_CALL, LONGEST_PUBLIC_CALL);
  return { ...assistant, maxDurationSeconds: seconds };
}

/** A number of ours as a call knows it. */
export type CallNumber = Parameters<typeof serverOf>[0] & { readonly id: string };

interface Squad {
  readonly members?: readonly {
    readonly assistantId?: string | null;
    readonly assistant?: CallAssistant;
    readonly assistantOverrides?: CallAssistant;
    readonly assistantDestinations?: readonly object[];
  }[];
  readonly membersOverrides?: CallAssistant;
}

/** The number of ours that a call came to or goes out from, with its secrets; undefined in a browser, and once it was deleted. */
export async function numberOf(
  records: VoiceRecords,
  { phoneNumberId: id }: Readonly<Record<string, unknown>>,
): Promise<CallNumber | undefined> {
  if (typeof id !== 'string') return undefined;
  const body = await records.whole('phone-number', id).catch(deletedMeanwhile);
  return body === undefined ? undefined : { ...body, id };
}

/** The squad that a call's record names or describes, with what the call changes of all its members. */
export async function squadOf(
  records: VoiceRecords,
  given: Readonly<Record<string, unknown>>,
): Promise<Squad | undefined> {
  const squad = (given.squad ?? (await wholeOf(records, 'squad', given.squadId))) as Squad | undefined;
  const { squadOverrides } = given;
  if (squad === undefined || squadOverrides === undefined) return squad;
  return { ...squad, membersOverrides: { ...squad.membersOverrides, ...squadOverrides } };
}

async function wholeOf(
  records: VoiceRecords,
  kind: 'assistant' | 'squad',
  id: unknown,
): Promise<Record<string, unknown> | undefined> {
  return typeof id === 'string' ? records.whole(kind, id) : undefined;
}

type Model = NonNullable<CallAssistant['model']>;
type Tools = NonNullable<Model['tools']>;

/** An assistant without a model of its own that gets tools has the installation's. */
function withTools(model: Model | undefined, added: Tools): Model | undefined {
  if (added.length === 0) return model;
  return { ...(model ?? { provider: 'embedded' }), tools: [...(model?.tools ?? []), ...added] };
}

/**
 * Tools that a call adds (`tools:append`), and behind them those that `model.toolIds` names, stand behind those that the
 * assistant describes itself.
 */
export async function withKeptTools(records: VoiceRecords, assistant: CallAssistant): Promise<CallAssistant> {
  const { 'tools:append': added = [], ...own } = assistant;
  const model = withTools(own.model, added);
  if (model?.toolIds === undefined || model.toolIds.length === 0) return { ...own, ...(model && { model }) };
  const kept = await Promise.all(
    model.toolIds.map(async (id) => records.whole('tool', id).catch(deletedMeanwhile)),
  );
  const tools = kept.filter((tool) => tool !== undefined) as Tools;
  return { ...own, model: { ...model, tools: [...(model.tools ?? []), ...tools] } };
}

function deletedMeanwhile(error: { status?: number }): undefined {
  if (error.status !== 404) throw error;
}
