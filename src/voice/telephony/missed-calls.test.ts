import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { showsSettings } from '../../../tests/support/claims.ts';
import { signUpPerson } from '../../../tests/support/customers/auth-client.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { openCallStore } from '../calls/record/call-store.server.ts';
import { openDoNotCallList } from '../calls/record/do-not-call.server.ts';
import { openEvidence } from '../calls/record/evidence.server.ts';
import { tellMissedCallers } from './missed-calls.server.ts';

const MISSED = 'call.ringing.sip-inbound-caller-hungup-before-call-connect';

let app: TestApp;
/** The requests that the provider of text messages received. */
const texts: URLSearchParams[] = [];
const provider = createServer((request, response) => {
  request.setEncoding('utf8');
  let body = '';
  request.on('data', (part) => {
    body += part;
  });
  request.on('end', () => {
    texts.push(new URLSearchParams(body));
    response.writeHead(201, { 'content-type': 'application/json' }).end('{"sid":"SM1"}');
  });
});
beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(provider.address() as AddressInfo).port}`;
  app = await startTestApp({
    settings: {
      VOICE_HOURS: 'mon-sun 9:00-17:00',
      SMS_URL: `http://AC01:token@${host}?from=+15550100`,
      OUTBOUND_ALLOW_HOSTS: host,
    },
  });
});
afterAll(async () => {
  await app?.close();
  provider.close();
});
beforeEach(() => {
  texts.length = 0;
});

/** A number of a British mobile that no other test has. */
let given = 0;
const newNumber = (): string => `+4474001${String(10_000 + given++)}`;

/** Ends a call as the call store does, in whatever way it ended. Returns its id. */
async function endCall(body: object, endedReason: string): Promise<string> {
  const { resources } = app;
  const { id } = await resources.database.one(
    "insert into private.voice_records (kind, body) values ('call', $1) returning id",
    [JSON.stringify({ type: 'inboundPhoneCall', status: 'ringing', ...body })],
  );
  const store = openCallStore(resources, openEvidence(resources), { announce: async () => undefined });
  const report = { status: 'ended', endedReason, endedAt: new Date().toISOString() };
  await store.finish(id, report);
  await store.finish(id, report);
  return id;
}

const outcomeOf = async (callId: string): Promise<string | null | undefined> => {
  await tellMissedCallers(app.resources, openDoNotCallList(app.resources));
  const row = await app.resources.database.maybe(
    'select outcome from private.missed_calls where call_id = $1',
    [callId],
  );
  return row === undefined ? undefined : row.outcome;
};
const textsTo = (number: string): URLSearchParams[] => texts.filter((form) => form.get('To') === number);

