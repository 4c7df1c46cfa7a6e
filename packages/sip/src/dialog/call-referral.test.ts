import { expect, test } from 'vitest';
import { parseNameAddress } from '../message/sip-addresses.ts';
import { SDP } from '../sip-agent.fixture.ts';
import { answeredCall, openSipPeer } from '../sip-peer.fixture.ts';
import type { IncomingCall } from './sip-call.ts';

const TO = '<sip:carol@127.0.0.1>';

test('who sends us elsewhere hears how it goes, of each of its wishes for itself, and of the last before the BYE', async () => {
  const targets: string[] = [];
  const outcome = Promise.withResolvers<number>();
  const { peer, call, seen } = await answeredCall(
    {},
    {
      referred(target) {
        targets.push(target);
        return targets.length === 1 ? Promise.resolve(486) : outcome.promise;
      },
    },
  );
  const told = async (): Promise<unknown[]> => {
    const notify = await peer.request('NOTIFY');
    peer.answer(notify, 200);
    const [event, state] = ['event', 'subscription-state'].map((name) => notify.headers.get(name));
    return [event, state?.split(';')[0], notify.body.trim()];
  };
  peer.ask('REFER', { headers: { 'refer-to': TO } });
  await peer.response(202, 'REFER');
  expect(await told()).toEqual(['refer', 'active', 'SIP/2.0 100 Trying']);
  expect(await told()).toEqual(['refer', 'terminated', 'SIP/2.0 486 Busy Here']);
  const { headers } = peer.ask('REFER', { headers: { 'refer-to': TO } });
  await peer.response(202, 'REFER');
  const event = `refer;id=${headers.get('cseq')?.split(' ')[0]}`;
  expect(await told()).toEqual([event, 'active', 'SIP/2.0 100 Trying']);
  call.leave();
  expect(await told()).toEqual([event, 'terminated', 'SIP/2.0 200 OK']);
  peer.answer(await peer.request('BYE'), 200);
  outcome.resolve(200);
  expect([targets, seen]).toEqual([['sip:carol@127.0.0.1', 'sip:carol@127.0.0.1'], ['established']]);
});

test('a wish without one address is none, and a report that nobody wants does not end the call', async () => {
  const { peer, call, seen } = await answeredCall({}, { referred: async () => 200 });
  for (const to of [undefined, [TO, TO], `${TO}, ${TO}`]) {
    peer.ask('REFER', { headers: { 'refer-to': to } });
    await peer.response(400, 'REFER');
  }
  peer.ask('REFER', { headers: { 'refer-to': TO } });
  await peer.response(202, 'REFER');
  peer.answer(await peer.request('NOTIFY'), 481);
  peer.answer(await peer.request('NOTIFY'), 481);
  await peer.settled();
  call.hangUp();
  peer.answer(await peer.request('BYE'), 200);
  expect(seen).toEqual(['established', 'ended local']);
});

test('whom we send elsewhere may tell the end, or tell nothing more', async () => {
  const { peer, call } = await answeredCall();
  const tell = async (state: string, line: string, status: number): Promise<void> => {
    peer.ask('NOTIFY', {
      headers: { event: 'refer', 'subscription-state': state, 'content-type': 'message/sipfrag' },
      body: line,
    });
    await peer.response(status, 'NOTIFY');
  };
  for (const [line, status] of [
    ['SIP/2.0 603 Decline', 603],
    ['SIP/2.0 100 Trying', 408],
  ] as const) {
    const asked = call.refer('sip:carol@127.0.0.1');
    peer.answer(await peer.request('REFER'), 202);
    await tell('active;expires=60', 'SIP/2.0 180 Ringing', 200);
    await tell('terminated;reason=timeout', line, 200);
    expect(await asked).toBe(status);
  }
  await tell('active', 'SIP/2.0 200 OK', 481);
  call.hangUp();
  peer.answer(await peer.request('BYE'), 200);
});

test('a place in a call is taken by one who names it rightly and once, and not where it is to ring', async () => {
  let by: IncomingCall | undefined;
  const { peer, call, seen, agent } = await answeredCall(
    {},
    {
      replaced(other) {
        by = other;
        other.listen({ ...silent, established: () => void seen.push('another established') });
        other.accept(SDP);
      },
    },
  );
  const silent = { answered() {}, failed() {}, ended() {}, offer: () => SDP, tone() {} };
  const invite = call.incoming.request;
  const tag = parseNameAddress(invite.headers.get('from') ?? '')?.parameters.tag ?? '';
  const [, ours = ''] =
    /from-tag=([^;]+)/.exec(decodeURIComponent(call.replacingAddress().split('Replaces=')[1] ?? '')) ?? [];
  const right = `${call.callId};to-tag=${ours};from-tag=${tag}`;
  for (const [replaces, status] of [
    [`${call.callId};to-tag=guess;from-tag=${tag}`, 481],
    [[right, right], 400],
    [`${right};early-only`, 486],
  ] as const) {
    const stranger = await openSipPeer(agent.port);
    stranger.ask('INVITE', { headers: { replaces }, body: SDP });
    await stranger.response(status);
  }
  peer.ask('INFO', { headers: { replaces: right } });
  await peer.response(400, 'INFO');
  const other = await openSipPeer(agent.port);
  other.ask('INVITE', { headers: { replaces: right, require: 'replaces' }, body: SDP });
  await other.response(100);
  agent.calls.at(-1)?.replaces?.giveTo(agent.calls.at(-1) ?? call);
  await other.response(200, 'INVITE');
  other.ask('ACK', { number: 1 });
  await other.settled();
  peer.answer(await peer.request('BYE'), 200);
  expect(seen).toEqual(['established', 'another established']);
  by?.hangUp();
  other.answer(await other.request('BYE'), 200);
});
