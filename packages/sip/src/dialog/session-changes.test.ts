import { ServiceError } from '@northline/service-error/service-error';
import { expect, test } from 'vitest';
import { SDP } from '../sip-agent.fixture.ts';
import { agentCalls, answeredCall } from '../sip-peer.fixture.ts';

const HELD = `${SDP}a=inactive\r\n`;

test('after both sides offer at once the one that was called waits up to 2 s, then offers what is then', async () => {
  const { peer, call, seen, advance } = await answeredCall();
  const changed = call.reoffer(HELD);
  const ours = await peer.request('INVITE');
  expect(ours.body).toBe(HELD);
  peer.ask('INVITE', { body: SDP, branch: 'theirs', number: 7 });
  await peer.response(491, 'INVITE');
  peer.ask('ACK', { number: 7, branch: 'theirs' });
  // An UPDATE that only keeps the session alive is still accepted.
  peer.ask('UPDATE', { number: 8 });
  await peer.response(200, 'UPDATE');
  peer.answer(ours, 491);
  await peer.request('ACK');
  await peer.settled();
  advance(2000);
  const again = await peer.request('INVITE');
  expect(again.body).toBe(SDP);
  peer.answer(again, 200, { body: SDP });
  await peer.request('ACK');
  await changed;
  call.hangUp();
  peer.answer(await peer.request('BYE'), 200);
  expect(seen).toEqual(['established', 'offer plain', 'answered true', 'ended local']);
});

test('the one that called waits from 2.1 to 4 s', async () => {
  const { peer, call, advance, invite } = await agentCalls();
  peer.answer(invite, 200, { body: SDP });
  await peer.request('ACK');
  const changed = call.reoffer(HELD);
  peer.answer(await peer.request('INVITE'), 491);
  await peer.request('ACK');
  await peer.settled();
  advance(2000);
  await peer.settled();
  advance(2000);
  peer.answer(await peer.request('INVITE'), 200, { body: SDP });
  await peer.request('ACK');
  await changed;
  call.hangUp();
  peer.answer(await peer.request('BYE'), 200);
});

test('our offers go one after the other, and none while the other side’s waits for its ACK', async () => {
  const { peer, call, seen } = await answeredCall();
  peer.ask('INVITE', { body: HELD, number: 7 });
  await peer.response(200, 'INVITE');
  const changes = [call.reoffer(HELD), call.reoffer(HELD)];
  await peer.settled();
  peer.ask('ACK', { number: 7 });
  for (const body of [HELD, SDP]) {
    const offer = await peer.request('INVITE');
    expect(offer.body).toBe(body);
    peer.answer(offer, 200, { body: SDP });
    await peer.request('ACK');
  }
  await Promise.all(changes);
  call.hangUp();
  peer.answer(await peer.request('BYE'), 200);
  expect(seen).toEqual([
    'established',
    'offer held',
    ...['answered true', 'offer plain', 'answered true'],
    'ended local',
  ]);
});

test('a change that is refused changes nothing, and one that nobody knows the call for ends it', async () => {
  const { peer, call, seen } = await answeredCall();
  const refused = expect(call.reoffer(SDP)).rejects.toMatchObject({ status: 502, code: 'session_refused' });
  peer.answer(await peer.request('INVITE'), 488);
  await peer.request('ACK');
  await refused;
  await peer.settled();
  const lost = call.sendInfo('5');
  peer.answer(await peer.request('INFO'), 408);
  await lost;
  peer.answer(await peer.request('BYE'), 481);
  expect(seen).toEqual(['established', 'ended timeout']);
});

test('a description of another kind is refused by its type, one that does not fit by what it is', async () => {
  const { peer, call } = await answeredCall(
    {},
    {
      offer: () => {
        throw new ServiceError(488, 'not_acceptable', 'no');
      },
    },
  );
  peer.ask('INVITE', { body: 'x', headers: { 'content-type': 'text/plain' }, branch: 'other', number: 5 });
  expect((await peer.response(415, 'INVITE')).headers.get('accept')).toBe('application/sdp');
  peer.ask('ACK', { number: 5, branch: 'other' });
  peer.ask('UPDATE', { body: SDP });
  await peer.response(488, 'UPDATE');
  call.hangUp();
  peer.answer(await peer.request('BYE'), 200);
});
