import { expect, test } from 'vitest';
import { tokensIn } from './inbox-context.server.ts';
import { isSenderConfirmed } from './sender-authentication.server.ts';

const HOST = 'mx.agency.example';
const SENDER = 'ada@mail.firm.example';
const confirmed = (...values: string[]): boolean =>
  isSenderConfirmed(
    values.map((value) => ['authentication-results', value] as const),
    SENDER,
    HOST,
  );

test.each([
  ['DMARC', 'mx.agency.example; dmarc=pass (p=none) header.from=mail.firm.example'],
  ['DMARC without a domain', 'mx.agency.example 1; dmarc=pass'],
  ['DKIM of the domain above', 'MX.agency.example; dkim=pass header.d=firm.example header.s=a'],
  ['DKIM by its identity', 'mx.agency.example; dkim=pass header.i=@mail.firm.example'],
  ['SPF', 'mx.agency.example;\r\n spf=pass (sender is (really) permitted) smtp.mailfrom=bounce@firm.example'],
  [
    'another result first',
    'mx.agency.example; dkim=fail header.d=x.example; dmarc=pass header.from=mail.firm.example',
  ],
])('%s confirms the sender', (_what, value) => {
  expect(confirmed(value)).toBe(true);
});

test.each([
  ['no result', 'mx.agency.example; none'],
  ['a failure', 'mx.agency.example; dmarc=fail; spf=softfail smtp.mailfrom=firm.example'],
  ['another host', 'mx.evil.example; dmarc=pass header.from=mail.firm.example'],
  ['a host that only begins like ours', 'mx.agency.example.evil.example; dmarc=pass'],
  [
    'another domain',
    'mx.agency.example; spf=pass smtp.mailfrom=evil.example; dkim=pass header.d=evil.example',
  ],
  ['a neighbour below the domain', 'mx.agency.example; dkim=pass header.d=evil.mail.firm.example'],
  ['a whole top domain', 'mx.agency.example; dkim=pass header.d=example'],
  ['words in a comment', 'mx.agency.example; dmarc=fail (x; dmarc=pass header.from=mail.firm.example)'],
  ['words in a comment with a quote', 'mx.agency.example; spf=fail (a " b; dmarc=pass ) " ; x=y'],
  [
    'words in quotes',
    'mx.agency.example; spf=fail smtp.mailfrom="a; dmarc=pass header.from=mail.firm.example"',
  ],
  ['an escaped quote', 'mx.agency.example; spf=fail smtp.mailfrom="a\\"; dmarc=pass "'],
  ['a quote without an end', 'mx.agency.example; spf=fail smtp.mailfrom="a; dmarc=pass '],
])('%s does not', (_what, value) => {
  expect(confirmed(value)).toBe(false);
});

test('only the first header of the trusted host counts, however many came with the mail', () => {
  expect(confirmed('mx.agency.example; dmarc=fail', 'mx.agency.example; dmarc=pass')).toBe(false);
  expect(confirmed('mx.other.example; dmarc=fail', 'mx.agency.example; dmarc=pass')).toBe(true);
  expect(confirmed()).toBe(false);
});

test('a customer’s address is found in the headers of receivers, and in no other', () => {
  const token = 'abcdefghij234567abcd';
  const found = (name: string, value: string): string[] =>
    tokensIn({ MAIL_IN_ADDRESS: 'docs.in@agency.example' }, [[name, value]]);
  expect(found('to', `"A, B" <x@y.example>, <DOCS.in+${token.toUpperCase()}@Agency.example>`)).toEqual([
    token,
  ]);
  expect(found('delivered-to', `docs.in+${token}@agency.example`)).toEqual([token]);
  expect(found('subject', `docs.in+${token}@agency.example`)).toEqual([]);
  for (const value of ['docsXin', 'xdocs.in', 'x.docs.in'])
    expect(found('to', `${value}+${token}@agency.example`)).toEqual([]);
  for (const domain of ['agency.example.evil.example', 'agency-example', 'agency.examples'])
    expect(found('to', `docs.in+${token}@${domain}`)).toEqual([]);
});
