import { afterAll, beforeAll, expect, test } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import {
  askConsole,
  newOperator,
  type TestAccount,
} from '../../../../tests/support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { simpleEngines } from '../../../../tests/support/voice/simple-engines.ts';
import { openTelephone, type Telephone } from '../../../../tests/support/voice/sip-telephone.ts';
import { eventually, voiceApi } from '../../../../tests/support/voice/voice-calls.ts';
import { peopleIn } from './campaign-draft.server.ts';
import type { CampaignDetail, CampaignDraft, CampaignsPage } from './campaigns.contract.ts';

let app: TestApp;
let telephone: Telephone;
let owner: TestAccount;
let draft: CampaignDraft;
beforeAll(async () => {
  telephone = await openTelephone();
  app = await startTestApp({
    voiceEngines: simpleEngines(),
    settings: { SIP_LISTEN: 'udp://127.0.0.1:0' },
  });
  owner = await newOperator(app);
  const { body } = await voiceApi(app, 'POST', '/assistant', { name: 'Caller', firstMessage: 'Good day.' });
  draft = {
    ...{ name: 'Spring', assistantId: body.id, phoneNumberId: '', open: '', earliestAt: '' },
    ...{ attempts: 1, minutesBetween: 60 },
  };
});
afterAll(async () => {
  await telephone?.close();
  await app?.close();
});

const ask = <T>(name: string, body?: object, account = owner): Promise<T> =>
  askConsole<T>(name, account, body);
const detailOf = (id: string): Promise<CampaignDetail> => ask(`campaign?id=${id}`);
const tomorrow = (): string => new Date(Date.now() + 86_400_000).toISOString();

test('a campaign is planned, changed, stopped and deleted, and each is audited', async () => {
  claims(
    'Nobody else is called.',
    'Calls that go on end by themselves.',
    'The campaign is deleted.',
    'It cannot be begun again; a new campaign can.',
  );
  const planned = { ...draft, open: 'mon-fri 9:00-17:00', earliestAt: tomorrow(), attempts: 2 };
  const people = 'sip:ann@127.0.0.1:9, Ann Wood\n\nsip:bob@127.0.0.1:9';
  const { id } = await ask<{ id: string }>('save-campaign', { id: null, draft: planned, people });
  const { rows } = await ask<CampaignsPage>('campaigns?q=spring');
  expect(rows).toEqual([
    expect.objectContaining({ id, name: 'Spring', status: 'scheduled', customers: 2, waiting: 2, done: 0 }),
  ]);
  const { draft: shown, people: listed, assistants } = await detailOf(id);
  expect(shown).toEqual(planned);
  expect(listed.map(({ address, name, state }) => [address, name, state])).toEqual([
    ['sip:ann@127.0.0.1:9', 'Ann Wood', 'waiting'],
    ['sip:bob@127.0.0.1:9', null, 'waiting'],
  ]);
  expect(assistants).toContainEqual({ id: draft.assistantId, name: 'Caller' });
  await ask('save-campaign', { id, draft: { ...planned, name: 'Summer', open: '' } });
  expect((await voiceApi(app, 'GET', `/campaign/${id}`)).body).toMatchObject({
    ...{ name: 'Summer', retryPlan: { attempts: 2, minutesBetween: 60 } },
  });
  expect((await voiceApi(app, 'GET', `/campaign/${id}`)).body).not.toHaveProperty('hours');

  expect(await ask('end-campaign', { id })).toEqual({ done: true });
  expect((await detailOf(id)).campaign).toMatchObject({
    ...{ status: 'ended', ended_reason: 'campaign.scheduled.ended-by-user', waiting: 0, not_called: 2 },
  });
  for (const [name, body] of [
    ['end-campaign', { id }],
    ['save-campaign', { id, draft: planned }],
  ] as const)
    await expect(ask(name, body)).rejects.toMatchObject({ status: 409, code: 'campaign_ended' });
  expect(await ask('delete-campaign', { id })).toEqual({ done: true });
  await expect(detailOf(id)).rejects.toMatchObject({ status: 404 });
  await expect(ask('delete-campaign', { id })).rejects.toMatchObject({ status: 404 });
  const audit = await app.resources.database.many(
    'select action from private.operator_audit where subject = $1 order by id',
    [id],
  );
  expect(audit.map(({ action }) => action)).toEqual([
    ...['campaign.create', 'campaign.save', 'campaign.end', 'campaign.delete'],
  ]);
});

