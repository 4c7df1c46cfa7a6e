import { z } from 'zod';
import { assistantOverridesSchema, assistantSchema } from '../records/voice-assistant.contract.ts';
import { jsonObject } from '../records/voice-fields.contract.ts';
import { listSchema, PAGING } from '../records/voice-resources.contract.ts';
import { compileExpression } from './judge-expression.contract.ts';

const LINE = z.string().min(1).max(2000);
const toolCall = z.strictObject({ name: z.string().min(1).max(64), arguments: jsonObject.optional() });
const toolCalls = z.array(toolCall).max(10).optional();
/** An expression for RE2, whose time grows linearly with the text. */
const expression = z
  .string()
  .max(1000)
  .superRefine((text, context) => {
    try {
      compileExpression(text);
    } catch (error) {
      context.addIssue({ code: 'custom', message: `is no expression of RE2: ${(error as Error).message}` });
    }
  });
const patternCall = toolCall.extend({ arguments: z.record(z.string(), expression).optional() });

const judgePlan = z
  .discriminatedUnion(
    'type',
    [
      z.strictObject({ type: z.literal('exact'), content: z.string().max(4000).optional(), toolCalls }),
      z.strictObject({
        type: z.literal('regex'),
        content: expression.optional(),
        toolCalls: z.array(patternCall).max(10).optional(),
      }),
    ],
    { error: 'must be exact or regex: no language model judges here' },
  )
  .refine(({ content, toolCalls: calls }) => content !== undefined || calls !== undefined, {
    error: 'needs content or toolCalls',
  });

const message = z.discriminatedUnion(
  'role',
  [
    z.strictObject({ role: z.literal('user'), content: LINE }),
    z.strictObject({ role: z.literal('system'), content: LINE }),
    z.strictObject({ role: z.literal('tool'), content: z.string().max(8000) }),
    z.strictObject({
      role: z.literal('assistant'),
      content: z.undefined({ error: 'is judged here, not given: use judgePlan' }).optional(),
      judgePlan,
      continuePlan: z.strictObject({ exitOnFailureEnabled: z.boolean().optional() }).optional(),
    }),
  ],
  { error: 'must be user, system, tool or assistant' },
);

const EVAL_FIELDS = {
  type: z.literal('chat.mockConversation', { error: 'must be chat.mockConversation' }),
  name: z.string().min(1).max(80).optional(),
  description: z.string().max(500).optional(),
  messages: z.array(message).min(1).max(100),
};
const judged = ({ messages }: { readonly messages: readonly { readonly role: string }[] }): boolean =>
  messages.some(({ role }) => role === 'assistant');
const NOTHING_JUDGED = { path: ['messages'], error: 'must judge at least one reply of the assistant' };

/**
 * POST /eval, as in the published server SDK. `assistantId` is an addition of ours: the assistant on whose
 * page the console lists the eval.
 */
export const evalSchema = z
  .strictObject({ ...EVAL_FIELDS, assistantId: z.uuid().optional() })
  .refine(judged, NOTHING_JUDGED);

/** POST /eval/run: a stored or a described conversation, with a stored or a described assistant. */
export const evalRunSchema = z
  .strictObject({
    type: z.literal('eval', { error: 'must be eval' }),
    eval: z.strictObject(EVAL_FIELDS).refine(judged, NOTHING_JUDGED).optional(),
    evalId: z.uuid().optional(),
    target: z
      .strictObject({
        type: z.literal('assistant', { error: 'must be assistant: a squad is tested by its members' }),
        assistant: assistantSchema.optional(),
        assistantId: z.uuid().optional(),
        assistantOverrides: assistantOverridesSchema.optional(),
      })
      .refine(({ assistant, assistantId }) => (assistant === undefined) !== (assistantId === undefined), {
        error: 'needs exactly one of assistant and assistantId',
      }),
  })
  .refine(({ eval: given, evalId }) => (given === undefined) !== (evalId === undefined), {
    error: 'needs exactly one of eval and evalId',
  });

/** The query of GET /eval and GET /eval/run. */
export const evalListSchema = listSchema.extend({
  ...PAGING,
  id: z.uuid().optional(),
  sortBy: z.literal('createdAt', { error: 'must be createdAt' }).optional(),
});

export type EvalBody = z.output<typeof evalSchema>;
export type EvalRunRequest = z.output<typeof evalRunSchema>;
export type EvalListQuery = z.output<typeof evalListSchema>;
export type EvalMessage = z.output<typeof message>;
export type JudgePlan = z.output<typeof judgePlan>;

/** A tool that an assistant called. */
export interface ToolCall {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

/** One message of a run, as the published SDK shows it; `judged` is an addition of ours. */
export type RunMessage =
  | { readonly role: 'user' | 'system' | 'tool'; readonly content: string }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls?: readonly ToolCall[];
      /** Set for a reply that was judged: why it failed, or null where it is right. */
      readonly judged?: { readonly fault: string | null };
    };

/** The outcome of a run. */
export interface RunOutcome {
  readonly status: 'pass' | 'fail';
  readonly endedReason: 'mockConversation.done' | 'error' | 'timeout';
  readonly endedMessage?: string;
  readonly messages: readonly RunMessage[];
  /** Lines of the log about providers that did not answer. */
  readonly warnings: readonly string[];
  /** US dollars. */
  readonly cost: number;
  /** The part of the cost that stored credentials paid. */
  readonly costs?: readonly { readonly type: string; readonly cost: number; readonly credentialId: string }[];
}
