import type { CallAnalysis, CallAssistant } from '../../engines/engines.server.ts';
import { type Given, objectOf } from '../../records/given-fields.server.ts';
import { stemOf } from '../likeness/word-meanings.server.ts';
import { readSpokenDigits, readSpokenNumber } from '../spoken/spoken-digits.server.ts';
import { normaliseWords } from '../spoken/word-normalisation.server.ts';

/** The parts of a call's messages that an analysis reads. */
interface AnalysedMessage {
  readonly role: string;
  readonly message?: string;
  readonly toolCalls?: unknown;
}

/** What an assistant's `analysisPlan` asks for, in the older and newer words of the published API. */
export interface AnalysisWish {
  readonly summary: boolean;
  readonly success: boolean;
  /** Rubric of the evaluation, `PassFail` unless another is named. */
  readonly rubric: string;
  /** JSON schema of the structured data; undefined where none is wanted. */
  readonly schema: Given | undefined;
  /**
   * The assistant's own questions to a model, in place of the usual ones; empty where the usual ones are
   * asked.
   */
  readonly prompts: Readonly<Record<'summary' | 'success' | 'structured', readonly AnalysisPrompt[]>>;
  /** Calls with fewer messages are not analysed. */
  readonly least: number;
}

/** A message of such a question; `{{transcript}}`, `{{schema}}` and `{{rubric}}` in it are filled in. */
interface AnalysisPrompt {
  readonly role: string;
  readonly content: string;
}

/** The messages of a plan, or its older form, a prompt of one text. */
function promptsOf(messages: unknown, older: unknown): readonly AnalysisPrompt[] {
  if (Array.isArray(messages) && messages.length > 0) return messages as AnalysisPrompt[];
  return typeof older === 'string' && older !== '' && older !== 'off'
    ? [{ role: 'system', content: older }]
    : [];
}

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
 * Adapts an analysis to the assistant's plan: leaves out what is not wanted, and fills the structured data of
 * the plan's schema from the arguments of the call's tools, where no model did.
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

/**
 * The properties of the schema, from the model's data, the arguments of tools or the caller's words,
 * converted to their types.
 */
function fitted(schema: Given, found: Given | undefined, messages: readonly AnalysedMessage[]): Given {
  const given = new Map<string, unknown>();
  for (const { role, toolCalls } of messages) {
    if (role !== 'tool_calls' || !Array.isArray(toolCalls)) continue;
    for (const call of toolCalls as { function?: { arguments?: unknown } }[])
      for (const [name, value] of Object.entries(objectOf(call.function?.arguments)))
        given.set(plainName(name), value);
  }
  const said = messages.flatMap(({ role, message }) => (role === 'user' ? (message ?? '') : []));
  return Object.fromEntries(
    Object.entries(objectOf(schema.properties)).flatMap(([name, property]) => {
      const described = objectOf(property);
      const value = typed(
        found?.[name] ?? given.get(plainName(name)) ?? saidOf(name, described, said),
        described,
      );
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

const plainName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
const EMAIL = /[^\s@<>()]+@[^\s@<>()]+\.[\p{L}\p{N}]+/u;
const LEAST_DIGITS = 7;

/** What callers said about a property: an address, a number, or one of its values. Nothing is guessed. */
function saidOf(name: string, { type, enum: allowed, format }: Given, said: readonly string[]): unknown {
  const words = said.map(normaliseWords);
  if (Array.isArray(allowed))
    return allowed.findLast((one) =>
      words.some((text) => ` ${text} `.includes(` ${normaliseWords(String(one))} `)),
    );
  if (type === 'integer' || type === 'number') {
    const own = propertyWords(name);
    const about = words.findLast((text) => stemsIn(text).some((stem) => own.includes(stem)));
    return about === undefined ? undefined : (readSpokenNumber(about) ?? undefined);
  }
  if (type !== undefined && type !== 'string') return undefined;
  if (format === 'email' || /e-?mail/i.test(name))
    return said.map((text) => EMAIL.exec(text)?.[0]).findLast(Boolean);
  if (!/phone|mobile/i.test(name)) return undefined;
  return words.map(readSpokenDigits).findLast((digits) => digits.replace('+', '').length >= LEAST_DIGITS);
}

/** The words for a property: `number_of_people` and `partySize` are said as `people`, `party` and `size`. */
const propertyWords = (name: string): string[] =>
  stemsIn(normaliseWords(name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' '))).filter(
    (word) => word.length > 2 && !/^(number|count|total|amount|quantiti?)$/.test(word),
  );

/** The stem of every word, also of words that say little: `people` may be the name of a property. */
const stemsIn = (text: string): string[] => text.split(' ').map(stemOf);

/** The value in the property's type; undefined where it cannot be converted. */
function typed(value: unknown, { type, enum: allowed }: Given): unknown {
  const fitting = inType(value, type);
  return Array.isArray(allowed) && !allowed.includes(fitting) ? undefined : fitting;
}

function inType(value: unknown, type: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  const read = READ[String(type)];
  if (read !== undefined) return read(value);
  return type === undefined || typeof value === type ? value : undefined;
}

/** `+44…` and `007` are not numbers for calculation. */
const numberOf = (value: unknown): number =>
  typeof value === 'number' || /^-?(0|[1-9]\d*)(\.\d+)?$/.test(String(value)) ? Number(value) : Number.NaN;
const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, yes: true, false: false, no: false };

/** How each type is read from a given value; undefined where that is not possible. */
const READ: Readonly<Record<string, (value: unknown) => unknown>> = {
  integer: (value) => (Number.isInteger(numberOf(value)) ? numberOf(value) : undefined),
  number: (value) => (Number.isFinite(numberOf(value)) ? numberOf(value) : undefined),
  boolean: (value) => (typeof value === 'boolean' ? value : BOOLEANS[String(value).toLowerCase()]),
  array: (value) => (Array.isArray(value) ? value : undefined),
  object: (value) => (typeof value === 'object' && !Array.isArray(value) ? value : undefined),
};
