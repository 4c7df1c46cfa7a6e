import { VapiClient } from '@vapi-ai/server-sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newAccount } from '../../../tests/support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../tests/support/voice/simple-engines.ts';
import { openTelephone, type Telephone } from '../../../tests/support/voice/sip-telephone.ts';
import { type CallRecord, eventually, voiceApi } from '../../../tests/support/voice/voice-calls.ts';
import { uncheckedSql } from '../../kernel/resources/database/fixed-sql.ts';

let app: TestApp;
let telephone: Telephone;
let assistantId: string;
beforeAll(async () => {
  telephone = await openTelephone();
  app = await startTestApp({
    voiceEngines: simpleEngines(),
    settings: { SIP_LISTEN: 'udp://127.0.0.1:0' },
  });
  ({ id: assistantId } = (await api('POST', '/assistant', { name: 'Caller', firstMessage: 'Hello.' })).body);
});
afterAll(async () => {
  await telephone?.close();
  await app?.close();
});

const api = (method: string, at: string, body?: unknown) => voiceApi(app, method, at, body);
const at = (name: string) => ({ sipUri: `sip:${name}@127.0.0.1:${telephone.port}` });
const campaign = async (names: readonly string[], more: object = {}): Promise<CallRecord> => {
  const { status, body } = await api('POST', '/campaign', {
    ...{ name: 'Autumn', assistantId, customers: names.map(at) },
    ...more,
  });
  expect(status).toBe(201);
  return body;
};
/** The campaign as soon as it satisfies `is`. */
const once = (id: string, what: string, is: (found: CallRecord) => boolean): Promise<CallRecord> =>
  eventually(what, async () => {
    const { body } = await api('GET', `/campaign/${id}`);
    return is(body) ? body : undefined;
  });
const states = ({ customers }: CallRecord): string[] =>
  customers.map(({ state, attempts, outcome = '' }: CallRecord) => `${state} ${attempts} ${outcome}`.trim());
const called = (): string[] =>
  telephone.invites.map(({ incoming }) => incoming.request.uri.split(/[:@]/)[1] ?? '');
/** Waits until a customer has taken a call. */
const taken = (count: number) =>
  eventually('somebody answers', () => {
    const one = telephone.calls[count];
    return one?.seen.includes('established') === true ? one : undefined;
  });
const sql = (text: string, values: unknown[]) =>
  app.resources.database.run(uncheckedSql(text, 'composed'), values);
/** Starts a round at once, which any change does. */
const goOn = (id: string) => api('PATCH', `/campaign/${id}`, { name: 'Autumn' });

test('customers are called one after another, who is busy again later, who does not want it never', async () => {
  await api('POST', '/do-not-call', at('dora'));
  const { id } = await campaign(['ann', 'bob', 'dora', 'carl'], {
    maxConcurrency: 1,
    retryPlan: { attempts: 2, minutesBetween: 30 },
  });
  const first = await taken(0);
  expect(called()).toEqual(['ann']);
  const running = await once(id, 'the first talks', ({ callsCounterInProgress: n }) => n === 1);
  expect([running.status, states(running)]).toEqual([
    'in-progress',
    ['calling 1', 'waiting 0', 'waiting 0', 'waiting 0'],
  ]);
  first.call.hangUp();
  const second = await taken(1);
  telephone.pickUp = 486;
  second.call.hangUp();
  const busy = await once(
    id,
    'the last was busy',
    ({ customers }) => customers[3].outcome === 'customer-busy',
  );
  expect(states(busy)).toEqual([
    'done 1 customer-ended-call',
    'done 1 customer-ended-call',
    'refused 1 do_not_call',
    'waiting 1 customer-busy',
  ]);
  telephone.pickUp = 'answer';
  await sql(`update private.voice_campaign_customers set due_at = now() where campaign_id = $1`, [id]);
  await goOn(id);
  (await taken(3)).call.hangUp();
  const over = await once(id, 'it is over', ({ status }) => status === 'ended');
  expect([over.endedReason, over.callsCounterEnded, over.customersNotCalled]).toEqual([
    'campaign.ended.success',
    3,
    1,
  ]);
  expect(called()).toEqual(['ann', 'bob', 'carl', 'carl']);
  const [call] = Object.values(over.calls as Record<string, CallRecord>);
  expect((await api('GET', `/call/${call.id}`)).body).toMatchObject({ campaignId: id, assistantId });
});

test('a person on the list goes on with the new address of their account, if the old one was proven', async () => {
  const [proven, unproven] = [await newAccount(app), await newAccount(app)];
  const { body } = await api('POST', '/campaign', {
    ...{ name: 'Addresses', assistantId, schedulePlan: { earliestAt: '2100-01-01T00:00:00Z' } },
    customers: [
      { ...at('hal'), name: 'Hal', email: proven.email.toUpperCase() },
      { ...at('ida'), email: unproven.email },
      at('jon'),
    ],
  });
  await sql('update auth.users set email_proven_at = now() where email = $1', [proven.email]);
  for (const { email } of [proven, unproven])
    await sql('update auth.users set email = $2 where email = $1', [email, `new-${email}`]);
  const { customers } = (await api('GET', `/campaign/${body.id}`)).body;
  expect(customers.map(({ name, email }: CallRecord) => [name, email])).toEqual([
    ['Hal', `new-${proven.email}`],
    [undefined, unproven.email],
    [undefined, undefined],
  ]);
  expect((await api('DELETE', `/campaign/${body.id}`)).status).toBe(200);
});