test('a campaign that is made calls at once, and its page shows each person with the call', async () => {
  claims(
    'People whom an assistant calls.',
    'Left empty, it begins at once.',
    'Left empty, it calls at any hour.',
    'People with a number need one of yours; SIP addresses are called directly.',
    'People on the do-not-call list are not called.',
    'Records of its calls stay.',
  );
  const at = (name: string): string => `sip:${name}@127.0.0.1:${telephone.port}`;
  await voiceApi(app, 'POST', '/do-not-call', { sipUri: at('dora') });
  const people = `${at('ann')}, Ann Wood\n+442079460000, Bob\n${at('dora')}, Dora`;
  const { id } = await ask<{ id: string }>('save-campaign', { id: null, draft, people });
  await eventually('the telephone is called', () => telephone.calls.at(0));
  await eventually('the page shows the call', async () => {
    const person = (await detailOf(id)).people.find(({ name }) => name === 'Ann Wood');
    return person?.state === 'calling' && person.call_id !== null ? true : undefined;
  });
  telephone.calls.at(0)?.call.hangUp();
  const over = await eventually('the campaign is over', async () => {
    const detail = await detailOf(id);
    return detail.campaign?.status === 'ended' ? detail : undefined;
  });
  expect(over.campaign).toMatchObject({ done: 1, waiting: 0, not_called: 2 });
  expect(over.people.map(({ name, state, outcome }) => [name, state, outcome])).toEqual([
    ['Ann Wood', 'done', 'customer-ended-call'],
    ['Bob', 'refused', 'no_trunk'],
    ['Dora', 'refused', 'do_not_call'],
  ]);
  expect(telephone.calls).toHaveLength(1);
  const callId = over.people[0]?.call_id;
  await ask('delete-campaign', { id });
  expect((await voiceApi(app, 'GET', `/call/${callId}`)).body).toMatchObject({ status: 'ended' });
});

test('the campaign of a squad is seen, and the platform’s API changes it', async () => {
  claims('A squad calls in this campaign.', 'The platform’s API changes it.');
  const squad = await voiceApi(app, 'POST', '/squad', { members: [{ assistantId: draft.assistantId }] });
  const { body } = await voiceApi(app, 'POST', '/campaign', {
    ...{ name: 'Together', squadId: squad.body.id, customers: [{ sipUri: 'sip:ann@127.0.0.1:9' }] },
    schedulePlan: { earliestAt: tomorrow() },
  });
  expect(await detailOf(body.id)).toMatchObject({
    draft: null,
    campaign: { name: 'Together', customers: 1 },
  });
  await expect(ask('save-campaign', { id: body.id, draft })).rejects.toMatchObject({ code: 'not_edited' });
  const changed = await voiceApi(app, 'PATCH', `/campaign/${body.id}`, { name: 'Apart' });
  expect([changed.status, (await detailOf(body.id)).campaign?.name]).toEqual([200, 'Apart']);
});

test('the list of people names the line that is wrong; emergency numbers and people twice are refused', async () => {
  claims('One on each line: +442079460000, Ann Wood.');
  expect(peopleIn('+442079460000, Ann Wood')).toEqual([{ number: '+442079460000', name: 'Ann Wood' }]);
  expect(peopleIn('+44 20 7946 0000; Ann\r\n(+44) 20-7946-0001\n')).toEqual([
    { number: '+442079460000', name: 'Ann' },
    { number: '+442079460001' },
  ]);
  expect(() => peopleIn('+442079460000\n\nAnn')).toThrow(/^Line 3:/);
  const made = (people: string, more: Partial<CampaignDraft> = {}) =>
    ask('save-campaign', { id: null, draft: { ...draft, earliestAt: tomorrow(), ...more }, people });
  for (const people of ['', '999', '+442079460000\n+44 20 79460000'])
    await expect(made(people), people).rejects.toMatchObject({ status: 400 });
  await expect(made('+442079460000', { open: 'whenever' })).rejects.toMatchObject({ status: 400 });
  const assistantId = '00000000-0000-4000-8000-000000000000';
  await expect(made('+442079460000', { assistantId })).rejects.toMatchObject({ code: 'unknown_reference' });
});
