import { expect, test } from 'vitest';
import { MessageFraming } from './message-framing.ts';
import { MOST_BYTES, parseMessage } from './message-parse.ts';
import { parseNameAddress, parseVia, printNameAddress } from './sip-addresses.ts';
import { SipHeaders, splitList } from './sip-headers.ts';
import { commandSequence, printMessage, type SipRequest, type SipResponse } from './sip-message.ts';
import { parseSipUri, printSipUri } from './sip-uri.ts';

/** A message from its lines; a body follows an empty line. */
const lines = (...text: string[]): Buffer =>
  Buffer.from(`${text.join('\r\n')}\r\n${text.includes('') ? '' : '\r\n'}`);
const HEAD = [
  'To: <sip:j.user@example.com>',
  'From: <sip:caller@example.net>;tag=134161461246',
  'Max-Forwards: 7',
  'Call-ID: case.0ha0isndaksdjasdf3234nas',
  'CSeq: 8 INVITE',
  'Via: SIP/2.0/UDP 192.0.2.15;branch=z9hG4bKkdjuw',
];
/** An INVITE with some headers instead of the usual ones. */
const invite = (
  changed: Record<string, string>,
  uri = 'sip:user@example.com',
  version = 'SIP/2.0',
): Buffer => {
  const kept = HEAD.filter((line) => !Object.keys(changed).includes(line.split(':')[0] ?? ''));
  const own = Object.entries(changed).flatMap(([name, value]) => (value === '' ? [] : [`${name}: ${value}`]));
  return lines(`INVITE ${uri} ${version}`, ...kept, ...own);
};
const request = (bytes: Buffer): SipRequest => {
  const message = parseMessage(bytes);
  expect(message).toMatchObject({ kind: 'request' });
  return message as SipRequest;
};

test('RFC 4475 §3.1.1.1: folded lines, compact names and blanks in odd places are read', () => {
  const { method, uri, headers, body } = request(
    lines(
      'INVITE sip:vivekg@chair-dnrc.example.com;unknownparam SIP/2.0',
      'TO :',
      ' sip:vivekg@chair-dnrc.example.com ;   tag    = 1918181833n',
      'from   : "J Rosenberg \\\\\\""       <sip:jdrosen@example.com>',
      '  ;',
      '  tag = 98asjd8',
      'MaX-fOrWaRdS: 0068',
      'Call-ID: wsinv.ndaksdj@192.0.2.1',
      'Content-Length   : 5',
      'cseq: 0009',
      '  INVITE',
      'Via  : SIP  /   2.0',
      ' /UDP',
      '    192.0.2.2;branch=390skdjuw',
      's :',
      'NewFangledHeader:   newfangled value',
      ' continued newfangled value',
      'UnknownHeaderWithUnusualValue: ;;,,;;,;',
      'Content-Type: application/sdp',
      'Route:',
      ' <sip:services.example.com;lr;unknownwith=value;unknown-no-value>',
      'v:  SIP  / 2.0  / TCP     spindle.example.com   ;',
      '  branch  =   z9hG4bK9ikj8  ,',
      ' SIP  /    2.0   / UDP  192.168.255.111   ; branch=',
      ' z9hG4bK30239',
      'm:"Quoted string \\"\\"" <sip:jdrosen@example.com> ; newparam =',
      '      newvalue ;',
      '  secondparam ; q = 0.33',
      '',
      'v=0',
    ),
  );
  expect([method, uri, body]).toEqual([
    'INVITE',
    'sip:vivekg@chair-dnrc.example.com;unknownparam',
    'v=0\r\n',
  ]);
  expect(parseNameAddress(headers.get('to') ?? '')).toMatchObject({
    text: 'sip:vivekg@chair-dnrc.example.com',
    parameters: { tag: '1918181833n' },
  });
  expect(parseNameAddress(headers.get('from') ?? '')).toMatchObject({
    name: 'J Rosenberg \\"',
    parameters: { tag: '98asjd8' },
  });
  expect(headers.all('via').map((via) => parseVia(via))).toMatchObject([
    { transport: 'UDP', host: '192.0.2.2', parameters: { branch: '390skdjuw' } },
    { transport: 'TCP', host: 'spindle.example.com', parameters: { branch: 'z9hG4bK9ikj8' } },
    { transport: 'UDP', host: '192.168.255.111', parameters: { branch: 'z9hG4bK30239' } },
  ]);
  expect(parseNameAddress(headers.get('contact') ?? '')).toMatchObject({
    name: 'Quoted string ""',
    parameters: { newparam: 'newvalue', secondparam: '', q: '0.33' },
  });
  expect(headers.get('unknownheaderwithunusualvalue')).toBe(';;,,;;,;');
  expect(headers.get('newfangledheader')).toBe('newfangled value continued newfangled value');
});

