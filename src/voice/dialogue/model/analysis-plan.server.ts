import type { CallAnalysis, CallAssistant } from '../../engines/engines.server.ts';

type Given = Readonly<Record<string, unknown>>;

/** What of a call's messages an analysis looks at. */
interface AnalysedMessage {
  readonly role: string;
  readonly toolCalls?: unknown;
}

/** What an assistant's `analysisPlan` asks for, in the field's older and newer words. */
export interface AnalysisWish {
  readonly summary: boolean;
  readonly success: boolean;
  /** Rubric of the evaluation, `PassFail` unless another is named. */
  readonly rubric: string;
  /** JSON schema of the structured data; undefined where none is wanted. */
  readonly schema: Given | undefined;
  /** Own questions to a model in place of the usual ones; empty for those. */
  readonly prompts: Readonly<Record<'summary' | 'success' | 'structured', readonly AnalysisPrompt[]>>;
  /** Fewest messages of a call that is worth analysing. */
  readonly least: number;
}

/** A message of an own question: `{{transcript}}`, `{{schema}}` and `{{rubric}}` in it are filled. */
interface AnalysisPrompt {
  readonly role: string;
  readonly content: string;
}

/** The messages of a plan, or its older prompt, which was one text. */
function promptsOf(messages: unknown, older: unknown): readonly AnalysisPrompt[] {
  if (Array.isArray(messages) && messages.length > 0) return messages as AnalysisPrompt[];
  return typeof older === 'string' && older !== '' && older !== 'off'
    ? [{ role: 'system', content: older }]
    : [];
}

const objectOf = (value: unknown): Given =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Given) : {};
const isOff = (prompt: unknown): boolean => prompt === '' || prompt === 'off';
const USUAL_LEAST = 2;

/** Reads a plan. */
export function analysisWish(plan: CallAssistant['analysisPlan'] = {}): AnalysisWish {
  const summary = objectOf(plan.summaryPlan);
  const success = objectOf(plan.successEvaluationPlan);
  const structured = objectOf(plan.structuredDataPlan);
  const schema = structured.enabled === false ? undefined : (structured.schema ?? plan.structuredDataSchema);
  const rubric = success.rubric ?? plan.successEvaluationRubric;
  return {
    summary: summary.enabled !== false && !isOff(plan.summaryPrompt),
    success: success.enabled !== false && !isOff(plan.successEvaluationPrompt),
    rubric: typeof rubric === 'string' ? rubric : 'PassFail',
    prompts: {
      summary: promptsOf(summary.messages, plan.summaryPrompt),
      success: promptsOf(success.messages, plan.successEvaluationPrompt),
      structured: promptsOf(structured.messages, plan.structuredDataPrompt),
    },
    schema: schema === undefined ? undefined : objectOf(schema),
    least: typeof plan.minMessagesThreshold === 'number' ? plan.minMessagesThreshold : USUAL_LEAST,
  };
}

/**
 * Holds an analysis to the assistant's plan: leaves out what is not wanted, and fills the structured
 * data of the plan's schema from what the call's tools were given, where no model did.
 */
export function planAnalysis(
  analysis: CallAnalysis,
  plan: CallAssistant['analysisPlan'],
  messages: readonly AnalysedMessage[],
): Partial<CallAnalysis> {
  if (plan === undefined) return analysis;
  const wish = analysisWish(plan);
  const said = messages.filter(({ role }) => role === 'bot' || role === 'user').length;
  if (said < wish.least) return {};
  const { summary, successEvaluation, structuredData } = analysis;
  const structured =
    wish.schema === undefined ? structuredData : fitted(wish.schema, structuredData, messages);
  return {
    ...(wish.summary ? { summary } : {}),
    ...(wish.success && successEvaluation !== undefined ? { successEvaluation } : {}),
    ...(structured === undefined ? {} : { structuredData: structured }),
  };
}

/** The properties of the schema, from the model's data or the arguments of tools, where their type fits. */
function fitted(schema: Given, found: Given | undefined, messages: readonly AnalysedMessage[]): Given {
  const given = new Map<string, unknown>();
  for (const { role, toolCalls } of messages) {
    if (role !== 'tool_calls' || !Array.isArray(toolCalls)) continue;
    for (const call of toolCalls as { function?: { arguments?: unknown } }[])
      for (const [name, value] of Object.entries(objectOf(call.function?.arguments)))
        given.set(plainName(name), value);
  }
  return Object.fromEntries(
    Object.entries(objectOf(schema.properties)).flatMap(([name, described]) => {
      const value = found?.[name] ?? given.get(plainName(name));
      return fits(value, objectOf(described).type) ? [[name, value]] : [];
    }),
  );
}

const plainName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

function fits(value: unknown, type: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && !Array.isArray(value);
  return type === undefined || typeof value === type;
}
