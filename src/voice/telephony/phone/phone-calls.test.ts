import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { IncomingCall } from '../../../../packages/sip/src/dialog/sip-call.ts';
import { openPortPair } from '../../../../packages/telephone-audio/src/port-pair.ts';
import { claims, showsSettings } from '../../../../tests/support/claims.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../../tests/support/voice/simple-engines.ts';
import { openTelephone, type Telephone } from '../../../../tests/support/voice/sip-telephone.ts';
import { type CallRecord, eventually, voiceApi } from '../../../../tests/support/voice/voice-calls.ts';
import { tone } from '../../../../tests/support/voice/voice-peer.ts';
import { uncheckedSql } from '../../../kernel/resources/database/fixed-sql.ts';
import type { CallContext, CallerTurn, DialogueStep, VoiceEngines } from '../../engines/engines.server.ts';

/** The last call's context, with which a test transfers and presses keys as a dialogue would. */
let context: CallContext | undefined;
const engines: VoiceEngines = {
  ...simpleEngines({ reply: answer }),
  async openDialogue(call) {
    context = call;
    return simpleEngines({ reply: answer }).openDialogue(call);
  },
};
/**
 * Keys are repeated to the caller; words that are not understood, such as another assistant's tones, end the
 * call.
 */
async function* answer({ text, typed }: CallerTurn): AsyncGenerator<DialogueStep> {
  if (typed) yield { kind: 'sentence', text: `You pressed ${text}.` };
  else {
    yield { kind: 'sentence', text: 'Goodbye.' };
    yield { kind: 'hang-up', reason: 'assistant-ended-call' };
  }
}

let app: TestApp;
let telephone: Telephone;
beforeAll(async () => {
  telephone = await openTelephone();
  app = await startTestApp({
    voiceEngines: engines,
    settings: { SIP_LISTEN: 'udp://127.0.0.1:0', SIP_CALL_PREFIXES: '+1202,+44', VOICE_MAX_CALLS: '6' },
  });
});
afterAll(async () => {
  await telephone?.close();
  await app?.close();
});
beforeEach(() => {
  telephone.pickUp = 'answer';
});

const api = (method: string, at: string, body?: unknown) => voiceApi(app, method, at, body);
const assistant = {
  firstMessage: 'Hello there, who is calling?',
  keypadInputPlan: { enabled: true, timeoutSeconds: 'off', delimiters: ['#'] },
};
const seen = (at: number, word: string) =>
  eventually(`call ${at}: ${word}`, () => (telephone.calls[at]?.seen.includes(word) ? true : undefined));
const ended = (id: string): Promise<CallRecord> =>
  eventually('the call has ended', async () => {
    const { body } = await api('GET', `/call/${id}`);
    return body.status === 'ended' ? body : undefined;
  });
/** A bought number whose assistant takes its calls. */
async function buy(more: object = {}): Promise<CallRecord> {
  const made = await api('POST', '/assistant', { name: 'Phone', ...assistant });
  const { body } = await api('POST', '/phone-number/buy', {
    areaCode: '202',
    assistantId: made.body.id,
    ...more,
  });
  return body;
}
const call = (customer: object, more: object = {}) =>
  api('POST', '/call/phone', { assistant, customer, ...more });
const here = () => ({ sipUri: `sip:bob@127.0.0.1:${telephone.port}` });
/**
 * How often a kind of entry is in a call's chain of evidence; its end has to be there once, whatever
 * happened.
 */
async function marks(id: string, kind: 'ended' | 'turn', role: string | null = null): Promise<number> {
  const { count } = await app.resources.database.one(
    uncheckedSql<{ count: string }>(
      `select count(*) from private.voice_evidence
        where call_id = $1 and kind = $2 and ($3::text is null or data ->> 'role' = $3)`,
      'composed',
    ),
    [id, kind, role],
  );
  return Number(count);
}
const ends = (id: string): Promise<number> => marks(id, 'ended');
/** Whether the keys that were pressed have become a turn of the call. */
const keysOf = async (id: string): Promise<true | undefined> =>
  (await marks(id, 'turn', 'user')) > 0 ? true : undefined;

