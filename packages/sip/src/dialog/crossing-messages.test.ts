import { expect, test } from 'vitest';
import { parseNameAddress } from '../message/sip-addresses.ts';
import { SDP } from '../sip-agent.fixture.ts';
import { agentCalls, answeredCall, peerCalls } from '../sip-peer.fixture.ts';

const tagOf = (text: string | undefined): string => parseNameAddress(text ?? '')?.parameters.tag ?? '';

test('an answer is sent again until its ACK comes, and who was called says BYE only then', async () => {
  const { peer, call, seen, advance } = await peerCalls();
  call.accept(SDP);
  await peer.response(200, 'INVITE');
  call.hangUp();
  expect(seen).toEqual(['ended local']);
  advance(500);
  await peer.response(200, 'INVITE');
  advance(1000);
  await peer.response(200, 'INVITE');
  peer.ask('INFO');
  await peer.response(481, 'INFO');
  peer.ask('ACK', { number: 1 });
  peer.answer(await peer.request('BYE'), 200);
  expect(seen).toEqual(['ended local']);
});

test('an answer that nobody acknowledges ends the call with a BYE after 32 s', async () => {
  const { peer, call, seen, advance } = await peerCalls();
  call.accept(SDP);
  await peer.response(200, 'INVITE');
  advance(32_000);
  for (let again = 0; again < 10; again += 1) await peer.response(200, 'INVITE');
  peer.answer(await peer.request('BYE'), 200);
  expect(seen).toEqual(['ended timeout']);
});

test('a BYE before the ACK ends the call, and nothing is said again', async () => {
  const { peer, call, seen, advance } = await peerCalls();
  call.accept(SDP);
  await peer.response(200, 'INVITE');
  peer.ask('BYE');
  await peer.response(200, 'BYE');
  advance(4000);
  peer.ask('ACK', { number: 1 });
  peer.ask('OPTIONS');
  await peer.response(481, 'OPTIONS');
  expect(seen).toEqual(['ended remote']);
});

test('an INVITE that comes twice is one call; over another way it is a loop', async () => {
  const { peer, call, agent } = await peerCalls();
  call.ring();
  const tag = tagOf((await peer.response(180)).headers.get('to'));
  const first = { headers: { to: '<sip:a@b>' }, body: SDP, number: 1 };
  peer.ask('INVITE', { ...first, branch: 'invite' });
  expect(tagOf((await peer.response(180)).headers.get('to'))).toBe(tag);
  peer.ask('INVITE', { ...first, branch: 'another' });
  expect(tagOf((await peer.response(482)).headers.get('to'))).not.toBe('');
  expect(agent.calls).toHaveLength(1);
  peer.ask('CANCEL', { ...first, branch: 'invite', body: '' });
  expect(tagOf((await peer.response(200, 'CANCEL')).headers.get('to'))).toBe(tag);
  await peer.response(487, 'INVITE');
});

test('a CANCEL that comes after the answer changes nothing', async () => {
  const { peer, call, seen } = await peerCalls();
  call.accept(SDP);
  await peer.response(200, 'INVITE');
  peer.ask('CANCEL', { headers: { to: '<sip:a@b>' }, number: 1, branch: 'invite' });
  await peer.response(200, 'CANCEL');
  peer.ask('ACK', { number: 1 });
  peer.ask('BYE');
  await peer.response(200, 'BYE');
  expect(seen).toEqual(['established', 'ended remote']);
});

test('a call is taken back with the number of its INVITE, whatever was acknowledged since', async () => {
  const { peer, call, seen, invite } = await agentCalls();
  peer.answer(invite, 180, { headers: { require: '100rel', rseq: '1' } });
  peer.answer(await peer.request('PRACK'), 200);
  await peer.settled();
  call.hangUp();
  const cancel = await peer.request('CANCEL');
  expect([cancel.headers.get('cseq'), cancel.headers.get('via')]).toEqual([
    '1 CANCEL',
    invite.headers.get('via'),
  ]);
  peer.answer(cancel, 200);
  peer.answer(invite, 487);
  await peer.request('ACK');
  expect(seen).toEqual(['ringing 180', 'failed 487']);
});

test('an answer that crosses our CANCEL is acknowledged, and its call ended', async () => {
  const { peer, call, seen, invite } = await agentCalls();
  peer.answer(invite, 180);
  await peer.settled();
  call.hangUp();
  const cancel = await peer.request('CANCEL');
  peer.answer(invite, 200, { body: SDP });
  peer.answer(cancel, 200);
  await peer.request('ACK');
  peer.answer(await peer.request('BYE'), 200);
  expect(seen).toEqual(['ringing 180', 'ended local']);
});

