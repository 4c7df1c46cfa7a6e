import { expect, test } from 'vitest';
import { createLog, logOfPart, pathOf } from './log.ts';

test.each([
  ['/auth/v1/verify?token=abc', '/auth/v1/verify'],
  ['/voice/v1/room/call-1/s3cret/offer', '/voice/v1/room/call-1/[cut]/offer'],
  ['/voice/v1/monitor/call-1/s3cret/control', '/voice/v1/monitor/call-1/[cut]/control'],
  ['/voice/v1/do-not-call/+12025550143', '/voice/v1/do-not-call/[cut]'],
  ['/voice/v1/do-not-call', '/voice/v1/do-not-call'],
  ['/site-preview/s3cret/about', '/site-preview/[cut]/about'],
  ['/test-provider/v1/checkout/sessions/cs_test_abc', '/test-provider/v1/checkout/sessions/[cut]'],
  ['/test-provider/v1/checkout/sessions', '/test-provider/v1/checkout/sessions'],
  ['/test-provider/pay/cs_test_abc/confirm', '/test-provider/pay/[cut]/confirm'],
  ['/test-provider/portal/bps_abc', '/test-provider/portal/[cut]'],
  ['/test-provider/invoice/in_1/proof/pdf', '/test-provider/invoice/in_1/[cut]/pdf'],
  ['/storage/v1/object/user-uploads/7f/divorce%20papers.pdf', '/storage/v1/object/user-uploads/7f/[cut]'],
  ['/storage/v1/object/sign/user-uploads/7f/a.pdf?token=x', '/storage/v1/object/sign/user-uploads/7f/[cut]'],
  ['/storage/v1/object/notes/divorce%20papers.pdf', '/storage/v1/object/notes/[cut]'],
  ['/storage/v1/s3/notes/divorce.pdf?x-id=PutObject', '/storage/v1/s3/notes/[cut]'],
  ['/storage/v1/cdn/notes/7f/divorce.pdf', '/storage/v1/cdn/notes/7f/[cut]'],
  ['/storage/v1/object/list/user-uploads', '/storage/v1/object/list/user-uploads'],
  ['/storage/v1/object/sign/user-uploads', '/storage/v1/object/sign/user-uploads'],
  ['/storage/v1/object/copy', '/storage/v1/object/copy'],
  ['/rest/v1/user_files?select=*', '/rest/v1/user_files'],
])('of %s the log has %s', (url, path) => {
  expect(pathOf(url)).toBe(path);
});

test('a part has the level that LOG_LEVELS gives it, lower or higher than the others', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  const settings = { LOG_LEVELS: ['voice=debug', 'rest=error'] };
  for (const part of ['voice', 'rest', 'auth'] as const) {
    const own = logOfPart(log, part, settings);
    own.debug('fine');
    own.warn('coarse');
  }
  expect(lines.map((line) => JSON.parse(line)).map(({ part, level }) => `${part} ${level}`)).toEqual([
    'voice debug',
    'voice warn',
    'auth warn',
  ]);
});
