import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  askConsole,
  newTrustedOperator,
  type TestAccount,
} from '../../../../tests/support/customers/operator-client.ts';
import { startAutomation, type TestAutomation } from '../../../../tests/support/servers/automation-server.ts';
import { type SipRegistrar, startSipRegistrar } from '../../../../tests/support/servers/sip-registrar.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { manageEvents } from '../../../cli/events-command.ts';
import type { TrialReply } from './settings.contract.ts';

let app: TestApp;
let operator: TestAccount;
let automation: TestAutomation;
let registrar: SipRegistrar;

beforeAll(async () => {
  [automation, registrar] = await Promise.all([startAutomation(), startSipRegistrar('s3cret')]);
  app = await startTestApp({
    settings: { OUTBOUND_ALLOW_HOSTS: `${automation.host},${registrar.host},127.0.0.1:9` },
  });
  operator = await newTrustedOperator(app);
});
afterAll(async () => {
  await app.close();
  await Promise.all([automation.close(), registrar.close()]);
});

const save = (group: string, words: Record<string, string | null>): Promise<object> =>
  askConsole('save-settings', operator, { group, words });
const trial = async (group: string): Promise<TrialReply['results']> =>
  (await askConsole<TrialReply>('try-settings', operator, { group })).results;

test('each automation gets one test event, signed with its own secret, and the page shows the answer', async () => {
  expect(await trial('automations')).toEqual([
    { ok: false, sentence: 'No automation is named, so events stay on this machine.' },
  ]);
  const { database, keys } = app.resources;
  await save('automations', {
    AUTOMATION_URLS: `crm=${automation.url}/hook/s3cret-path`,
    ENQUIRY_WEBHOOK_URL: 'http://127.0.0.1:9/none',
  });
  automation.answer = () => ({ status: 200, body: '{"workflow":\n "started"}' });
  const results = await trial('automations');
  expect(results.map(({ ok }) => ok)).toEqual([false, true]);
  expect(results[0]?.sentence).toMatch(/^enquiries at http:\/\/…@127\.0\.0\.1:9 could not be reached: /);
  expect(results[1]?.sentence).toMatch(
    /^crm at \S+ took the test event in \d+ ms and answered 200: “\{"workflow": "started"\}”\. Real events go there after the next start\.$/,
  );
  expect(JSON.stringify(results)).not.toContain('s3cret-path');
  const call = await automation.next();
  const row = await database.maybe("select 1 from private.webhook_targets where name = 'crm'");
  expect(row).toBeUndefined();
  // The secret that the events have after the next start, which is when the command can show it.
  await database.run(
    "insert into private.webhook_targets (name, url, events, active) values ('crm', $1, '{}', true)",
    [`${automation.url}/hook/s3cret-path`],
  );
  const secret = await manageEvents(database, keys, ['secret', 'crm']);
  expect(new Webhook(secret).verify(call.body, call.headers)).toMatchObject({
    ...{ type: 'test', event: 'test', deliveryId: call.headers['webhook-id'], data: { test: true } },
  });
  // After a rotation the new secret signs; a paused automation can be tried.
  const rotated = (await manageEvents(database, keys, ['rotate', 'crm'])).split('\n')[0] ?? '';
  await manageEvents(database, keys, ['pause', 'crm']);
  automation.answer = () => ({ status: 404, body: 'no such workflow' });
  expect((await trial('automations'))[1]).toEqual({
    ok: false,
    sentence: expect.stringMatching(/ refused the test event with 404: “no such workflow”\.$/),
  });
  const second = await automation.next();
  expect(new Webhook(rotated).verify(second.body, second.headers)).toMatchObject({ type: 'test' });
  automation.answer = () => ({ status: 204, body: '' });
  expect((await trial('automations'))[1]?.sentence).toMatch(
    /answered 204\. It is paused: real events wait\.$/,
  );
  expect(await database.many('select 1 from private.outbox_events')).toEqual([]);
  await save('automations', { AUTOMATION_URLS: null, ENQUIRY_WEBHOOK_URL: null });
});

test('each trunk is asked whether it is there and takes the password; nothing changes at the provider', async () => {
  expect(await trial('telephone')).toEqual([
    { ok: false, sentence: 'No trunk is named, so no call reaches or leaves the telephone network.' },
  ]);
  const at = (account: string, more = ''): string => `sip://${account}@${registrar.host}${more}`;
  await save('telephone', {
    SIP_TRUNKS: [
      at('nine:s3cret', '?register=true'),
      at('nine:wrong', '?register=true'),
      at('nine:s3cret'),
    ].join(', '),
  });
  expect(await trial('telephone')).toEqual([
    {
      ok: true,
      sentence:
        '1. nine at 127.0.0.1: it takes the name and the password. No address is registered there yet, so calls do not come in.',
    },
    {
      ok: false,
      sentence: '2. nine at 127.0.0.1: it does not take the name and the password (403 Forbidden).',
    },
    {
      ok: true,
      sentence:
        '3. nine at 127.0.0.1: it answers (200 OK), and did not ask for the password: only a call shows whether it takes it.',
    },
  ]);
  expect(registrar.answered.toSorted()).toEqual([
    'OPTIONS 200',
    'REGISTER 200',
    'REGISTER 401',
    'REGISTER 401',
    'REGISTER 403',
  ]);
  registrar.contacts = ['<sip:nine@192.0.2.1:5060>;expires=300'];
  registrar.asks = ['REGISTER', 'OPTIONS'];
  const [registered, , proven] = await trial('telephone');
  expect(registered?.sentence).toContain('sends calls to the address registered there');
  expect(proven?.sentence).toBe(
    '3. nine at 127.0.0.1: it answers and takes the name and the password (200 OK).',
  );
  expect(registrar.answered).toContain('OPTIONS 401');
  await save('telephone', { SIP_TRUNKS: 'sip://127.0.0.1:9?transport=tcp' });
  const [silent] = await trial('telephone');
  expect(silent?.ok).toBe(false);
  expect(silent?.sentence).toMatch(/^1\. 127\.0\.0\.1: the question could not be sent: .*ECONNREFUSED/);
  await expect(save('telephone', { SIP_TRUNKS: 'sip://10.0.0.7' })).rejects.toMatchObject({ status: 400 });
  await save('telephone', { SIP_TRUNKS: null });
});
