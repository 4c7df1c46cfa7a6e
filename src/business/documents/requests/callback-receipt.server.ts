import { Webhook } from 'standardwebhooks';
import { z } from 'zod';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { bearerToken } from '../../../kernel/http/bearer-token.ts';
import type { HttpContext } from '../../../kernel/http/http-context.ts';
import { equalSecrets } from '../../../kernel/resources/crypto/secrets.ts';
import type { Answer } from './analysis-answer.server.ts';
import { type AnalysisContext, analysisSecrets, callbackToken } from './analysis-context.server.ts';
import { type AnswerOutcome, applyAnswer, parseAnswer } from './answer-application.server.ts';

/** Largest body, bytes (docs/contracts/documents.md §7.2). */
const BODY_LIMIT = 5 * 1024 * 1024;

/**
 * `POST /webhooks/analysis/{analysis_id}`: an analyser reports its progress and its result
 * (docs/contracts/documents.md §7.2), with the request's token as bearer or with a Standard Webhooks signature.
 *
 * Answers 200 `{status}`; 404 for an unknown analysis, 401 for a wrong token or signature, 409 if the analysis is closed,
 * 400 if the body is not JSON, 422 with the wrong fields by path, 413 if it is too large.
 */
export function mountAnalysisCallback(http: HttpContext, context: AnalysisContext): void {
  http.server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_request, body, done) =>
      done(null, body),
    );
    scope.post<{ Params: { analysisId: string } }>(
      `${SERVICES.analysisWebhook}/:analysisId`,
      { bodyLimit: BODY_LIMIT },
      async (request, reply) => {
        const { analysisId } = request.params;
        const body = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
        await checkSender(context, analysisId, body, request.headers as Record<string, string>);
        const answer = readAnswer(body);
        const outcome = await context.resources.database.transaction((queries) =>
          applyAnswer(context, queries, analysisId, { answer, body }),
        );
        return reply.send({ status: accept(outcome) });
      },
    );
  });
}

/** @throws ServiceError 404 for an unknown analysis, 401 for a sender that is not its analyser */
async function checkSender(
  context: AnalysisContext,
  analysisId: string,
  body: Buffer,
  headers: Record<string, string>,
): Promise<void> {
  if (!z.uuid().safeParse(analysisId).success) throw unknown();
  const { database } = context.resources;
  const known = await database.maybe('select 1 from private.analyses where id = $1', [analysisId]);
  if (known === undefined) throw unknown();
  if (!(await isGenuine(context, analysisId, body, headers))) {
    throw new ServiceError(401, 'bad_token', 'The token or the signature is not valid.');
  }
}

/** @throws ServiceError 400 if the body is not JSON, 422 with the wrong fields by path */
function readAnswer(body: Buffer): Answer {
  const parsed = parseAnswer(body);
  if (parsed.ok) return parsed.answer;
  const [status, code] = parsed.isJson ? ([422, 'validation_failed'] as const) : ([400, 'bad_json'] as const);
  throw new ServiceError(status, code, 'The body is not an answer to an analysis.', {
    details: { fields: parsed.fields },
  });
}

function accept(outcome: AnswerOutcome): string {
  if (outcome === 'unknown') throw unknown();
  if (outcome === 'closed') {
    throw new ServiceError(
      409,
      'analysis_closed',
      'This analysis is closed: its answer has been given or its time is over.',
    );
  }
  if (outcome === 'incomplete') {
    throw new ServiceError(422, 'validation_failed', 'The answer lacks its report or blocks.', {
      details: { fields: { report: 'is required', blocks: 'is required' } },
    });
  }
  return outcome === 'repeated' ? 'repeated' : 'accepted';
}

async function isGenuine(
  { resources }: AnalysisContext,
  analysisId: string,
  body: Buffer,
  headers: Record<string, string>,
): Promise<boolean> {
  const bearer = bearerToken(headers);
  if (bearer !== undefined) return equalSecrets(bearer, callbackToken(resources, analysisId));
  if (headers['webhook-signature'] === undefined) return false;
  return (await analysisSecrets(resources)).some((secret) => {
    try {
      new Webhook(secret).verify(body, headers);
      return true;
    } catch {
      return false;
    }
  });
}

function unknown(): ServiceError {
  return new ServiceError(404, 'not_found', 'There is no such analysis.');
}