test('a missed call is followed by one text a day, whose link books a call', async () => {
  const number = newNumber();
  const id = await endCall({ customer: { number } }, MISSED);
  await expect.poll(() => textsTo(number)).toHaveLength(1);
  const text = textsTo(number)[0]?.get('Body') ?? '';
  expect(text).toContain('your call with us did not come about. Book a time, and we call you: ');
  expect(await outcomeOf(id)).toBe('text');
  await expect
    .poll(async () => {
      const row = await app.resources.database.maybe(
        'select number from private.missed_calls where call_id = $1',
        [id],
      );
      return row?.number;
    })
    .toBeNull();
  expect(await outcomeOf(await endCall({ customer: { number } }, MISSED))).toBe('told before');

  const link = /https?:\/\/\S+\/book$/.exec(text)?.[0] ?? '';
  const [, at = ''] = /class="slot" href="[^"]*at=([^"&]+)"/.exec(await (await fetch(link)).text()) ?? [];
  const email = `caller-${crypto.randomUUID()}@customers.example`;
  const form = { at: decodeURIComponent(at), name: 'Ann Wood', email, phone: number };
  expect((await fetch(link, { method: 'POST', body: new URLSearchParams(form) })).status).toBe(200);
  const proof = async () => {
    const mail = (await app.resources.mailer.kept(50)).find(({ to }) => to === email);
    return /https?:\/\/\S+\/booking\/confirm\?r=[\w-]+/.exec(mail?.text ?? '')?.[0];
  };
  await expect.poll(proof).toBeTruthy();
  const booked = await fetch((await proof()) ?? '', { method: 'POST', body: new URLSearchParams() });
  expect(await booked.text()).toContain('Your call is booked');
});

test('two calls of one caller that end at the same moment are followed once', async () => {
  const number = newNumber();
  const ids = await Promise.all([1, 2, 3].map(() => endCall({ customer: { number } }, 'unknown-error')));
  await Promise.all(ids.map(outcomeOf));
  const outcomes = await Promise.all(ids.map(outcomeOf));
  expect(outcomes.sort()).toEqual(['text', 'told before', 'told before']);
  await expect.poll(() => textsTo(number)).toHaveLength(1);
});

test('a call that is recorded when it is over is followed too; a conversation, a withheld or an emergency number is not', async () => {
  const number = newNumber();
  const { database } = app.resources;
  const body = { type: 'inboundPhoneCall', status: 'ended', endedReason: 'customer-did-not-answer' };
  const { id } = await database.one(
    "insert into private.voice_records (kind, body) values ('call', $1) returning id",
    [JSON.stringify({ ...body, customer: { number } })],
  );
  expect(await outcomeOf(id)).toBe('text');
  expect(await outcomeOf(await endCall({ customer: { number: newNumber() } }, 'customer-ended-call'))).toBe(
    undefined,
  );
  expect(await outcomeOf(await endCall({}, MISSED))).toBe(undefined);
  expect(await outcomeOf(await endCall({ customer: { sipUri: 'sip:a@b.example' } }, MISSED))).toBe(undefined);
  for (const emergency of ['999', '112', '+44999'])
    expect(await outcomeOf(await endCall({ customer: { number: emergency } }, MISSED))).toBe('no way');
  expect(await outcomeOf(await endCall({ customer: { number: newNumber() }, type: 'webCall' }, MISSED))).toBe(
    undefined,
  );
});

test('callers who want no calls, or have booked in the call, get nothing; nor does the agency’s own number', async () => {
  const [stopped, booked, own] = [newNumber(), newNumber(), newNumber()];
  const { database } = app.resources;
  await openDoNotCallList(app.resources).add({ number: stopped });
  expect(await outcomeOf(await endCall({ customer: { number: stopped } }, MISSED))).toBe('not wanted');
  await database.run("insert into private.voice_records (kind, body) values ('phone-number', $1)", [
    JSON.stringify({ number: own }),
  ]);
  expect(await outcomeOf(await endCall({ customer: { number: own } }, MISSED))).toBe('not wanted');
  const { id: callId } = await database.one(
    "insert into private.voice_records (kind, body) values ('call', $1) returning id",
    [JSON.stringify({ type: 'inboundPhoneCall', status: 'in-progress', customer: { number: booked } })],
  );
  await database.run(
    `insert into northline_app.bookings (starts_at, minutes, name, phone, call_id, told_agency)
     values (now() + interval '2 days', 30, 'Bo', $1, $2, 0)`,
    [booked, callId],
  );
  const store = openCallStore(app.resources, openEvidence(app.resources), {
    announce: async () => undefined,
  });
  await store.finish(callId, { status: 'ended', endedReason: 'worker-shutdown' });
  expect(await outcomeOf(callId)).toBe('not wanted');
  expect([stopped, booked, own].flatMap(textsTo)).toEqual([]);
});

test('an assistant decides for its calls: none, or also those that it makes', async () => {
  showsSettings('assistant', 'missedCallPlan.enabled', 'missedCallPlan.outboundEnabled');
  const call = (missedCallPlan: object | undefined, more: object = {}) =>
    endCall(
      { customer: { number: newNumber() }, assistant: { missedCallPlan }, ...more },
      'customer-did-not-answer',
    );
  const outbound = { type: 'outboundPhoneCall' };
  expect(await outcomeOf(await call({ enabled: false }))).toBe('not wanted');
  expect(await outcomeOf(await call(undefined, outbound))).toBe('not wanted');
  expect(await outcomeOf(await call({ outboundEnabled: true }, outbound))).toBe('text');
  const { database } = app.resources;
  const { id: assistantId } = await database.one(
    `insert into private.voice_records (kind, body) values ('assistant', '{"missedCallPlan": {"enabled": false}}')
     returning id`,
  );
  expect(await outcomeOf(await endCall({ customer: { number: newNumber() }, assistantId }, MISSED))).toBe(
    'not wanted',
  );
});

test('without a text message the mail goes to the proven address of the account with that number, and can be stopped', async () => {
  const { email } = await signUpPerson(app);
  const number = newNumber();
  const { database } = app.resources;
  await database.run(
    'update auth.users set phone = $2, phone_confirmed_at = now(), email_proven_at = now() where email = $1',
    [email, number.slice(1)],
  );
  const settings = { ...app.resources.settings, SMS_URL: '' };
  const id = crypto.randomUUID();
  await database.transaction(async (queries) => {
    await queries.run("insert into private.voice_records (id, kind, body) values ($1, 'call', $2)", [
      id,
      JSON.stringify({
        ...{ type: 'inboundPhoneCall', status: 'ended', endedReason: MISSED },
        customer: { number: '+15005550006', email },
      }),
    ]);
    // In the same transaction, as the product's own round, which would send a text, must not see the call first.
    const same = {
      ...database,
      transaction: (work: (own: typeof queries) => Promise<never>) => work(queries),
    };
    const silent = { ...app.resources, settings, database: same };
    await tellMissedCallers(silent, openDoNotCallList(app.resources));
  });
  await expect
    .poll(
      async () =>
        (await app.resources.mailer.kept(50)).filter(
          (mail) => mail.to === email && /did not come about/.test(mail.subject),
        ).length,
    )
    .toBe(1);
  const [mail] = (await app.resources.mailer.kept(50)).filter((one) => one.to === email);
  expect(mail?.text).toContain('/book');
  expect(mail?.text).toContain('/mail/unsubscribe?');
});