test('of a fork every side has numbers of its own, the first answer stays, and the others are ended', async () => {
  const { peer, call, seen, invite } = await agentCalls();
  const reliable = { require: '100rel', rseq: '5' };
  peer.answer(invite, 180, { headers: reliable, tag: 'one' });
  peer.answer(await peer.request('PRACK'), 200);
  peer.answer(invite, 180, { headers: { ...reliable, rseq: '3' }, tag: 'other' });
  const prack = await peer.request('PRACK');
  expect(['rack', 'cseq'].map((name) => prack.headers.get(name))).toEqual(['3 1 INVITE', '2 PRACK']);
  peer.answer(prack, 200);
  peer.answer(invite, 200, { body: SDP, tag: 'other' });
  expect(tagOf((await peer.request('ACK')).headers.get('to'))).toBe('other');
  peer.answer(invite, 200, { body: SDP, tag: 'one' });
  expect(tagOf((await peer.request('ACK')).headers.get('to'))).toBe('one');
  const bye = await peer.request('BYE');
  expect([tagOf(bye.headers.get('to')), bye.headers.get('cseq')]).toEqual(['one', '3 BYE']);
  peer.answer(bye, 200);
  // The ACK got lost.
  peer.answer(invite, 200, { body: SDP, tag: 'other' });
  expect(tagOf((await peer.request('ACK')).headers.get('to'))).toBe('other');
  call.hangUp();
  peer.answer(await peer.request('BYE'), 200);
  expect(seen).toEqual(['ringing 180', 'ringing 180', 'answered true', 'established', 'ended local']);
});

test('an ACK that comes again acknowledges nothing newer', async () => {
  const { peer, call, seen, advance } = await answeredCall();
  peer.ask('INVITE', { number: 5 });
  expect((await peer.response(200, 'INVITE')).body).toBe(SDP);
  peer.ask('ACK', { number: 1 });
  // An offer would ask for an answer before ours has one; an UPDATE without an offer only keeps the session
  // alive.
  peer.ask('UPDATE', { body: SDP });
  await peer.response(491, 'UPDATE');
  peer.ask('UPDATE');
  await peer.response(200, 'UPDATE');
  peer.ask('INVITE', { body: SDP, branch: 'early' });
  await peer.response(491, 'INVITE');
  peer.ask('ACK', { number: 8, branch: 'early' });
  await peer.settled();
  advance(500);
  await peer.response(200, 'INVITE');
  peer.ask('ACK', { number: 5, body: SDP });
  await peer.settled();
  advance(4000);
  await peer.settled();
  expect(seen).toEqual(['established', 'offer plain', 'answered true']);
  call.hangUp();
  peer.answer(await peer.request('BYE'), 200);
});

test('requests in a call prove who we are where they are asked, and so does the ACK', async () => {
  const credentials = { username: 'me', password: 'secret' };
  const { peer, call, seen, invite } = await agentCalls({ credentials });
  const asked = { 'www-authenticate': 'Digest realm="r", nonce="n", qop="auth"' };
  peer.answer(invite, 401, { headers: asked });
  await peer.request('ACK');
  const proven = await peer.request('INVITE');
  expect(proven.headers.get('authorization')).toContain('username="me"');
  peer.answer(proven, 422, { headers: { 'min-se': '3600' } });
  await peer.request('ACK');
  const longer = await peer.request('INVITE');
  const words = ['session-expires', 'min-se', 'authorization'];
  expect(words.map((name) => longer.headers.get(name))).toEqual(['3600', '3600', undefined]);
  peer.answer(longer, 401, { headers: asked });
  await peer.request('ACK');
  const last = await peer.request('INVITE');
  expect(last.headers.get('session-expires')).toBe('3600');
  peer.answer(last, 200, { body: SDP });
  const ack = await peer.request('ACK');
  expect([ack.headers.get('cseq'), ack.headers.get('authorization')]).toEqual([
    '4 ACK',
    last.headers.get('authorization'),
  ]);
  call.hangUp();
  const bye = await peer.request('BYE');
  peer.answer(bye, 407, { headers: { 'proxy-authenticate': asked['www-authenticate'] } });
  const again = await peer.request('BYE');
  expect([again.headers.get('cseq'), again.headers.get('proxy-authorization')]).toEqual([
    '6 BYE',
    expect.stringContaining('username="me"'),
  ]);
  peer.answer(again, 200);
  expect(seen).toEqual(['answered true', 'established', 'ended local']);
});