test('RFC 4475 §3.1.1: other unusual messages are read', () => {
  const odd = "!interesting-Method0123456789_*+`.%indeed'~";
  const wide = request(
    lines(
      `${odd} sip:1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*:&it+has=1,weird!*pas$wo~d_too.(doesn't-it)@example.com SIP/2.0`,
      "Via: SIP/2.0/TCP host1.example.com;branch=z9hG4bK-.!%66*_+`'~",
      'To: "BEL:\\\x07 NUL:\\\x00 DEL:\\\x7F" <sip:1_unusual.URI~(to-be!sure)&isn\'t+it$/crazy?,/;;*@example.com>',
      "From: token1~` token2'+_ token3*%!.- <sip:mundane@example.com>;fromParam''~+*_!.-%=\"работающий\";tag=_token~1'+`*%!-.",
      'Call-ID: intmeth.word%ZK-!.*_+\'@word`~)(><:\\/"][?}{',
      `CSeq: 139122385 ${odd}`,
      'Max-Forwards: 255',
      "extensionHeader-!.%*+_`'~:大停電",
      'Content-Length: 0',
    ),
  );
  expect(wide.method).toBe(odd);
  expect(parseNameAddress(wide.headers.get('from') ?? '')?.parameters.tag).toBe("_token~1'+`*%!-.");
  // §3.1.1.3 escapes, §3.1.1.4 an escaped NUL, §3.1.1.6 no blank before the bracket.
  expect(parseSipUri('sip:sips%3Auser%40example.com@example.net')?.user).toBe('sips:user@example.com');
  expect(parseSipUri('sip:null-%00-null@example.com')?.user).toBe('null-\0-null');
  expect(parseNameAddress('caller<sip:caller@example.com>;tag=323')?.name).toBe('caller');
  expect(parseNameAddress('sip:caller@example.net;tag=1')?.parameters).toEqual({ tag: '1' });
  // §3.1.1.7 long values, §3.1.1.8 an old client that closes with empty lines, §3.1.1.9 a semicolon in the user.
  const long = request(invite({ Via: `SIP/2.0/TCP sip33.example.com;branch=${'z'.repeat(3000)}` }));
  expect(long.headers.get('via')).toHaveLength(3037);
  expect(parseSipUri('sip:user;par=u%40example.net@example.com')?.user).toBe('user;par=u@example.net');
  // §3.1.1.12 any status is accepted, §3.1.1.13 one without a reason phrase.
  const answer = ['Via: SIP/2.0/UDP 192.0.2.198;branch=z9hG4bK1324923', ...HEAD.slice(0, 5)];
  const twice = parseMessage(lines('SIP/2.0 200 = 2**3 * 5**2 но сто девяносто девять - простое', ...answer));
  expect(twice).toMatchObject({ status: 200, reason: '= 2**3 * 5**2 но сто девяносто девять - простое' });
  expect(parseMessage(lines('SIP/2.0 100 ', ...answer))).toMatchObject({
    kind: 'response',
    status: 100,
    reason: '',
  });
  // §3.1.1.11 a body of several parts is skipped.
  expect(request(invite({ 'Content-Type': 'multipart/mixed;boundary=7a9cbec02ceef655' })).method).toBe(
    'INVITE',
  );
  // §3.3: unknown schemes in other headers, and a missing Max-Forwards, are accepted.
  expect(
    request(invite({ 'Max-Forwards': '', Contact: '<name:John_Smith>' })).headers.all('contact'),
  ).toHaveLength(1);
});

