import { z } from 'zod';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { openProperties } from '../../dialogue/model/request-tools.server.ts';
import { type Given, objectOf, textOf } from '../../records/given-fields.server.ts';
import { METHODS, TOOL_LENGTHS, TOOL_TYPES, type ToolDraft } from './tools.contract.ts';

/** The form of a tool. */
export const TOOL_DRAFT = z.object({
  type: z.enum(TOOL_TYPES),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -'),
  description: z.string().trim().max(TOOL_LENGTHS.description),
  url: z
    .string()
    .trim()
    .max(TOOL_LENGTHS.url)
    .regex(/^(https?:\/\/\S+)?$/, 'must be an http or https address'),
  method: z.enum(METHODS),
  parameters: z.string().trim().max(TOOL_LENGTHS.schema),
});

/** The form of a stored tool; null for a type that the console does not edit. */
export function draftOf(tool: Given): ToolDraft | null {
  const described = objectOf(tool.function);
  const method = METHODS.find((one) => one === tool.method) ?? 'POST';
  if (tool.type === 'function')
    return {
      ...{
        type: 'function',
        name: textOf(described.name),
        description: textOf(described.description),
        method,
      },
      ...{ url: textOf(objectOf(tool.server).url), parameters: printed(described.parameters) },
    };
  if (tool.type !== 'apiRequest') return null;
  return {
    ...{
      type: 'apiRequest',
      name: textOf(tool.name) || textOf(described.name),
      method,
      url: textOf(tool.url),
    },
    description: textOf(tool.description) || textOf(described.description),
    parameters: printed(tool.body ?? described.parameters),
  };
}

const printed = (schema: unknown): string => (schema === undefined ? '' : JSON.stringify(schema, null, 2));

/**
 * A stored tool with what the form has; fields that the form does not have stay.
 *
 * @param secret sent with each request; empty to keep the present one
 * @throws ServiceError 400 `validation_failed` where the arguments are no JSON object
 */
export function withDraft(tool: Given, draft: ToolDraft, secret: string): Record<string, unknown> {
  const { type, name, description, url, method } = draft;
  const parameters = schemaOf(draft.parameters);
  if (type === 'function') {
    const { parameters: _schema, ...described } = objectOf(tool.function);
    const { url: _before, ...server } = objectOf(tool.server);
    const next = { ...server, ...(url && { url }), ...(secret && { secret }) };
    return {
      ...tool,
      type,
      function: { ...described, name, description, ...(parameters && { parameters }) },
      server: Object.keys(next).length === 0 ? undefined : next,
    };
  }
  const { body: _body, ...rest } = tool;
  const headers = { ...objectOf(tool.headers), ...(secret && { authorization: secret }) };
  return { ...rest, type, name, description, url, method, headers, ...(parameters && { body: parameters }) };
}

/** Secrets were meant for the address before: these parts lose them where the form names another. */
export function movedParts(tool: Given, draft: ToolDraft): readonly string[] {
  const before = draftOf(tool);
  const host = (url = ''): string => (URL.canParse(url) ? new URL(url).origin : url);
  return before?.type === draft.type && host(before.url) === host(draft.url)
    ? []
    : ['server', 'headers', 'body'];
}

function schemaOf(text: string): Given | undefined {
  if (text === '') return undefined;
  try {
    const schema: unknown = JSON.parse(text);
    if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) return schema as Given;
  } catch {
    // The sentence below says what is wanted.
  }
  throw new ServiceError(
    400,
    'validation_failed',
    'Write the arguments as a JSON schema: an object with type and properties.',
  );
}

/** Arguments that fit a tool's schema, as JSON. */
export function exampleFor(draft: ToolDraft | null): string {
  const schema = draft === null || draft.parameters === '' ? {} : JSON.parse(draft.parameters);
  const open = openProperties(schema);
  return JSON.stringify(
    Object.fromEntries(open.map(([name, one]) => [name, valueFor(objectOf(one))])),
    null,
    2,
  );
}

function valueFor({ example, default: usual, enum: choices, type }: Given): unknown {
  const [first] = Array.isArray(choices) ? choices : [];
  if (example !== undefined || usual !== undefined || first !== undefined) return example ?? usual ?? first;
  if (type === 'number' || type === 'integer') return 1;
  if (type === 'boolean') return true;
  if (type === 'array') return [];
  return type === 'object' ? {} : 'text';
}
