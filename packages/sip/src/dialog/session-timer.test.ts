import { expect, test } from 'vitest';
import { SipHeaders } from '../message/sip-headers.ts';
import { openAgent, SDP } from '../sip-agent.fixture.ts';
import { agentCalls, answeredCall, openSipPeer, peerCalls } from '../sip-peer.fixture.ts';
import { acceptInterval, agreedInterval, asksTooLittle } from './session-timer.ts';

const saying = (expires: string | undefined, more: Record<string, string> = {}): SipHeaders =>
  new SipHeaders({ supported: 'timer', 'session-expires': expires, ...more });
const timed = (text: string, more: Record<string, string> = {}) => ({
  headers: { supported: 'timer', allow: 'UPDATE', 'session-expires': text, ...more },
});

test.each<[string | undefined, Record<string, string>, string | undefined, boolean | undefined]>([
  ['90;refresher=uac', {}, '90;refresher=uac', false],
  ['90;refresher=uas', {}, '90;refresher=uas', true],
  ['600', {}, '600;refresher=uac', false],
  [undefined, {}, '1800;refresher=uac', false],
  [undefined, { 'min-se': '3600' }, '3600;refresher=uac', false],
  // A timer of that many seconds would run out at once.
  ['999999999', {}, '86400;refresher=uac', false],
  ['600;refresher=uac', { supported: '' }, '600;refresher=uas', true],
  ['20', { supported: '' }, undefined, undefined],
  [undefined, { supported: '' }, undefined, undefined],
])('a session of %s with %o is agreed to as %s', (expires, more, header, ours) => {
  const { interval, header: said } = acceptInterval(saying(expires, more));
  expect([said['session-expires'], interval?.ours]).toEqual([header, ours]);
  expect(said.require === 'timer').toBe(header?.endsWith('uac') === true);
});

test('what was agreed on stays where a request says nothing, and nobody agrees to less than 90 s', () => {
  const current = { seconds: 600, ours: true };
  expect(acceptInterval(saying(undefined), current)).toEqual({
    interval: current,
    header: { 'session-expires': '600;refresher=uas' },
  });
  expect([asksTooLittle(saying('89')), asksTooLittle(saying('89', { supported: '' }))]).toEqual([
    true,
    false,
  ]);
  expect(agreedInterval(saying('1;refresher=uac'))).toEqual({ seconds: 90, ours: true });
  expect(agreedInterval(saying(undefined))).toBeUndefined();
});

test('a session that asks for too little is refused before anybody is told of it', async () => {
  const { port, calls } = await openAgent();
  const peer = await openSipPeer(port);
  peer.ask('INVITE', { ...timed('30'), body: SDP, branch: 'short' });
  expect((await peer.response(422)).headers.get('min-se')).toBe('90');
  expect(calls).toEqual([]);
});

test('a call ends when the other side does not refresh it, and goes on as long as it does', async () => {
  const { peer, call, seen, advance } = await peerCalls(timed('90;refresher=uac'));
  call.accept(SDP);
  const answer = await peer.response(200, 'INVITE');
  const said = ['session-expires', 'require'];
  expect(said.map((name) => answer.headers.get(name))).toEqual(['90;refresher=uac', 'timer']);
  peer.ask('ACK', { number: 1 });
  await peer.settled();
  advance(59_000);
  peer.ask('UPDATE', timed('90;refresher=uac'));
  expect((await peer.response(200, 'UPDATE')).headers.get('session-expires')).toBe('90;refresher=uac');
  advance(59_000);
  peer.ask('INVITE', { ...timed('90;refresher=uac'), number: 9, body: SDP });
  expect((await peer.response(200, 'INVITE')).headers.get('session-expires')).toBe('90;refresher=uac');
  peer.ask('ACK', { number: 9 });
  peer.ask('UPDATE', timed('30;refresher=uac'));
  expect((await peer.response(422, 'UPDATE')).headers.get('min-se')).toBe('90');
  advance(59_000);
  await peer.settled();
  advance(1000);
  peer.answer(await peer.request('BYE'), 200);
  expect(seen).toEqual(['established', 'offer plain', 'ended timeout']);
});

test('a session that is ours to refresh is refreshed by UPDATE, and by INVITE where that is not understood', async () => {
  const { peer, call, advance } = await answeredCall(timed('90;refresher=uas'));
  advance(45_000);
  const first = await peer.request('UPDATE');
  expect([first.headers.get('session-expires'), first.body]).toEqual(['90;refresher=uac', '']);
  peer.answer(first, 200, timed('90;refresher=uac'));
  await peer.settled();
  advance(45_000);
  peer.answer(await peer.request('UPDATE'), 422, { headers: { 'min-se': '120' } });
  await peer.settled();
  advance(0);
  const longer = await peer.request('UPDATE');
  const words = ['session-expires', 'min-se'];
  expect(words.map((name) => longer.headers.get(name))).toEqual(['120;refresher=uac', '120']);
  peer.answer(longer, 200, timed('120;refresher=uac'));
  await peer.settled();
  advance(60_000);
  // Both sides ask at once: tried again after a while.
  peer.answer(await peer.request('UPDATE'), 491);
  await peer.settled();
  advance(5000);
  peer.answer(await peer.request('UPDATE'), 501);
  await peer.settled();
  advance(0);
  const invite = await peer.request('INVITE');
  expect([invite.headers.get('session-expires'), invite.body]).toEqual(['120;refresher=uac', SDP]);
  peer.answer(invite, 200, { ...timed('120;refresher=uac'), body: SDP });
  await peer.request('ACK');
  await peer.settled();
  call.hangUp();
  peer.answer(await peer.request('BYE'), 200);
});

test('a call whose refresh nobody answers is over', async () => {
  const { peer, seen, advance } = await answeredCall(timed('90;refresher=uas'));
  advance(45_000);
  await peer.request('UPDATE');
  advance(15_000);
  for (let again = 0; again < 5; again += 1) await peer.request('UPDATE');
  await peer.request('BYE');
  expect(seen).toEqual(['established', 'ended timeout']);
});

test('a change of ours leaves it to the other side to refresh, and asks for nothing that it does not know', async () => {
  const asked = await answeredCall(timed('90;refresher=uac'));
  void asked.call.reoffer(SDP).catch(() => {});
  const offer = await asked.peer.request('INVITE');
  expect(offer.headers.get('session-expires')).toBe('90;refresher=uas');
  asked.peer.answer(offer, 200, { ...timed('90;refresher=uas'), body: SDP });
  await asked.peer.request('ACK');
  asked.peer.ask('BYE');
  await asked.peer.response(200, 'BYE');

  const { peer, call, invite, seen, advance } = await agentCalls();
  peer.answer(invite, 200, { body: SDP });
  await peer.request('ACK');
  const changed = call.reoffer(SDP);
  const plain = await peer.request('INVITE');
  expect(plain.headers.get('session-expires')).toBeUndefined();
  peer.answer(plain, 200, { body: SDP });
  await peer.request('ACK');
  await changed;
  advance(3_600_000);
  await peer.settled();
  call.hangUp();
  peer.answer(await peer.request('BYE'), 200);
  expect(seen).toEqual(['answered true', 'established', 'answered true', 'ended local']);
});
