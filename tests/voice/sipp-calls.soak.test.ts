import { afterAll, beforeAll, expect, test } from 'vitest';
import { seeded } from '../histories/random.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { simpleEngines } from '../support/voice/simple-engines.ts';
import { openLossyRelay } from '../support/voice/sip/lossy-relay.ts';
import { hasProgram, type SippMessage, startSipp } from '../support/voice/sip/sipp-run.ts';
import { openTelephone, type Telephone, type TelephoneCall } from '../support/voice/sip-telephone.ts';
import { type CallRecord, eventually, voiceApi } from '../support/voice/voice-calls.ts';
import { until } from '../support/voice/voice-peer.ts';

/**
 * SIPp calls the whole product. It is in Debian's package sip-tester; a machine without it skips these tests.
 */
const sipp = test.skipIf(!hasProgram('sipp'));
const SEED = Number(process.env.SOAK_SEED ?? 1);

let app: TestApp;
/** The telephone to which calls are transferred, and one that already has a call with it. */
let person: Telephone;
let other: Telephone;
beforeAll(async () => {
  [person, other] = [await openTelephone(), await openTelephone()];
  app = await startTestApp({
    voiceEngines: simpleEngines(),
    settings: { SIP_LISTEN: 'udp://127.0.0.1:0', VOICE_MAX_CALLS: '8' },
  });
});
afterAll(async () => {
  await person?.close();
  await other?.close();
  await app?.close();
});

const api = (method: string, at: string, body?: unknown) => voiceApi(app, method, at, body);

/** A number of the product: the target for SIPp, and its ended calls. */
async function bought() {
  const { body } = await api('POST', '/phone-number/buy', { areaCode: '202' });
  const port = Number(/:(\d+)/.exec(body.sipUri.split('@')[1])?.[1]);
  const calls = async (): Promise<CallRecord[]> => (await api('GET', `/call?phoneNumberId=${body.id}`)).body;
  const ended = (count = 1): Promise<CallRecord[]> =>
    eventually('its calls have ended', async () => {
      const over = (await calls()).filter(({ status }) => status === 'ended');
      return over.length >= count ? over : undefined;
    });
  return { calls: { port, user: body.number as string }, sipUri: body.sipUri as string, ended };
}
const saw = (call: TelephoneCall | undefined, word: string): Promise<void> =>
  until(word, () => call?.seen.includes(word) === true);
const reasons = (calls: readonly CallRecord[]): string[] => calls.map(({ endedReason }) => endedReason);

/** Sessions and versions of the received descriptions, in order; repetitions count once. */
const versions = (messages: readonly SippMessage[]): number[][] =>
  [...new Set(messages.filter(({ sent }) => !sent).map(({ text }) => text))].flatMap((text) => {
    const [, session, version] = /^o=- (\d+) (\d+) /m.exec(text) ?? [];
    return session === undefined ? [] : [[Number(session), Number(version)]];
  });

sipp(
  'a caller holds in every way and goes on: each description is a version further of one session',
  async () => {
    const { calls, ended } = await bought();
    const messages = await (await startSipp('hold', { calls })).over();
    const said = versions(messages);
    expect(said).toHaveLength(6);
    expect(said).toEqual(said.map((_, n) => [said[0]?.[0], (said[0]?.[1] ?? 0) + n]));
    expect(reasons(await ended())).toEqual(['customer-ended-call']);
  },
);

sipp('a caller that lets us offer answers in its ACK', async () => {
  const { calls, ended } = await bought();
  await (await startSipp('no-offer', { calls })).over();
  expect(reasons(await ended())).toEqual(['customer-ended-call']);
});

sipp(
  `three of ten datagrams get lost and two come twice (seed ${SEED}): every call goes its way`,
  async () => {
    const { calls, ended } = await bought();
    const relay = await openLossyRelay(calls.port, seeded(SEED));
    const lossy = { port: relay.port, user: calls.user };
    const run = await startSipp('-sn uac', {
      calls: lossy,
      count: 8,
      more: ['-r', '4', '-l', '4', '-d', '3000'],
    });
    await run.over();
    expect(reasons(await ended(8))).toEqual(new Array(8).fill('customer-ended-call'));
    expect([relay.dropped() > 0, relay.doubled() > 0]).toEqual([true, true]);
  },
);

sipp('a caller sends us to somebody else, hears of it, and is left', async () => {
  const { calls, ended } = await bought();
  const at = person.calls.length;
  const target = `sip:bob@127.0.0.1:${person.port}`;
  await (await startSipp('refer', { calls, keys: { target } })).over();
  const theirs = person.calls[at];
  await saw(theirs, 'established');
  theirs?.call.hangUp();
  expect(reasons(await ended())).toEqual(['customer-ended-call']);
});

sipp('a caller sends us into a call that it has with somebody, in its own place', async () => {
  const { calls, ended } = await bought();
  const at = person.calls.length;
  const consulting = await other.dial(`sip:bob@127.0.0.1:${person.port}`);
  await saw(consulting, 'established');
  const target = consulting.call.replacingAddress();
  await (await startSipp('refer', { calls, keys: { target } })).over();
  const theirs = person.calls[at];
  await saw(theirs, 'replaced');
  await saw(consulting, 'ended remote');
  // Their call continues as another one, which only the person recognises by its place.
  expect(person.invites.at(-1)?.replaces).toBeDefined();
  person.invites.at(-1)?.hangUp();
  expect(reasons(await ended())).toEqual(['customer-ended-call']);
});

sipp('another telephone takes a caller’s place by naming it rightly, and not otherwise', async () => {
  const { calls, sipUri, ended } = await bought();
  const caller = await other.dial(sipUri);
  await saw(caller, 'established');
  const place = decodeURIComponent(caller.call.replacingAddress().split('?Replaces=')[1] ?? '');
  await (await startSipp('refuses-replaces', { calls, keys: { place } })).over();
  expect(caller.seen).not.toContain('ended remote');
  await (await startSipp('replaces', { calls, keys: { place } })).over();
  await saw(caller, 'ended remote');
  expect(reasons(await ended())).toEqual(['customer-ended-call']);
});