test('two bought numbers ring each other: two calls, two assistants, one report each', async () => {
  const [one, other] = [await buy(), await buy()];
  expect(one.sipUri).toMatch(/^sip:\+12025550\d{3}@127\.0\.0\.1:\d+$/);
  const made = await call({ number: other.number, name: 'The other one' }, { phoneNumberId: one.id });
  expect([made.status, made.body.type, made.body.status]).toEqual([201, 'outboundPhoneCall', 'queued']);
  const goesOn = (what: string, find: () => Promise<CallRecord>): Promise<CallRecord> =>
    eventually(what, async () => {
      const found = await find();
      return found?.status === 'in-progress' ? found : undefined;
    });
  const outbound = await goesOn('the call', async () => (await api('GET', `/call/${made.body.id}`)).body);
  const there = await goesOn(
    'the other call',
    async () => (await api('GET', `/call?phoneNumberId=${other.id}`)).body[0],
  );
  // Left alone, the two assistants would greet each other, hear no words, and wait: `silence-timed-out` after
  // 30 s.
  expect((await api('DELETE', `/call/${outbound.id}`)).status).toBe(200);
  const inbound = await ended(there.id);
  expect(inbound).toMatchObject({
    type: 'inboundPhoneCall',
    assistantId: other.assistantId,
    phoneCallTransport: 'sip',
    customer: { number: one.number },
  });
  expect(inbound.endedReason).toMatch(/^(assistant|customer)-ended-call$/);
  expect(await Promise.all([ends(outbound.id), ends(inbound.id)])).toEqual([1, 1]);
});

test('a telephone reaches a bought number: it is greeted, presses keys, holds, and hangs up', async () => {
  showsSettings(
    'assistant',
    'keypadInputPlan.enabled',
    'keypadInputPlan.timeoutSeconds',
    'keypadInputPlan.delimiters',
  );
  const number = await buy();
  const at = telephone.calls.length;
  const { call: sip, leg, heard, keys } = await telephone.dial(number.sipUri);
  await seen(at, 'established');
  await eventually('the greeting is heard', () =>
    heard.some((pcm) => pcm.some((one) => one > 2000)) ? true : undefined,
  );
  await leg.sendTones('42#');
  const { id } = await eventually(
    'the call',
    async () => (await api('GET', `/call?phoneNumberId=${number.id}`)).body[0],
  );
  await eventually('the keys are a turn', () => keysOf(id));
  leg.hold(true);
  await sip.reoffer(leg.offer());
  leg.hold(false);
  await sip.reoffer(leg.offer());
  await context?.line?.sendTones('7');
  await eventually('its key came', () => (keys.includes('7') ? true : undefined));
  sip.hangUp();
  const over = await ended(id);
  expect([over.endedReason, over.customer]).toEqual([
    'customer-ended-call',
    { number: '+12025550199', name: 'Ann Caller' },
  ]);
  expect(over.transcript).toContain('User: 42');
  expect(await ends(id)).toBe(1);
});

test('a call that goes out: ringing, answered, busy, refused, not taken', async () => {
  showsSettings('phoneCall', 'customer.sipUri', 'customers[].sipUri');
  telephone.pickUp = 'ring';
  const at = telephone.calls.length;
  const ringing = await call(here());
  await eventually('it rings', async () =>
    (await api('GET', `/call/${ringing.body.id}`)).body.status === 'ringing' ? true : undefined,
  );
  telephone.calls[at]?.call.hangUp(480);
  expect((await ended(ringing.body.id)).endedReason).toBe('customer-did-not-answer');
  for (const [status, reason] of [
    [408, 'customer-did-not-answer'],
    [480, 'customer-did-not-answer'],
    [487, 'customer-did-not-answer'],
    [503, 'call.in-progress.error-providerfault-outbound-sip-503-service-unavailable'],
    [486, 'customer-busy'],
    [603, 'customer-busy'],
    [404, 'call.in-progress.error-sip-outbound-call-failed-to-connect'],
  ] as const) {
    telephone.pickUp = status;
    const made = await call(here());
    expect((await ended(made.body.id)).endedReason).toBe(reason);
    expect(await ends(made.body.id)).toBe(1);
  }
  telephone.pickUp = 'answer';
  const last = telephone.calls.length;
  const answered = await call(here());
  await seen(last, 'established');
  telephone.calls[last]?.call.hangUp();
  const over = await ended(answered.body.id);
  expect([over.endedReason, over.startedAt !== undefined]).toEqual(['customer-ended-call', true]);
});

