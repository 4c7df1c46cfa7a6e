import { expect, test } from 'vitest';
import { SDP } from '../sip-agent.fixture.ts';
import { agentCalls, peerCalls } from '../sip-peer.fixture.ts';

const PRACKS = { require: '100rel' };

test('a ring that has to be acknowledged is sent again until it is, and no answer leaves before', async () => {
  const { peer, call, seen, advance } = await peerCalls({ headers: PRACKS });
  call.ring(SDP);
  const first = await peer.response(183);
  const number = Number(first.headers.get('rseq'));
  expect([number > 0, first.headers.all('require'), first.body]).toEqual([true, ['100rel'], SDP]);
  advance(500);
  expect((await peer.response(183)).headers.get('rseq')).toBe(String(number));
  advance(1000);
  await peer.response(183);
  for (const rack of [`${number + 1} 1 INVITE`, `${number} 2 INVITE`, `${number} 1 UPDATE`, 'x']) {
    peer.ask('PRACK', { headers: { rack } });
    await peer.response(481, 'PRACK');
  }
  call.accept(SDP);
  await peer.settled();
  const headers = { rack: `${number} 1 INVITE` };
  peer.ask('PRACK', { headers });
  await peer.response(200, 'PRACK');
  // The description was agreed on already.
  expect((await peer.response(200, 'INVITE')).body).toBe('');
  peer.ask('PRACK', { headers });
  await peer.response(481, 'PRACK');
  peer.ask('ACK', { number: 1 });
  await peer.settled();
  advance(4000);
  await peer.settled();
  call.hangUp();
  peer.answer(await peer.request('BYE'), 200);
  expect(seen).toEqual(['established', 'ended local']);
});

test('one ring waits for the acknowledgement of the other, and without any the call is refused', async () => {
  const { peer, call, seen, advance } = await peerCalls({ headers: PRACKS });
  call.ring();
  call.ring(SDP);
  const first = Number((await peer.response(180)).headers.get('rseq'));
  await peer.settled();
  peer.ask('PRACK', { headers: { rack: `${first} 1 INVITE` } });
  await peer.response(200, 'PRACK');
  expect((await peer.response(183)).headers.get('rseq')).toBe(String(first + 1));
  advance(32_000);
  for (let again = 0; again < 6; again += 1) await peer.response(183);
  await peer.response(504);
  peer.ask('ACK', { number: 1, branch: 'invite' });
  expect(seen).toEqual(['failed 504']);
});

test('a ring without sound is followed by the answer at once, whose late acknowledgement is still one', async () => {
  const { peer, call, seen } = await peerCalls({ headers: PRACKS });
  call.ring();
  const number = (await peer.response(180)).headers.get('rseq');
  call.accept(SDP);
  expect((await peer.response(200, 'INVITE')).body).toBe(SDP);
  peer.ask('PRACK', { headers: { rack: `${number} 1 INVITE` } });
  await peer.response(200, 'PRACK');
  peer.ask('ACK', { number: 1 });
  peer.ask('BYE');
  await peer.response(200, 'BYE');
  expect(seen).toEqual(['established', 'ended remote']);
});

test('without an offer the acknowledgement has the answer, and then the sound may be changed', async () => {
  const { peer, call, seen } = await peerCalls({ headers: { supported: '100rel' }, body: '' });
  call.ring(SDP);
  const number = (await peer.response(183)).headers.get('rseq');
  peer.ask('UPDATE', { body: SDP });
  await peer.response(491, 'UPDATE');
  peer.ask('PRACK', { headers: { rack: `${number} 1 INVITE` }, body: SDP });
  await peer.response(200, 'PRACK');
  peer.ask('UPDATE', { body: SDP });
  expect((await peer.response(200, 'UPDATE')).body).toBe(SDP);
  call.accept(SDP);
  expect((await peer.response(200, 'INVITE')).body).toBe('');
  peer.ask('ACK', { number: 1 });
  peer.ask('BYE');
  await peer.response(200, 'BYE');
  expect(seen).toEqual(['answered true', 'offer plain', 'established', 'ended remote']);
});

test('who does not know reliable rings gets none, and a call that rings is not changed', async () => {
  const { peer, call } = await peerCalls();
  call.ring();
  call.ring(SDP);
  for (const status of [180, 183]) expect((await peer.response(status)).headers.get('rseq')).toBeUndefined();
  peer.ask('UPDATE', { body: SDP });
  expect((await peer.response(500, 'UPDATE')).headers.get('retry-after')).toBe('5');
  peer.ask('UPDATE');
  await peer.response(200, 'UPDATE');
  peer.ask('INVITE', { body: SDP });
  await peer.response(500, 'INVITE');
  call.hangUp(486);
  await peer.response(486, 'INVITE');
});

test('rings of the other side are acknowledged once each in their order, and its sound stands without being said again', async () => {
  const { peer, call, seen, invite } = await agentCalls();
  const ring = (status: number, rseq: number, body = ''): void =>
    peer.answer(invite, status, { headers: { ...PRACKS, rseq: String(rseq) }, body });
  ring(183, 7, SDP);
  const prack = await peer.request('PRACK');
  expect(['rack', 'cseq'].map((name) => prack.headers.get(name))).toEqual(['7 1 INVITE', '2 PRACK']);
  peer.answer(prack, 200);
  ring(183, 7, SDP);
  ring(183, 9, SDP);
  ring(180, 8);
  const next = await peer.request('PRACK');
  expect(['rack', 'cseq'].map((name) => next.headers.get(name))).toEqual(['8 1 INVITE', '3 PRACK']);
  peer.answer(next, 200);
  peer.answer(invite, 200);
  expect((await peer.request('ACK')).headers.get('cseq')).toBe('1 ACK');
  await peer.settled();
  expect(seen).toEqual(['ringing 183', 'ringing 180', 'answered true', 'established']);
  call.hangUp();
  const bye = await peer.request('BYE');
  expect(bye.headers.get('cseq')).toBe('4 BYE');
  peer.answer(bye, 200);
});

test('the other side may change its sound before it answers', async () => {
  const { peer, call, seen, invite } = await agentCalls();
  peer.answer(invite, 180);
  // Our offer has no answer yet.
  peer.ask('UPDATE', { body: SDP });
  await peer.response(491, 'UPDATE');
  peer.answer(invite, 183, { headers: { ...PRACKS, rseq: '1' }, body: SDP });
  peer.answer(await peer.request('PRACK'), 200);
  peer.ask('UPDATE', { body: SDP });
  expect((await peer.response(200, 'UPDATE')).body).toBe(SDP);
  peer.ask('INFO');
  await peer.response(405, 'INFO');
  peer.answer(invite, 200);
  await peer.request('ACK');
  await peer.settled();
  expect(seen).toEqual(['ringing 180', 'ringing 183', 'offer plain', 'established']);
  call.hangUp();
  peer.answer(await peer.request('BYE'), 200);
});

test('early sound that cannot be used is not heard, and harms nothing', async () => {
  const { peer, seen, lines, invite } = await agentCalls(
    {},
    {
      ringing() {
        throw new Error('no such sound');
      },
    },
  );
  peer.answer(invite, 183, { body: 'v=0' });
  await peer.settled();
  expect(lines).toEqual([expect.stringContaining('no such sound')]);
  peer.answer(invite, 486);
  await peer.request('ACK');
  expect(seen).toEqual(['failed 486']);
});
