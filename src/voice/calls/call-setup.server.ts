import type { CallAssistant, CallContext, PhoneControls, VoiceEngines } from '../engines/engines.server.ts';
import type { MediaSession } from '../media/media-transport.server.ts';
import type { serverOf } from '../records/event-server.server.ts';
import type { VoiceRecords } from '../records/voice-records.server.ts';
import type { AssistantWebhook } from './assistant-webhook.server.ts';
import type { FirstSoundOf } from './first-sound.server.ts';
import type { CallOutcome } from './record/call-report.server.ts';
import { asWritten } from './written-call.server.ts';

/** What one call is run with. */
export interface CallSetup {
  readonly callId: string;
  readonly assistant: CallAssistant;
  /**
   * Whether the caller's client may instruct the assistant; a visitor's browser may speak for the visitor
   * only.
   */
  readonly mayInstruct: boolean;
  /** What its providers may charge, US dollars; after that the assistant says goodbye. */
  readonly mostDollars: number;
  readonly engines: VoiceEngines;
  readonly session: MediaSession;
  /** The question whether the call may be recorded, where the first message waits for the answer. */
  readonly opening?: string | undefined;
  /** The same question, where it follows a first message that is a sound. */
  readonly firstQuestion?: string | undefined;
  /** The sounds that its assistants play as their first message. */
  readonly soundOf?: FirstSoundOf | undefined;
  /** The telephone; undefined in a browser. */
  readonly line?: PhoneControls | undefined;
  /** Whether the call calls somebody by telephone. */
  readonly goesOut: boolean;
  readonly log: CallContext['log'];
  /** Notifies the assistant's server, and asks it questions. */
  readonly webhook: AssistantWebhook;
  /** Adds to the call's evidence, in order. */
  evidence(kind: 'disclosure' | 'turn' | 'consent', data: Readonly<Record<string, unknown>>): void;
  /** Passes words to the people who read along; for the caller also those that are not final. */
  words(role: 'user' | 'assistant' | 'colleague', text: string, final: boolean): void;
  /**
   * Announces that a colleague speaks in the assistant's place; with undefined that the assistant has the
   * call again.
   */
  taken(name: string | undefined): void;
  /** The caller has joined. */
  started(at: number): void;
  /** Another assistant of the call takes it over; returns that assistant. */
  handedOver?(name: string): CallAssistant | undefined;
  /** Called once, whatever happened. */
  ended(outcome: CallOutcome): Promise<void>;
}

/** Longest call of a visitor's browser, seconds (docs/security-attacks.md, attack 41). */
const LONGEST_PUBLIC_CALL = 900;

/**
 * The assistant that takes a call: the one that its record names or describes, for a squad its first member.
 * All overrides are applied, the stored tools follow its own, and its secrets are in their places; so it is
 * for use inside the server and never shown.
 *
 * @param given the call's record with its secrets
 * @throws ServiceError 404 `not_found` when the assistant was deleted meanwhile
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
  if (given.written === true) return asWritten(assistant);
  if (given.byPublicKey !== true) return assistant;
  const seconds = Math.min(assistant.maxDurationSeconds ?? LONGEST_PUBLIC_CALL, LONGEST_PUBLIC_CALL);
  return { ...assistant, maxDurationSeconds: seconds };
}

/** The phone number of the installation that a call uses. */
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

/**
 * The installation's phone number that a call came to or goes out from, with its secrets; undefined in a
 * browser, and once the number was deleted.
 */
export async function numberOf(
  records: VoiceRecords,
  { phoneNumberId: id }: Readonly<Record<string, unknown>>,
): Promise<CallNumber | undefined> {
  if (typeof id !== 'string') return undefined;
  const body = await records.whole('phone-number', id).catch(deletedMeanwhile);
  return body === undefined ? undefined : { ...body, id };
}

/** The squad that a call's record names or describes, with the call's changes to all its members. */
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

/** Adds tools to a model; an assistant without a model gets the installation's. */
function withTools(model: Model | undefined, added: Tools): Model | undefined {
  if (added.length === 0) return model;
  return { ...(model ?? { provider: 'embedded' }), tools: [...(model?.tools ?? []), ...added] };
}

/**
 * Appends the tools that a call adds (`tools:append`) and then those that `model.toolIds` names to the
 * assistant's own.
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