const sentence = (bytes: Buffer) => {
  const {
    status,
    why,
    request: answerable,
  } = parseMessage(bytes) as {
    status: number;
    why: string;
    request?: SipRequest;
  };
  return [status, why, answerable !== undefined];
};

test.each([
  ['§3.1.2.1 separators before the Via', invite({ Via: 'SIP/2.0/UDP 192.0.2.15;;,;,,' }), 400, true],
  ['§3.1.2.2 more is announced than comes', invite({ 'Content-Length': '9999' }), 400, true],
  ['§3.1.2.3 a negative length', invite({ 'Content-Length': '-999' }), 400, true],
  ['§3.1.2.4 numbers that overflow', invite({ CSeq: '36893488147419103232 INVITE' }), 400, true],
  ['§3.1.2.4 more Max-Forwards than there are', invite({ 'Max-Forwards': '300000' }), 400, true],
  ['§3.1.2.6 an open quote', invite({ To: '"Mr. J. User <sip:j.user@example.com>' }), 400, true],
  ['§3.1.2.7 angle brackets around the address', invite({}, '<sip:user@example.com>'), 400, true],
  ['§3.1.2.8 blanks in the address', invite({}, 'sip:user@example.com; lr'), 400, true],
  ['§3.1.2.9 more than one blank', invite({}, ' sip:user@example.com '), 400, true],
  [
    '§3.1.2.11 headers of the address in the wrong place',
    invite({}, 'sip:user@exa mple.com?Route=%3Csip:x%3E'),
    400,
    true,
  ],
  ['§3.1.2.16 another version', invite({}, 'sip:user@example.com', 'SIP/7.0'), 505, true],
  ['§3.1.2.17 CSeq of another method', invite({ CSeq: '8 OPTIONS' }), 400, true],
  [
    '§3.1.2.16 another version in the Via too',
    invite({ Via: 'SIP/7.0/UDP 192.0.2.15;branch=z9hG4bKkdjuw' }, 'sip:user@example.com', 'SIP/7.0'),
    505,
    true,
  ],
  ['a Via of another version', invite({ Via: 'SIP/7.0/UDP 192.0.2.15;branch=z9hG4bKkdjuw' }), 400, true],
  ['§3.1.2.10 blanks after the request line', invite({}, 'sip:user@example.com', 'SIP/2.0  '), 400, true],
  ['§3.3.1 no CSeq', invite({ CSeq: '' }), 400, true],
  ['§3.3.1 no From, no To and no Call-ID', invite({ From: '', To: '', 'Call-ID': '' }), 400, true],
  ['§3.3.2 a scheme that is not called', invite({}, 'nobodyKnowsThisScheme:totallyopaquecontent'), 416, true],
  ['§3.3.8 two of what there is one of', invite({ Froml: 'x', 'Call-Id': 'second' }), 400, true],
  ['no Via', invite({ Via: '' }), 400, false],
  ['a header without a name', lines('INVITE sip:user@example.com SIP/2.0', ...HEAD, ': nothing'), 400, false],
  ['garbage', Buffer.from('\0\x01\x02\r\n\r\n'), 400, false],
  ['another protocol', lines('GET / HTTP/1.1', 'Host: example.com'), 400, false],
  ['a head without an end', Buffer.from('INVITE sip:user@example.com SIP/2.0\r\n'), 400, false],
  [
    'a flood: too many headers',
    invite(Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`X-${at}`, 'x']))),
    400,
    false,
  ],
  ['a flood: an endless header', invite({ Subject: 'x'.repeat(10_000) }), 400, false],
  ['a flood: more bytes than a datagram has', Buffer.alloc(MOST_BYTES + 1, 'x'), 413, false],
])('RFC 4475: %s is refused, and answered where its sender is known', (_what, bytes, status, answered) => {
  const [code, why, answerable] = sentence(bytes);
  expect([code, answerable]).toEqual([status, answered]);
  expect(why).toMatch(/\w+ \w+/);
});

