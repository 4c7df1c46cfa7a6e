import type { MediaStats } from '@northline/telephone-audio/sound-session';
import { analysisWish, planAnalysis } from '../../dialogue/model/analysis-plan.server.ts';
import type { CallMeter, ChargedPart, PartCost } from '../../engines/call-meter.server.ts';
import type { CallAnalysis, CallAssistant, EnginePrices, SpokenTurn } from '../../engines/engines.server.ts';
import type { MediaSession } from '../../media/media-transport.server.ts';
import type { OpenEngines } from '../call-engines.server.ts';
import type { EndedReason } from '../conversation/conversation-events.server.ts';
import { performanceMetrics, type TurnClock, type TurnLatency } from '../turn-latency.server.ts';
import { analyseByRules } from './call-summary.server.ts';
import { type CallMessage, openAiMessages, type Transcript, withTextResult } from './transcript.server.ts';

/** What a call used, for its cost. */
export interface CallUsage {
  readonly recognisedMs: number;
  readonly characters: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /**
   * What each provider charged. For a part without such charges, the installation's prices apply to what was
   * used.
   */
  readonly charged?: readonly PartCost[];
}

/** Everything that is known when a call ends. */
export interface CallOutcome {
  readonly startedAt: number | undefined;
  readonly endedAt: number;
  readonly endedReason: EndedReason;
  readonly messages: readonly CallMessage[];
  readonly transcript: string;
  readonly history: readonly SpokenTurn[];
  readonly latencies: readonly TurnLatency[];
  readonly usage: CallUsage;
  readonly media: MediaStats | undefined;
  readonly analysis: CallAnalysis | undefined;
}

/** Reads the outcome of a call from its parts, before they are closed. */
export function callOutcome(
  endedReason: EndedReason,
  call: {
    startedAt: number | undefined;
    endedAt: number;
    transcript: Transcript;
    clock: TurnClock;
    engines: OpenEngines | undefined;
    session: MediaSession;
    assistant: CallAssistant;
  },
): CallOutcome {
  const { startedAt, endedAt, transcript, clock, engines, session, assistant } = call;
  return {
    startedAt,
    endedAt,
    endedReason,
    messages: transcript.messages(),
    transcript: transcript.text(assistant.artifactPlan?.transcriptPlan),
    history: transcript.history(transcript.shown()),
    latencies: clock.latencies(),
    usage: usageOf(engines),
    media: startedAt === undefined ? undefined : session.stats(),
    analysis: undefined,
  };
}

function usageOf(engines: OpenEngines | undefined): CallUsage {
  return {
    recognisedMs: engines?.recognisedMs() ?? 0,
    characters: (engines?.player.characters ?? 0) + (engines?.meter.characters ?? 0),
    ...(engines?.dialogue.usage() ?? { promptTokens: 0, completionTokens: 0 }),
    charged: engines?.meter.costs() ?? [],
  };
}

/** What a call has cost so far, US dollars. */
export function costSoFar(engines: OpenEngines | undefined, prices: EnginePrices = FREE): number {
  return costOf(usageOf(engines), prices).total;
}

/** The cost of what was used without a call, US dollars. */
export function costWithoutCall(usage: Partial<CallUsage>, prices: EnginePrices = FREE): number {
  return costOf({ recognisedMs: 0, characters: 0, promptTokens: 0, completionTokens: 0, ...usage }, prices)
    .total;
}

/** The members that state the cost of a call in which only something was spoken, without an assistant. */
export function spokenCosts(meter: CallMeter, prices: EnginePrices = FREE): Record<string, unknown> {
  const charged = meter.costs();
  const used = { recognisedMs: 0, promptTokens: 0, completionTokens: 0 };
  const costBreakdown = costOf({ ...used, characters: meter.characters, charged }, prices);
  return { cost: costBreakdown.total, costBreakdown, ...costsByCredential(charged) };
}

const FREE: EnginePrices = {
  sttPerMinute: 0,
  ttsPer1000Characters: 0,
  llmPer1000PromptTokens: 0,
  llmPer1000CompletionTokens: 0,
};
const money = (dollars: number): number => Math.round(dollars * 1e6) / 1e6;

