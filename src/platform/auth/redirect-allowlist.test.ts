import { expect, test } from 'vitest';
import type { Log } from '../../kernel/resources/log/log.ts';
import { allowedRedirect } from './redirect-allowlist.server.ts';

const SITE = 'https://site.example';
const LIST = [
  'https://shop.example/after',
  'https://*.branch.example/**',
  'https://pre-??.shop.example/',
  'https://xn--mnchen-3ya.example/**',
  'app://open',
];

/** Where a requested address leads, and how many refusals were logged. */
function led(wanted: string | null | undefined) {
  const refused: unknown[] = [];
  const log = { warn: (entry: unknown) => refused.push(entry) } as never as Log;
  const target = allowedRedirect(wanted, { settings: { AUTH_REDIRECT_URLS: LIST }, siteUrl: SITE, log });
  return { target, refused: refused.length };
}

test.each([
  ['https://site.example/dashboard?a=1#b', undefined],
  ['https://shop.example/after', undefined],
  ['https://shop.example/after?order=1', undefined],
  ['https://leeds.branch.example/a/b', undefined],
  ['https://pre-01.shop.example', 'https://pre-01.shop.example/'],
  ['https://xn--mnchen-3ya.example/a', undefined],
  ['app://open', undefined],
])('%s is on the list or on the site', (wanted, other) => {
  expect(led(wanted)).toEqual({ target: other ?? wanted, refused: 0 });
});

test.each([undefined, null, ''])('no requested address (%j) means the site, without a warning', (wanted) => {
  expect(led(wanted)).toEqual({ target: SITE, refused: 0 });
});

test.each([
  'https://shop.example/after/all',
  'https://a.b.branch.example/',
  'https://evil.example/x.branch.example/',
  'https://pre-1.shop.example/',
  'https://pre-0.1.shop.example/',
  'https://pre-001.shop.example/',
  'https://münchen.example/a',
  'https://ｓhop.example/after',
  'https:/shop.example/after',
  'https:shop.example/after',
  'https://user@shop.example/after',
  'https://shop.example\\@evil.example/after',
  ' https://shop.example/after',
  'https://shop.example/after\n',
  '/dashboard',
  '//site.example',
  'javascript:alert(1)',
  'data:text/html,x',
  'https://10.0.0.1/after',
  `https://site.example/${'a'.repeat(2048)}`,
])('attack 11: %s leads to the site, and is logged', (wanted) => {
  expect(led(wanted)).toEqual({ target: SITE, refused: 1 });
});
