import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../kernel/contract/service-error.ts';

/** Calls of the published API that are not offered here: a pattern of the path, and what to use instead. */
const NOT_OFFERED: readonly (readonly [path: RegExp, sentence: string])[] = [
  [
    /^\/v2\/campaign(\/|$)/,
    'Campaigns with lists of contacts are not offered; POST /campaign takes its customers with it.',
  ],
  [
    /^\/(chat|session)(\/|$)/,
    'Chats and sessions are not offered; a call in the browser takes typed turns too.',
  ],
  [
    /^\/test-suite(\/|$)/,
    'Test suites are kept as evals: POST /eval takes lines and how replies are judged, POST /eval/run holds the conversation.',
  ],
  [/^\/eval\/simulation(\/|$)/, 'Simulated callers are not offered; POST /eval takes the lines of a caller.'],
  [
    /^\/(reporting|observability)\//,
    'Reports are not offered; POST /analytics and GET /metrics count calls.',
  ],
  [
    /^\/structured-output(\/|$)/,
    'Structured outputs are not offered; an analysisPlan has structuredDataPlan.',
  ],
  [
    /^\/(v2\/)?knowledge-base(\/|$)/,
    'Knowledge bases are not kept by themselves; model.knowledgeBase and query tools name files by fileIds.',
  ],
  [
    /^\/(workflow|v2\/workflow)(\/|$)/,
    'Workflows are not offered; a squad hands a call from one assistant to another.',
  ],
  [/^\/call\/[^/]+\/pcap$/, 'Packets of calls are not kept.'],
  [/^\/call\/[^/]+\/call-logs$/, 'The log of a call is read at GET /log?callId=….'],
  [
    /^\/(assistant|tool)\/(draft|[^/]+\/(versions?|restore|draft))(\/|$)/,
    'GET /assistant/{id}/versions lists what an assistant was, POST /assistant/{id}/restore/{version} brings it back; versions are neither named nor deleted. Drafts and versions of tools are not offered.',
  ],
  [
    /^\/v2\/(assistant|call\/(export|metadata))(\/|$)/,
    'Use GET /assistant, GET /v2/call and POST /analytics.',
  ],
  [
    /^\/(org|token|template|voice-library)(\/|$)/,
    'There is one organisation here, with the keys of keys.json.',
  ],
  [
    /^\/(provider\/|[\w-]+\/(locations|workflows|voices?)(\/|$))/,
    'Resources of providers are managed at the provider.',
  ],
];

/** Answers requests without a route: 501 with a sentence for calls of the published API, otherwise 404. */
export function refuseOtherCalls(server: FastifyInstance, prefix: string): void {
  server.setNotFoundHandler((request) => {
    const path = (request.url.split('?', 1)[0] ?? '').slice(prefix.length);
    const known = NOT_OFFERED.find(([pattern]) => pattern.test(path));
    if (known !== undefined) throw new ServiceError(501, 'not_offered', known[1]);
    throw new ServiceError(
      404,
      'no_such_call',
      'There is no such call; GET /openapi.json lists those there are.',
    );
  });
}
