import { z } from 'zod';
import { REFUSED_TOOLS } from './setting-effects.contract.ts';
import { eventServer, jsonObject, seconds } from './voice-fields.contract.ts';

const TOOL_TYPES = [
  'apiRequest',
  'dtmf',
  'endCall',
  'function',
  'handoff',
  'make',
  'mcp',
  'query',
  'transferCall',
  'voicemail',
];

/** Why a type is refused: for one that nothing here can carry out, with what to use instead. */
function refusalOf(type: unknown): string {
  if (typeof type === 'string' && Object.hasOwn(REFUSED_TOOLS, type))
    return `a tool of the type ${type} is not offered: ${REFUSED_TOOLS[type]}`;
  return `must be one of ${TOOL_TYPES.join(', ')}`;
}

const toolType = z
  .string()
  .refine((type) => TOOL_TYPES.includes(type), { error: ({ input }) => refusalOf(input) })
  .meta({ enum: TOOL_TYPES });

/** How somebody outside the call is reached (docs/contracts/voice.md §3). */
const transferPlan = z.looseObject({
  mode: z
    .enum(
      [
        'blind-transfer',
        'blind-transfer-add-summary-to-sip-header',
        'warm-transfer-say-message',
        'warm-transfer-say-summary',
        'warm-transfer-wait-for-operator-to-speak-first-and-then-say-message',
        'warm-transfer-wait-for-operator-to-speak-first-and-then-say-summary',
      ],
      { error: 'is not offered: a transfer is blind, or warm with a message or a summary' },
    )
    .optional(),
  message: z.union([z.string().max(1000), z.looseObject({ content: z.string().max(1000) })]).optional(),
  sipVerb: z
    .enum(['refer', 'dial'], { error: 'must be refer (the other exchange puts through) or dial (we do)' })
    .optional(),
});

/** A tool; its further fields depend on its type. */
export const toolSchema = z
  .looseObject({
    type: toolType,
    async: z.boolean().optional(),
    name: z.string().max(200).optional(),
    function: z
      .looseObject({
        name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -'),
        description: z.string().max(4000).optional(),
        parameters: jsonObject.optional(),
      })
      .optional(),
    server: eventServer.optional(),
    url: z.string().max(2000).optional(),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).optional(),
    headers: jsonObject.optional(),
    body: jsonObject.optional(),
    timeoutSeconds: seconds(1, 300).optional(),
    description: z.string().max(4000).optional(),
    knowledgeBases: z
      .array(
        z.looseObject({
          name: z.string().max(200).optional(),
          description: z.string().max(4000).optional(),
          fileIds: z.array(z.uuid()).max(100),
        }),
      )
      .max(20)
      .optional(),
    messages: z
      .array(z.looseObject({ type: z.string().min(1) }))
      .max(50)
      .optional(),
    destinations: z
      .array(z.looseObject({ type: z.string().min(1), transferPlan: transferPlan.optional() }))
      .max(50)
      .optional(),
  })
  .refine(({ type, function: described }) => type !== 'function' || described !== undefined, {
    path: ['function'],
    error: 'is needed for a tool of type function',
  })
  .refine(({ type, url }) => type !== 'apiRequest' || /^https?:\/\//.test(url ?? ''), {
    path: ['url'],
    error: 'is needed for a tool of type apiRequest: an http or https address',
  })
  .refine(({ type, server }) => type !== 'mcp' || server?.url !== undefined, {
    path: ['server', 'url'],
    error: 'is needed for a tool of type mcp',
  });