test('a caller is put through to a person, and stays with the assistant where nobody is there', async () => {
  claims(
    'Answers on your number and on your site, day and night.',
    'Takes messages, and puts callers through to a person.',
  );
  showsSettings(
    'tool',
    'destinations[].number',
    'destinations[].sipUri',
    'destinations[].extension',
    'destinations[].transferPlan.mode',
  );
  const number = await buy();
  const at = telephone.calls.length;
  const { call: caller, heard, leg } = await telephone.dial(number.sipUri);
  await seen(at, 'established');
  const line = context?.line;
  telephone.pickUp = 486;
  const busy = line?.transfer({ type: 'sip', ...here() }, 'A summary.');
  await expect(busy).rejects.toThrow('Nobody answers there at the moment.');
  await expect(line?.transfer({ type: 'sip', sipUri: 'sip:x@example.com' }, '')).rejects.toMatchObject({
    code: 'destination_not_allowed',
  });
  telephone.pickUp = 'answer';
  await line?.transfer(
    { type: 'sip', ...here(), transferPlan: { mode: 'warm-transfer-say-summary' } },
    'Somebody asks for a price.',
  );
  const person = telephone.calls.at(-1);
  const { id } = (await api('GET', `/call?phoneNumberId=${number.id}`)).body[0];
  expect((await ended(id)).endedReason).toBe('assistant-forwarded-call');
  // The two hear each other, and when one call ends so does the other.
  const loud = new Int16Array(16_000).fill(9000);
  const before = heard.length;
  person?.leg.session.writePcm(loud);
  leg.session.writePcm(loud);
  const hears = (pieces: Int16Array[] | undefined, from = 0) =>
    pieces?.slice(from).some((pcm) => pcm.some((one) => Math.abs(one) > 1000)) ? true : undefined;
  await eventually('the caller hears the person', () => hears(heard, before));
  await eventually('the person hears somebody', () => hears(person?.heard));
  person?.call.hangUp();
  await seen(at, 'ended remote');
  caller.hangUp();
});

test('toll fraud: what may not be called is refused by its reason, and nothing is stored', async () => {
  const bought = await buy();
  const before = (await api('GET', '/call')).body.length;
  const refused = async (customer: object, more: object = {}) => {
    const { status, body } = await call(customer, more);
    return [status, body.code];
  };
  expect(await refused({ number: '+12025559999' })).toEqual([422, 'no_trunk']);
  expect(await refused({ number: '+12025559999' }, { phoneNumberId: bought.id })).toEqual([422, 'no_trunk']);
  expect(await refused({ sipUri: 'sip:x@example.com' })).toEqual([403, 'destination_not_allowed']);
  for (const host of ['127.0.0.1', 'localhost', '[::1]'])
    expect(await refused({ sipUri: `sip:x@${host}:25` })).toEqual([403, 'destination_not_allowed']);
  expect(await refused({ sipUri: 'sip:x@127.0.0.1;maddr=10.0.0.1' })).toEqual([400, 'validation_failed']);
  expect(await refused({ sipUri: 'sip:x@127.0.0.1;transport=tcp' })).toEqual([422, 'no_trunk']);
  expect(await refused({ number: bought.number }, { customerId: crypto.randomUUID() })).toEqual([
    400,
    'validation_failed',
  ]);
  expect(await refused({ number: bought.number }, { phoneNumber: {} })).toEqual([400, 'validation_failed']);
  expect((await api('POST', '/call', { assistant, customers: [] })).status).toBe(201);
  expect((await api('GET', '/call')).body).toHaveLength(before);
});

