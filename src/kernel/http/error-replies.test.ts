import { fastify } from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import type { Log } from '../resources/log/log.ts';
import { createErrorHandler } from './error-replies.ts';

const WORDS = 'could not extend file "base/16384/2619"';

/** The reply of a server with our handler, and how many errors it logged, when a route throws this. */
async function answerTo(path: string, fields: object) {
  const logged: unknown[] = [];
  const server = fastify();
  onTestFinished(() => server.close());
  server.setErrorHandler(
    createErrorHandler({ error: (entry: unknown) => logged.push(entry) } as never as Log),
  );
  server.get('/*', async () => {
    throw Object.assign(new Error(WORDS), fields);
  });
  const reply = await server.inject(path);
  return { reply, logged: logged.length };
}

const NO_ROOM = 'The service has no room left at the moment. Please try again later.';
const SLOW = 'That took too long. Please ask for less at a time.';
const OURS = 'Something went wrong on our side. Please try again.';

test.each([
  ['/functions/v1/a', { code: '53100' }, 503, { code: 'storage_full', error: NO_ROOM }],
  ['/auth/v1/a', { code: '53100' }, 503, { code: 503, error_code: 'storage_full', msg: NO_ROOM }],
  ['/storage/v1/a', { code: '53100' }, 503, { statusCode: '503', error: 'storage_full', message: NO_ROOM }],
  ['/rest/v1/a', { code: '57014' }, 504, { code: 'statement_timeout', message: SLOW, hint: null }],
  ['/voice/v1/a', { code: '57014' }, 504, { statusCode: 504, error: 'Gateway Timeout', message: SLOW }],
  ['/functions/v1/a', {}, 500, { code: 'unexpected_failure', error: OURS }],
  ['/functions/v1/a', { code: 'ECONNRESET' }, 500, { code: 'unexpected_failure', error: OURS }],
  ['/functions/v1/a', { statusCode: 503 }, 500, { code: 'unexpected_failure', error: OURS }],
  ['/functions/v1/a', { statusCode: 418 }, 418, { code: 'bad_request' }],
  ['/rest/v1/a', { statusCode: 400, code: 'FST_ERR_CTP_EMPTY_JSON_BODY' }, 400, { code: 'PGRST102' }],
])('at %s an error with %j is a %i, in words of ours', async (path, fields, status, body) => {
  const { reply, logged } = await answerTo(path, fields);
  expect([reply.statusCode, reply.json()]).toMatchObject([status, body]);
  expect(reply.body).not.toContain('base/16384');
  // Only a reply about something that may soon be free again asks the client to retry.
  expect(reply.headers['retry-after']).toBe(status === 503 ? '1' : undefined);
  expect(logged).toBe(status >= 500 ? 1 : 0);
});