/** The members that are added to a call's record when it ends (docs/contracts/voice.md §3). */
export function callReport(
  outcome: CallOutcome,
  assistant: CallAssistant = {},
  prices: EnginePrices = FREE,
): Record<string, unknown> {
  const { usage, history } = outcome;
  const written =
    assistant.artifactPlan?.transcriptPlan?.enabled === false ? {} : { transcript: outcome.transcript };
  const messages = outcome.messages.map(withTextResult);
  const costBreakdown = costOf(usage, prices);
  const metrics = { performanceMetrics: performanceMetrics(outcome.latencies) };
  const facts = {
    status: 'ended',
    ...(outcome.startedAt === undefined ? {} : { startedAt: new Date(outcome.startedAt).toISOString() }),
    endedAt: new Date(outcome.endedAt).toISOString(),
    endedReason: outcome.endedReason,
    cost: costBreakdown.total,
    costBreakdown,
    costs: costsOf(usage, costBreakdown),
  };
  if (keepsNoWords(assistant)) return { ...facts, artifact: metrics };
  return {
    ...facts,
    messages,
    ...written,
    analysis: planAnalysis(
      outcome.analysis ?? byRules(outcome, assistant),
      assistant.analysisPlan,
      outcome.messages,
    ),
    artifact: {
      messages,
      messagesOpenAIFormatted: openAiMessages(history),
      ...written,
      ...(assistant.variableValues === undefined ? {} : { variableValues: assistant.variableValues }),
      ...metrics,
      ...(outcome.media === undefined ? {} : { media: outcome.media }),
    },
  };
}

/** Whether nothing that was said may be stored: HIPAA mode, by either of its two names. */
export function keepsNoWords({ hipaaEnabled, compliancePlan }: CallAssistant): boolean {
  return hipaaEnabled === true || compliancePlan?.hipaaEnabled === true;
}

const COST_TYPES = { stt: 'transcriber', tts: 'voice', llm: 'model' } as const;

/** The `costs` of a record: what stored credentials paid; empty where they paid nothing. */
export function costsByCredential(charged: readonly PartCost[] = []): {
  readonly costs?: readonly { type: string; cost: number; credentialId: string }[];
} {
  const costs = charged.flatMap(({ part, credentialId, dollars }) =>
    credentialId === undefined || dollars === 0
      ? []
      : [{ type: COST_TYPES[part], cost: money(dollars), credentialId }],
  );
  return costs.length === 0 ? {} : { costs };
}

/**
 * What each part was used for and cost, as the published API lists it; what a stored credential paid is a row
 * of its own.
 */
function costsOf(usage: CallUsage, total: { stt: number; llm: number; tts: number }): readonly object[] {
  const paid = costsByCredential(usage.charged).costs ?? [];
  const rest = (type: string, all: number, used: object): object => {
    const others = paid.filter((one) => one.type === type).reduce((sum, { cost }) => sum + cost, 0);
    return { type, ...used, cost: money(all - others) };
  };
  const { promptTokens, completionTokens, characters } = usage;
  return [
    rest('transcriber', total.stt, { minutes: Math.round(usage.recognisedMs / 600) / 100 }),
    rest('model', total.llm, { promptTokens, completionTokens }),
    rest('voice', total.tts, { characters }),
    ...paid,
  ];
}

function costOf(usage: CallUsage, prices: EnginePrices) {
  const part = (name: ChargedPart, usual: number): number => {
    const charged = usage.charged?.filter((one) => one.part === name) ?? [];
    return money(charged.length === 0 ? usual : charged.reduce((sum, { dollars }) => sum + dollars, 0));
  };
  const stt = part('stt', (usage.recognisedMs / 60_000) * prices.sttPerMinute);
  const tts = part('tts', (usage.characters / 1000) * prices.ttsPer1000Characters);
  const llm = part(
    'llm',
    (usage.promptTokens / 1000) * prices.llmPer1000PromptTokens +
      (usage.completionTokens / 1000) * prices.llmPer1000CompletionTokens,
  );
  return {
    transport: 0,
    stt,
    llm,
    tts,
    vapi: 0,
    total: money(stt + llm + tts),
    llmPromptTokens: usage.promptTokens,
    llmCompletionTokens: usage.completionTokens,
    ttsCharacters: usage.characters,
  };
}

const byRules = ({ messages, endedReason }: CallOutcome, { analysisPlan }: CallAssistant): CallAnalysis =>
  analyseByRules(messages, endedReason, analysisWish(analysisPlan).rubric);