test('a trunk of one’s own: its gateway is called with its password, allowed numbers only', async () => {
  showsSettings('phoneCall', 'phoneNumberId');
  const credential = await api('POST', '/credential', {
    provider: 'byo-sip-trunk',
    gateways: [{ ip: '127.0.0.1', port: telephone.port }],
    outboundAuthenticationPlan: { authUsername: 'trunk', authPassword: 'secret' },
    outboundLeadingPlusEnabled: true,
  });
  expect([credential.status, JSON.stringify(credential.body).includes('secret')]).toEqual([201, false]);
  const wrong = await api('POST', '/credential', { provider: 'byo-sip-trunk', gateways: [{ ip: 'a b' }] });
  expect([wrong.status, wrong.body.message]).toEqual([400, expect.stringContaining('gateways.0.ip')]);
  const own = await api('POST', '/phone-number', {
    provider: 'byo-phone-number',
    number: '+442079460000',
    credentialId: credential.body.id,
    fallbackDestination: { type: 'sip', ...here() },
  });
  expect(own.status).toBe(201);
  const from = { phoneNumberId: own.body.id };
  expect((await call({ number: '+33123456789' }, from)).body.code).toBe('destination_not_allowed');
  expect((await call({ number: '+449012345678' }, from)).body.message).toContain('+449');
  const called = telephone.calls.length;
  const made = await call({ number: '+442079460999' }, from);
  expect(made.status).toBe(201);
  await seen(called, 'established');
  const invite = telephone.invites.at(-1) as IncomingCall;
  expect(invite.incoming.request.uri).toContain('sip:+442079460999@127.0.0.1');
  expect(invite.remote.uri?.user).toBe('+442079460000');
  telephone.calls[called]?.call.hangUp();
  expect((await ended(made.body.id)).endedReason).toBe('customer-ended-call');
  // No assistant takes calls of this number: callers are put through.
  const port = /:(\d+)$/.exec((await buy()).sipUri)?.[1];
  const at = telephone.calls.length;
  const caller = await telephone.dial(`sip:+442079460000@127.0.0.1:${port}`);
  await seen(at, 'established');
  caller.call.hangUp();
  const forwarded = await eventually('the record', async () =>
    (await api('GET', `/call?phoneNumberId=${own.body.id}`)).body.find(
      ({ type }: CallRecord) => type === 'inboundPhoneCall',
    ),
  );
  expect(forwarded).toMatchObject({ status: 'ended', endedReason: 'assistant-forwarded-call' });
});

test('several customers are called as lines are free; a wrong one is an error of its own', async () => {
  showsSettings('phoneCall', 'customer.number', 'customers[].number', 'schedulePlan.earliestAt');
  const bought = await buy();
  const { status, body } = await api('POST', '/call', {
    assistant,
    customers: [{ number: bought.number }, { number: '+33123456789' }],
    schedulePlan: { earliestAt: '2100-01-01T00:00:00Z' },
  });
  expect([status, body.results.length, body.errors.length]).toEqual([201, 1, 1]);
  expect(body.results[0]).toMatchObject({
    status: 'scheduled',
    schedulePlan: { earliestAt: '2100-01-01T00:00:00Z' },
  });
  expect(body.errors[0].error).toContain('No trunk leads');
  expect((await api('DELETE', `/call/${body.results[0].id}`)).status).toBe(200);
});

test('a telephone call gives back what it was asked with, and warns of what does not act', async () => {
  showsSettings(
    'phoneCall',
    'name',
    'metadata.*',
    'assistantId',
    'assistant>assistant',
    'customer.email',
    'customer.externalId',
    'customer.assistantOverrides>assistant',
    'customer.squadOverrides>assistant',
    'customers[].email',
    'customers[].externalId',
    'customers[].assistantOverrides>assistant',
    'customers[].squadOverrides>assistant',
  );
  const bought = await buy();
  const schedulePlan = { earliestAt: '2100-01-01T00:00:00Z' };
  const customer = {
    number: bought.number,
    name: 'Ann',
    email: 'ann@example.com',
    externalId: 'A-1',
    assistantOverrides: { firstMessage: 'Hello Ann' },
  };
  const given = { assistantId: bought.assistantId, name: 'Trial', metadata: { deep: [1] }, schedulePlan };
  const { body: quiet } = await api('POST', '/call/phone', { ...given, customer });
  expect(quiet).toMatchObject({ ...given, customer, assistantOverrides: { firstMessage: 'Hello Ann' } });
  expect(quiet).not.toHaveProperty('warnings');
  const hooks = [{ on: 'call.ending', do: [] }];
  const loud = { assistant: { ...assistant, hooks }, schedulePlan };
  const one = await api('POST', '/call', {
    ...loud,
    customer: { ...customer, numberE164CheckEnabled: false },
  });
  expect(one.body.warnings).toEqual([
    expect.stringMatching(/^assistant\.hooks\.0\.on: is kept and does not act/),
    expect.stringMatching(/^customer\.numberE164CheckEnabled: is kept and does not act/),
  ]);
  expect((await api('GET', `/call/${one.body.id}`)).body).not.toHaveProperty('warnings');
  const several = await api('POST', '/call', { ...loud, customers: [customer] });
  expect(several.body.warnings).toEqual([expect.stringMatching(/^assistant\.hooks\.0\.on:/)]);
  for (const { id } of [quiet, one.body, ...several.body.results])
    expect((await api('DELETE', `/call/${id}`)).status).toBe(200);
});

