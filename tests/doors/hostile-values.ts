import type { Random } from '../histories/random.ts';

/** Values that parsers, databases and templates have stumbled over. */
const VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1e308,
  2 ** 53,
  -0.5,
  '',
  ' ',
  'a'.repeat(70_000),
  '\u0000',
  '\ud800',
  '\u202eabc',
  '😀',
  '%00',
  '%ff',
  '../../../etc/passwd',
  "'; drop table x --",
  '{{ constructor }}',
  '__proto__',
  '2026-13-45T99:99:99Z',
  '999999999999999999999',
  'NaN',
  [],
  {},
  [[]],
  [null],
  { __proto__: null, constructor: { prototype: {} } },
];

/** Words that have a meaning in the grammars behind the doors. */
export const TOKENS: readonly string[] = [
  ...[
    '\r\n',
    '\r\n\r\n',
    '\r',
    '\n',
    '\0',
    ' ',
    '\t',
    ':',
    ';',
    ',',
    '<',
    '>',
    '"',
    '\\',
    '@',
    '=',
    '%',
    '%zz',
    '%00',
    '/',
    '//',
    '?',
    '#',
  ],
  ...[
    '*',
    '(',
    ')',
    '()',
    '.',
    '..',
    '!',
    'not.',
    'or=(',
    'and=(',
    'in.(',
    'eq.',
    'fts.',
    'select=*,(',
    '->>',
    '::text',
    'order=.desc',
    'limit=-1',
  ],
  ...[
    '99999999999999999999',
    '-1',
    '0x7f',
    '1e999',
    'HTTP/1.1',
    'HTTP/2.0',
    'SIP/2.0',
    'Content-Length: 5\r\n',
    'Transfer-Encoding: chunked\r\n',
  ],
  ...[
    'Connection: Upgrade\r\nUpgrade: h2c\r\n',
    'Expect: 100-continue\r\n',
    'Content-Encoding: gzip\r\n',
    'Range: bytes=9-1,-5\r\n',
    'Host: a\r\nHost: b\r\n',
  ],
  ...[
    '\u00ff\u00fe',
    '\u0080',
    '{',
    '}',
    '[',
    ']',
    '{"a":',
    '[[[[[[[[',
    'null',
    'data:;base64,',
    '--x',
    '--x--\r\n',
  ],
];

export const hostileValue = (random: Random): unknown => random.pick(VALUES);

/** The same JSON with one place changed: a leaf replaced, a key added, removed or renamed, or all of it nested. */
export function changedJson(value: unknown, random: Random): unknown {
  if (random.chance(0.1)) return hostileValue(random);
  if (Array.isArray(value)) {
    const at = random.below(value.length + 1);
    return random.chance(0.3)
      ? [...value, ...value, hostileValue(random)]
      : value.map((one, index) => (index === at ? changedJson(one, random) : one));
  }
  if (typeof value !== 'object' || value === null) return hostileValue(random);
  const entries = Object.entries(value);
  if (entries.length === 0 || random.chance(0.2))
    return {
      ...value,
      [random.pick(['id', 'name', '__proto__', 'toString', '', 'a'.repeat(300)])]: hostileValue(random),
    };
  const [key] = random.pick(entries);
  if (random.chance(0.2)) return Object.fromEntries(entries.filter(([name]) => name !== key));
  return Object.fromEntries(
    entries.map(([name, one]) => [name, name === key ? changedJson(one, random) : one]),
  );
}

/** The same bytes with tokens put in, pieces cut out, doubled or turned. */
export function changedBytes(bytes: Buffer, random: Random, most = 4): Buffer {
  let changed = bytes;
  for (let left = 1 + random.below(most); left > 0; left -= 1) {
    const at = random.below(changed.length + 1);
    const cut = random.chance(0.4) ? random.below(24) : random.below(2);
    const piece = random.chance(0.7)
      ? Buffer.from(random.pick(TOKENS), 'latin1')
      : changed.subarray(at, at + random.below(200));
    changed = Buffer.concat([changed.subarray(0, at), piece, changed.subarray(at + cut)]);
    if (random.chance(0.2) && changed.length > 0) {
      const bit = random.below(changed.length);
      changed = Buffer.from(changed);
      changed[bit] = (changed[bit] ?? 0) ^ (1 << random.below(8));
    }
  }
  return changed;
}
