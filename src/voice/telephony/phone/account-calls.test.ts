import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../../tests/support/voice/simple-engines.ts';
import { openTelephone, type Telephone } from '../../../../tests/support/voice/sip-telephone.ts';
import { type CallRecord, eventually, voiceApi } from '../../../../tests/support/voice/voice-calls.ts';
import { openTrunkDirectory } from './trunk-directory.server.ts';

let app: TestApp;
let registrar: Telephone;
beforeAll(async () => {
  registrar = await openTelephone();
  app = await startTestApp({
    voiceEngines: simpleEngines(),
    settings: {
      SIP_LISTEN: 'udp://127.0.0.1:0',
      SIP_TRUNKS: `sip://northline:secret@127.0.0.1:${registrar.port}?register=true`,
    },
  });
});
afterAll(async () => {
  await registrar?.close();
  await app?.close();
});

const api = (method: string, at: string, body?: unknown) => voiceApi(app, method, at, body);
let port: string;
const assistantOf = async (name: string): Promise<string> =>
  (await api('POST', '/assistant', { name, firstMessage: 'Hello.' })).body.id;
const trunk = async (authUsername: string): Promise<string> =>
  (
    await api('POST', '/credential', {
      provider: 'byo-sip-trunk',
      gateways: [{ ip: '127.0.0.1', port: registrar.port }],
      outboundAuthenticationPlan: { authUsername, authPassword: 'secret' },
    })
  ).body.id;
const bring = async (number: string, credentialId: string): Promise<CallRecord> => {
  const { status, body } = await api('POST', '/phone-number', {
    ...{ provider: 'byo-phone-number', number, credentialId },
    assistantId: await assistantOf(number),
  });
  expect(status).toBe(201);
  return body;
};
/** The record of a call that the registrar sends to an account, and hangs up once it is answered. */
async function called(user: string, headers: Record<string, string> = {}): Promise<CallRecord> {
  const { call, seen } = await registrar.dial(
    `sip:${user}@127.0.0.1:${port}`,
    `sip:+120255501${registrar.calls.length + 10}@127.0.0.1`,
    headers,
  );
  await eventually('it is answered', () => (seen.includes('established') ? true : undefined));
  call.hangUp();
  const from = `+120255501${registrar.calls.length + 9}`;
  return eventually('its record', async () =>
    (await api('GET', '/call')).body.find(
      ({ customer, status }: CallRecord) => customer?.number === from && status === 'ended',
    ),
  );
}

test('a call to a registered account reaches the number that it names, the only one, or the site’s assistant', async () => {
  const bought = (await api('POST', '/phone-number/buy', { areaCode: '202' })).body;
  port = /:(\d+)$/.exec(bought.sipUri)?.[1] ?? '';
  const shop = await trunk('shop');
  const one = await bring('+442079460001', shop);
  expect((await called('shop')).phoneNumberId).toBe(one.id);
  const other = await bring('+442079460002', shop);
  const to = await called('shop', { to: '<sip:442079460002@provider.example>' });
  expect([to.phoneNumberId, to.assistantId]).toEqual([other.id, other.assistantId]);
  const party = await called('shop', {
    to: '<sip:shop@provider.example>',
    'p-called-party-id': '<sip:+442079460001@provider.example>',
  });
  expect(party.phoneNumberId).toBe(one.id);
  // Two numbers, and the call names neither of them.
  const unnamed = await called('shop');
  const ofSite = await called('northline');
  expect([unnamed.phoneNumberId, ofSite.phoneNumberId]).toEqual([undefined, undefined]);
  expect(unnamed.assistantId).toBe(ofSite.assistantId);
  expect(unnamed.assistantId).toMatch(/^[0-9a-f-]{36}$/);
  expect([one.assistantId, other.assistantId]).not.toContain(unnamed.assistantId);
});

test('whoever calls a name that is no account of theirs reaches nobody', async () => {
  const { seen } = await registrar.dial(`sip:nobody@127.0.0.1:${port}`, undefined, {
    to: '<sip:+442079460001@provider.example>',
  });
  await eventually('it is refused', () => (seen.includes('failed 404') ? true : undefined));
});

test('a registrar with a name is known by the address at which it was found', async () => {
  const trunks = openTrunkDirectory(app.resources, {
    list: async () => [],
  } as unknown as Parameters<typeof openTrunkDirectory>[1]);
  const known = async (address: string) => (await trunks.find('setting:1'))?.trusts(address);
  expect(await known('192.0.2.9')).toBe(false);
  trunks.foundAt('setting:1', '192.0.2.9');
  expect([await known('192.0.2.9'), await known('192.0.2.10')]).toEqual([true, false]);
});