test('an extension is dialled when somebody has answered', async () => {
  showsSettings('phoneCall', 'customer.extension', 'customers[].extension');
  const at = telephone.calls.length;
  const made = await call({ ...here(), extension: '42' });
  await eventually('the extension came', () =>
    telephone.calls[at]?.keys.join('') === '42' ? true : undefined,
  );
  telephone.calls[at]?.call.hangUp();
  await ended(made.body.id);
});

test('a scheduled call that could not begin in time is not made any more', async () => {
  showsSettings('phoneCall', 'schedulePlan.latestAt');
  const at = telephone.invites.length;
  const schedulePlan = { earliestAt: '2020-01-01T00:00:00Z', latestAt: '2020-01-01T01:00:00Z' };
  const made = await call(here(), { schedulePlan });
  expect((await ended(made.body.id)).endedReason).toBe(
    'call.in-progress.error-sip-outbound-call-failed-to-connect',
  );
  expect(telephone.invites).toHaveLength(at);
});

test('the sound of a call that fails before it runs is released: its ports are free again', async () => {
  const free = await openPortPair('127.0.0.1');
  const ports = [free.port, free.port + 1] as const;
  free.sound.close();
  free.reports.close();
  const narrow = await startTestApp({
    voiceEngines: engines,
    settings: { SIP_LISTEN: 'udp://127.0.0.1:0', VOICE_UDP_PORTS: ports.join('-') },
  });
  onTestFinished(() => narrow.close());
  const ask = (method: string, at: string, body?: unknown) => voiceApi(narrow, method, at, body);
  const { body: made } = await ask('POST', '/assistant', { name: 'Leaving', ...assistant });
  const schedulePlan = { earliestAt: '2100-01-01T00:00:00Z' };
  const later = { assistantId: made.id, customer: here(), schedulePlan };
  const { body: waiting } = await ask('POST', '/call/phone', later);
  // Its assistant is deleted when the call's time comes: the call has a line by then, and never runs.
  expect((await ask('DELETE', `/assistant/${made.id}`)).status).toBe(200);
  await narrow.resources.database.run(
    uncheckedSql(
      `update private.voice_records set body = jsonb_set(body, '{schedulePlan}', $2::jsonb) where id = $1`,
      'composed',
    ),
    [waiting.id, JSON.stringify({ earliestAt: '2020-01-01T00:00:00Z' })],
  );
  const over = await eventually('it has failed', async () => {
    const { body } = await ask('GET', `/call/${waiting.id}`);
    return body.status === 'ended' ? body : undefined;
  });
  expect(over.endedReason).toBe('unknown-error');
  // The report is stored first, then the ports are released.
  const pair = await eventually('its ports are free', () =>
    openPortPair('127.0.0.1', ports).catch(() => undefined),
  );
  pair.sound.close();
  pair.reports.close();
});

test('a machine that answers on the telephone gets the message after its tone, and the call says so', async () => {
  const at = telephone.calls.length;
  const machine = { voicemailDetection: { provider: 'vapi' }, voicemailMessage: 'Please call us back.' };
  const made = await api('POST', '/call/phone', {
    assistant: { ...assistant, ...machine },
    customer: here(),
  });
  expect(made.body).not.toHaveProperty('warnings');
  await seen(at, 'established');
  const { session } = telephone.calls[at]?.leg ?? expect.fail('nobody was called');
  session.writePcm(tone(1000, 0.8));
  session.writePcm(new Int16Array(16_000));
  const over = await ended(made.body.id);
  expect(over.endedReason).toBe('voicemail');
  expect(over.transcript).toContain('AI: Please call us back.');
  expect(await ends(made.body.id)).toBe(1);
});

test('who is recorded with the picture where there is one is asked by telephone for the sound alone', async () => {
  const at = telephone.calls.length;
  const recorded = { ...assistant, artifactPlan: { videoRecordingEnabled: true } };
  const made = await call(here(), { assistant: recorded });
  await seen(at, 'established');
  const { id } = made.body;
  await eventually('the question', async () =>
    (await marks(id, 'turn', 'assistant')) > 0 ? true : undefined,
  );
  telephone.calls[at]?.call.hangUp();
  expect((await ended(id)).transcript).toContain(
    `AI: ${assistant.firstMessage} May I record this call? Please say yes or no.`,
  );
  const begun = uncheckedSql<{ data: object }>(
    "select data from private.voice_evidence where call_id = $1 and kind = 'begun'",
    'composed',
  );
  expect((await app.resources.database.one(begun, [id])).data).toEqual({ publicKey: false, recording: true });
});
