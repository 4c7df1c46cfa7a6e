import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { ServiceError } from '@northline/service-error/service-error';
import { expect, onTestFinished, test } from 'vitest';
import type { SipCallEvents } from './dialog/sip-call.ts';
import { DigestGuard } from './digest-guard.ts';
import { parseMessage } from './message/message-parse.ts';
import { SipHeaders } from './message/sip-headers.ts';
import type { SipRequest } from './message/sip-message.ts';
import { openAgent, SDP, witness } from './sip-agent.fixture.ts';
import { systemClock } from './transaction/sip-clock.ts';
import { keepRegistered } from './trunk-registration.ts';
import type { SipUserAgent } from './user-agent.ts';

function invite(from: SipUserAgent, to: SipUserAgent, events: SipCallEvents, ringSeconds = 30) {
  const [listener] = to.listeners;
  if (listener === undefined) throw new Error('nothing listens');
  const { protocol, host, port } = listener;
  return from.invite(
    {
      to: `sip:+12125550100@${host}:${port}`,
      place: { protocol, address: host, port },
      from: { text: 'sip:+12125550101@127.0.0.1', name: 'A caller' },
      sdp: SDP,
      ringSeconds,
    },
    'caller',
    events,
  );
}

test.each(['udp', 'tcp'] as const)(
  'a call over %s: ring, answer, hold, key, hang-up, each told once',
  async (protocol) => {
    const [one, other] = [await openAgent(protocol), await openAgent(protocol)];
    const caller = witness();
    const call = invite(one.agent, other.agent, caller.events);
    await until('it rings there', () => other.calls.length === 1);
    const [received] = other.calls;
    const callee = witness();
    expect(received?.remote).toMatchObject({ name: 'A caller', uri: { user: '+12125550101' } });
    expect(received?.offer).toBe(SDP);
    received?.listen(callee.events);
    received?.ring();
    received?.accept(SDP);
    await until('both are established', () =>
      [caller, callee].every(({ seen }) => seen.includes('established')),
    );
    await call.reoffer(`${SDP}a=inactive\r\n`);
    await received?.reoffer(SDP);
    await call.sendInfo('5');
    await until('the key came', () => callee.seen.includes('tone 5'));
    expect(await received?.refer('sip:+449090000000@127.0.0.1')).toBe(603);
    received?.hangUp();
    received?.hangUp();
    await until('both are over', () =>
      [caller, callee].every(({ seen }) => seen.some((word) => /ended/.test(word))),
    );
    expect(caller.seen.filter((word) => word !== 'ringing 180')).toEqual([
      'answered true',
      'established',
      'answered true',
      'offer plain',
      'ended remote',
    ]);
    expect(callee.seen).toEqual(['established', 'offer held', 'answered true', 'tone 5', 'ended local']);
    expect([...one.lines, ...other.lines]).toEqual([]);
  },
);

/** Waits until `condition` holds. */
const until = (what: string, condition: () => boolean): Promise<void> =>
  expect.poll(condition, { message: what, interval: 20 }).toBe(true);

test('busy, taken back, not answered and refused sound are each an end of their own', async () => {
  const [one, other] = [await openAgent('udp'), await openAgent('udp')];
  const busy = witness();
  invite(one.agent, other.agent, busy.events);
  await until('it came', () => other.calls.length === 1);
  other.calls[0]?.listen(witness().events);
  other.calls[0]?.hangUp(486);
  await until('busy is told', () => busy.seen.includes('failed 486'));

  const takenBack = witness();
  const callee = witness();
  const call = invite(one.agent, other.agent, takenBack.events);
  await until('it came', () => other.calls.length === 2);
  other.calls[1]?.listen(callee.events);
  other.calls[1]?.ring();
  await until('it rings', () => takenBack.seen.includes('ringing 180'));
  call.hangUp();
  await until('both know', () => takenBack.seen.includes('failed 487') && callee.seen.includes('failed 487'));

  const unanswered = witness();
  invite(one.agent, other.agent, unanswered.events, 0.2);
  await until('nobody answered', () => unanswered.seen.includes('failed 408'));

  const held = witness({
    offer: () => {
      throw new ServiceError(488, 'not_acceptable', 'no');
    },
  });
  const caller = witness();
  const strange = invite(one.agent, other.agent, caller.events);
  await until('it came', () => other.calls.length === 4);
  other.calls[3]?.listen(held.events);
  other.calls[3]?.accept(SDP);
  await until('it goes on', () => caller.seen.includes('established') && held.seen.includes('established'));
  await expect(strange.reoffer(SDP)).rejects.toMatchObject({ status: 502, code: 'session_refused' });
  strange.hangUp();
  await until('it is over', () => held.seen.includes('ended remote'));
  for (const { seen } of [busy, takenBack, unanswered, caller, held])
    expect(seen.filter((word) => /^(failed|ended)/.test(word))).toHaveLength(1);
});

test('what is not understood is refused by its status', async () => {
  const [one, other] = [await openAgent('udp'), await openAgent('udp')];
  const [listener] = other.agent.listeners;
  const place = { protocol: 'udp' as const, address: '127.0.0.1', port: listener?.port ?? 0 };
  const ask = (method: string, more: Record<string, string> = {}): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = new SipHeaders({
        'max-forwards': '70',
        from: '<sip:a@b>;tag=1',
        to: '<sip:c@d>',
        'call-id': `${method}${Object.keys(more)}`,
        cseq: `1 ${method}`,
        ...more,
      });
      one.agent.layer.request({ kind: 'request', method, uri: 'sip:c@127.0.0.1', headers, body: '' }, place, {
        response: ({ status }) => (status < 200 ? undefined : resolve(status)),
        failed: (status) => reject(new Error(String(status))),
      });
    });
  expect(await ask('OPTIONS')).toBe(200);
  expect(await ask('PUBLISH')).toBe(405);
  expect(await ask('BYE')).toBe(481);
  expect(await ask('INFO', { to: '<sip:c@d>;tag=unknown' })).toBe(481);
  expect(await ask('OPTIONS', { require: 'nothing-we-know' })).toBe(420);
  expect(other.calls).toEqual([]);
});