test('a campaign whose process was killed goes on, and calls nobody again who may have been called', async () => {
  const before = called().length;
  const answered = telephone.calls.length;
  const { id } = await campaign(['eve', 'finn', 'gus'], {
    schedulePlan: { earliestAt: '2100-01-01T00:00:00Z' },
  });
  // Killed before the call was made, and after: the first has left nothing, the second its entry among the
  // dials.
  const mark = (position: number, call: string) =>
    sql(
      `update private.voice_campaign_customers set state = 'calling', attempts = 1, call_id = $3,
                last_at = now() - interval '5 minutes' where campaign_id = $1 and position = $2`,
      [id, position, call],
    );
  const [lost, made] = [crypto.randomUUID(), crypto.randomUUID()];
  await mark(0, lost);
  // The entry comes first, as in a real call. Without it, a round in between would remove the mark.
  await sql(`insert into private.voice_dials (call_id, destination, trunk) values ($1, 'x', 'loopback')`, [
    made,
  ]);
  await mark(1, made);
  await sql(`update private.voice_campaigns set status = 'in-progress' where id = $1`, [id]);
  expect(
    (await api('PATCH', `/campaign/${id}`, { schedulePlan: { earliestAt: '2020-01-01T00:00:00Z' } })).status,
  ).toBe(200);
  await eventually('two are called', () => (telephone.calls.length >= answered + 2 ? true : undefined));
  for (const one of telephone.calls.slice(answered)) {
    await eventually('it is answered', () => (one.seen.includes('established') ? true : undefined));
    one.call.hangUp();
  }
  const over = await once(id, 'it is over', ({ status }) => status === 'ended');
  expect(called().slice(before).sort()).toEqual(['eve', 'gus']);
  expect(states(over)[1]).toBe('done 1 deleted');
});

test('a campaign calls within its hours and its time, and ends when somebody says so', async () => {
  const before = called().length;
  const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
  const open = `${days[(new Date().getUTCDay() + 3) % 7]} 9:00-9:01`;
  const waiting = await campaign(['hal'], { hours: { open, timeZone: 'UTC' } });
  await goOn(waiting.id);
  const stopped = (await api('PATCH', `/campaign/${waiting.id}`, { status: 'ended' })).body;
  expect([stopped.status, stopped.endedReason, states(stopped)]).toEqual([
    'ended',
    'campaign.scheduled.ended-by-user',
    ['stopped 0'],
  ]);
  expect((await goOn(waiting.id)).body.code).toBe('campaign_ended');
  const past = { earliestAt: '2020-01-01T00:00:00Z', latestAt: '2020-01-02T00:00:00Z' };
  const { id } = await campaign(['ida'], { schedulePlan: past });
  const over = await once(id, 'its time is over', ({ status }) => status === 'ended');
  expect([over.endedReason, states(over)]).toEqual(['campaign.ended.time-over', ['stopped 0']]);
  expect(called()).toHaveLength(before);
});

test('the published client lists, reads and deletes campaigns; what is not offered is refused by name', async () => {
  const client = new VapiClient({
    token: app.resources.keys.voice_private_key,
    baseUrl: `${app.url}/voice/v1`,
    maxRetries: 0,
  });
  const later = { schedulePlan: { earliestAt: '2100-01-01T00:00:00Z' } };
  const { id } = await campaign(['joe'], later);
  const { campaigns } = client;
  const listed = await campaigns.campaignControllerFindAll({ status: 'scheduled', limit: 1 });
  expect([listed.results.map((one) => one.id), listed.metadata.totalItems]).toEqual([[id], 1]);
  expect((await campaigns.campaignControllerFindOne({ id })).callsCounterScheduled).toBe(1);
  expect((await campaigns.campaignControllerUpdate({ id, body: { name: 'Winter' } })).name).toBe('Winter');
  expect((await campaigns.campaignControllerRemove({ id })).id).toBe(id);
  expect((await api('GET', `/campaign/${id}`)).status).toBe(404);
  const refused = async (given: object) =>
    (await api('POST', '/campaign', { name: 'X', assistantId, customers: [at('kim')], ...later, ...given }))
      .body.message;
  expect(await refused({ customers: [at('kim'), at('kim')] })).toContain('is there twice');
  expect(await refused({ dialPlan: [] })).toContain('make one campaign for each');
  expect(await refused({ assistantId: undefined })).toContain('needs exactly one of assistantId and squadId');
  expect(await refused({ assistantId: crypto.randomUUID() })).toContain('there is no assistant');
  expect(await refused({ customers: [] })).toContain('customers');
});