test('addresses are read and written', () => {
  expect(parseSipUri('sip:+12125550100@127.0.0.1:5060;transport=tcp?Replaces=a%3Bb')).toMatchObject({
    user: '+12125550100',
    host: '127.0.0.1',
    port: 5060,
    parameters: { transport: 'tcp' },
    headers: { replaces: 'a;b' },
  });
  expect(parseSipUri('sips:[2001:db8::1]:5061')).toMatchObject({
    scheme: 'sips',
    host: '2001:db8::1',
    port: 5061,
  });
  expect(parseSipUri('tel:+1-212-555-0100')).toMatchObject({ scheme: 'tel', user: '+12125550100' });
  for (const wrong of [
    'sip:',
    'sip:@x',
    'sip:x@',
    'sip:x@h:99999',
    'sip:%zz@h',
    'http://x',
    'sip:x@[::g]',
    'sip:a b@c',
  ])
    expect(parseSipUri(wrong), wrong).toBeUndefined();
  expect(printSipUri({ user: 'a b', host: '::1', port: 5060, parameters: { lr: '' } })).toBe(
    'sip:a%20b@[::1]:5060;lr',
  );
  const named = printNameAddress({ name: 'A "b"\r\nX: y', text: 'sip:a@b' }, { tag: '1' });
  expect(named).toBe('"A \\"b\\"  X: y" <sip:a@b>;tag=1');
  expect(parseNameAddress(named)?.name).toBe('A "b"  X: y');
  expect(splitList('a, "b,c" <d,e>,,f')).toEqual(['a', '"b,c" <d,e>', 'f']);
});

test('no value begins a line of its own, wherever it comes from', () => {
  const headers = new SipHeaders({ replaces: 'a;to-tag=1\r\nRoute: <sip:evil>', 'x-why': ['b\nc', 'd'] });
  headers.prepend('via', 'SIP/2.0/UDP h\r\nX: y');
  headers.set('x-last', 'e\r\n\r\nbody');
  expect(headers.lines().join('\n')).not.toMatch(/[\r]|^(Route|X): /m);
  expect(headers.get('replaces')).toBe('a;to-tag=1 Route: <sip:evil>');
});

test('what is written can be read again, in datagrams and cut out of a stream', () => {
  const first = request(invite({ 'Content-Type': 'application/sdp' }));
  const bytes = printMessage({ ...first, body: 'v=0\r\nü' });
  const again = request(bytes);
  expect([again.body, commandSequence(again)]).toEqual(['v=0\r\nü', { number: 8, method: 'INVITE' }]);
  const ok: SipResponse = { kind: 'response', status: 200, reason: 'OK', headers: first.headers, body: '' };
  const stream = Buffer.concat([Buffer.from('\r\n\r\n'), bytes, printMessage(ok), bytes]);
  for (const size of [1, 7, 100, stream.length]) {
    const framing = new MessageFraming();
    const got: Buffer[] = [];
    for (let at = 0; at < stream.length; at += size)
      got.push(...(framing.push(stream.subarray(at, at + size)) ?? [Buffer.from('broken')]));
    expect(got.map((one) => parseMessage(one).kind)).toEqual(['request', 'response', 'request']);
  }
  expect(new MessageFraming().push(Buffer.from('INVITE sip:x@y SIP/2.0\r\nTo: z\r\n\r\n'))).toBeUndefined();
  expect(new MessageFraming().push(Buffer.alloc(MOST_BYTES + 2, 'x'))).toBeUndefined();
});
