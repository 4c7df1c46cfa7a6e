import { Liquid } from 'liquidjs';
import type { OutboundHttp } from '../../../kernel/resources/outbound-http/outbound-http.ts';
import type { CallContext } from '../../engines/engines.server.ts';
import { type Given, objectOf, textOf } from '../../records/given-fields.server.ts';
import { requestToolName, type Tool } from './custom-tools.server.ts';
import type { ModelTool } from './model-tools.server.ts';
import { sayings } from './tool-run.server.ts';

const SECONDS = { default: 12, max: 15 } as const;
/** Most bytes of an answer that are read, and most characters that the dialogue gets. */
const REPLY_BYTES = 256 * 1024;
const LONGEST_RESULT = 8000;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** Headers that frame a request: the server sets them, and a tool cannot. */
const RESERVED = /^(host|connection|content-(length|type|encoding)|transfer-encoding|upgrade|te|trailer)$/i;

/**
 * The `apiRequest` tools of an assistant. Each sends a request with the dialogue's arguments to the address
 * that it names, and the answer is its result. Properties of `body` and `headers` that have a `value` are
 * sent with it; the dialogue is asked for the others. `{{name}}` in address and headers is filled from both
 * and from the call's `variableValues`.
 */
export function requestTools(call: CallContext, outbound: OutboundHttp): Readonly<Record<string, ModelTool>> {
  const tools = (call.assistant.model?.tools ?? []).filter(({ type }) => type === 'apiRequest');
  return Object.fromEntries(
    tools.map((tool) => [
      requestToolName(tool),
      {
        description: textOf(tool.description) || tool.function?.description || 'Asks another service.',
        parameters: askedFor(tool),
        ...sayings(tool),
        run: (given) => send(call, outbound, tool, objectOf(given)),
      },
    ]),
  );
}

/** The properties of a tool's schema that the dialogue is asked for: those that have no `value`. */
export const openProperties = (schema: Given): [name: string, property: unknown][] =>
  Object.entries(objectOf(schema.properties)).filter(([, one]) => objectOf(one).value === undefined);

/** The part of a tool's schema that the dialogue has to fill. */
function askedFor(tool: Tool): object {
  const schema = objectOf(tool.body ?? tool.function?.parameters);
  const open = openProperties(schema);
  const required = (Array.isArray(schema.required) ? schema.required : []).filter((name) =>
    open.some(([known]) => known === name),
  );
  return {
    type: 'object',
    properties: Object.fromEntries(open),
    ...(required.length === 0 ? {} : { required }),
  };
}

/**
 * Sends the request. @throws Error with a sentence for the dialogue, where the service refuses or cannot be
 * reached
 */
async function send(
  { assistant }: CallContext,
  outbound: OutboundHttp,
  tool: Tool,
  given: Given,
): Promise<string> {
  const liquid = new Liquid({ templates: {}, ownPropertyOnly: true, parseLimit: 20_000, renderLimit: 100 });
  const values = { ...assistant.variableValues, ...given };
  // Each value is encoded as one part of the address, so that it cannot lead elsewhere.
  const escaped = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, encodeURIComponent(plainText(value))]),
  );
  const body = { ...fixedOf(tool.body), ...given };
  const method = METHODS.find((one) => one === tool.method) ?? 'POST';
  const hasBody = method !== 'GET' && Object.keys(body).length > 0;
  const headers = Object.entries(fixedOf(tool.headers))
    .filter(([name]) => !RESERVED.test(name))
    .map(([name, value]) => [name, liquid.parseAndRenderSync(plainText(value), values)]);
  const seconds = typeof tool.timeoutSeconds === 'number' ? tool.timeoutSeconds : SECONDS.default;
  const ms = Math.min(seconds, SECONDS.max) * 1000;
  const reply = await outbound.request({
    url: liquid.parseAndRenderSync(textOf(tool.url), escaped),
    method,
    headers: {
      ...Object.fromEntries(headers),
      accept: 'application/json',
      ...(hasBody ? { 'content-type': 'application/json; charset=utf-8' } : {}),
    },
    ...(hasBody ? { body: JSON.stringify(body) } : {}),
    maxBytes: REPLY_BYTES,
    headersMs: ms,
    totalMs: ms,
  });
  if (reply.status < 200 || reply.status >= 300) throw new Error(`The service answered ${reply.status}.`);
  return reply.body.toString('utf8').slice(0, LONGEST_RESULT);
}

/** The members of a schema that have a fixed value; for a plain object all its texts. */
function fixedOf(schema: unknown): Given {
  const { properties, ...rest } = objectOf(schema);
  if (properties === undefined) {
    const texts = Object.entries(rest).filter(
      ([name, value]) => name !== 'type' && typeof value === 'string',
    );
    return Object.fromEntries(texts);
  }
  return Object.fromEntries(
    Object.entries(objectOf(properties)).flatMap(([name, one]) => {
      const { value } = objectOf(one);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

const plainText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? '');