test('a trunk that wants to know where we are is told, with a proof, and told when we go', async () => {
  const { agent: one } = await openAgent('udp');
  const guard = new DigestGuard(systemClock, 'provider.example');
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  const seen: string[] = [];
  socket.on('message', (bytes, from) => {
    const { headers, uri } = parseMessage(bytes) as SipRequest;
    const verdict = guard.check(parseMessage(bytes) as SipRequest, (name) =>
      name === 'me' ? 'secret' : undefined,
    );
    const status = verdict.kind === 'proven' ? '200 OK' : '401 Unauthorized';
    seen.push(`${status} ${uri} ${headers.get('expires')} ${headers.get('contact')}`);
    const challenges =
      verdict.kind === 'proven' ? ['Expires: 60'] : verdict.headers.map((one) => `WWW-Authenticate: ${one}`);
    const copied = ['via', 'from', 'to', 'call-id', 'cseq'].map((name) => `${name}: ${headers.get(name)}`);
    socket.send(
      [`SIP/2.0 ${status}`, ...copied, ...challenges, '', ''].join('\r\n'),
      from.port,
      from.address,
    );
  });
  const registration = keepRegistered(one, {
    registrar: 'sip:provider.example',
    address: 'sip:me@provider.example',
    credentials: { username: 'me', password: 'secret' },
    place: async () => ({ protocol: 'udp', address: '127.0.0.1', port: socket.address().port }),
    clock: systemClock,
    log: (line) => void seen.push(line),
  });
  await until('it is registered', () => registration.status() === 200);
  registration.close();
  await until('it is taken back', () =>
    seen.some((line) => line.startsWith('200 OK sip:provider.example 0 ')),
  );
  expect(seen[0]).toContain('401 Unauthorized sip:provider.example 600 <sip:me@127.0.0.1:');
});

test('a provisional answer that has to be acknowledged is, and the call goes on; a session that is too short is refused', async () => {
  const [one, other] = [await openAgent('udp'), await openAgent('udp')];
  const caller = witness();
  const [listener] = other.agent.listeners;
  const place = { protocol: 'udp' as const, address: '127.0.0.1', port: listener?.port ?? 0 };
  const to = `sip:a@127.0.0.1:${place.port}`;
  const from = { text: 'sip:b@127.0.0.1' };
  one.agent.invite(
    { to, place, from, sdp: SDP, ringSeconds: 30, headers: { require: '100rel' } },
    'b',
    caller.events,
  );
  await until('it came', () => other.calls.length === 1);
  const callee = witness();
  other.calls[0]?.listen(callee.events);
  other.calls[0]?.ring(SDP);
  await until('it sounds', () => caller.seen.includes('ringing 183'));
  other.calls[0]?.accept(SDP);
  await until('it goes on', () => callee.seen.includes('established'));
  // Without its PRACK the 183 would be repeated.
  expect(caller.seen.filter((word) => word === 'ringing 183')).toHaveLength(1);
  other.calls[0]?.hangUp();
  await until('it is over', () => caller.seen.includes('ended remote'));
  const short = witness();
  one.agent.invite(
    { to, place, from, sdp: SDP, ringSeconds: 30, headers: { 'session-expires': '20' } },
    'b',
    short.events,
  );
  await until('it is refused', () => short.seen.includes('failed 422'));
  // A call that is repeated at once is not reported again.
  expect(other.calls).toHaveLength(1);
});

test('RFC 4475: a message that cannot be used gets its answer at the port of its sender', async () => {
  const { agent } = await openAgent('udp');
  const [listener] = agent.listeners;
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  const own = socket.address().port;
  const answerTo = async (first: string, ...headers: string[]): Promise<string> => {
    const bytes = [first, ...headers, 'Content-Length: 0', '', ''].join('\r\n');
    socket.send(bytes, listener?.port ?? 0, '127.0.0.1');
    const [answer] = (await once(socket, 'message')) as [Buffer];
    return answer.toString().split('\r\n')[0] ?? '';
  };
  const via = (version: string) => `Via: SIP/${version}/UDP 127.0.0.1:${own};branch=z9hG4bKkdjuw`;
  const rest = [
    'To: <sip:a@b>',
    'From: <sip:c@d>;tag=1',
    'Call-ID: one@two',
    'CSeq: 31417 OPTIONS',
    'Max-Forwards: 70',
  ];
  expect([
    await answerTo('OPTIONS sip:a@b SIP/7.0', via('7.0'), ...rest),
    await answerTo('OPTIONS sip:a@b SIP/2.0  ', via('2.0'), ...rest),
    await answerTo('INVITE sip:a@b SIP/2.0', 'CSeq: 193942 INVITE', via('2.0')),
  ]).toEqual([
    expect.stringMatching(/^SIP\/2\.0 505 /),
    expect.stringMatching(/^SIP\/2\.0 400 /),
    expect.stringMatching(/^SIP\/2\.0 400 /),
  ]);
});
