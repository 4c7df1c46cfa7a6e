import { createClient } from '@supabase/supabase-js';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test, vi } from 'vitest';
import { analyze, newCustomer, upload } from '../../../../tests/support/customers/analysis-customer.ts';
import { type AutomationCall, startAutomation } from '../../../../tests/support/servers/automation-server.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { manageEvents } from '../../../cli/events-command.ts';
import { ANNOUNCED_EVENTS, configuredTargets, targetSecrets } from './webhook-targets.ts';

interface Scene {
  readonly app: TestApp;
  /** What came to the automation `crm`, in the order of arrival. */
  readonly calls: AutomationCall[];
  answerWith(status: number, body?: string): void;
  /** `northline events …`. */
  events(...words: string[]): Promise<string>;
  enquire(name: string): Promise<void>;
}

async function withAutomation(): Promise<Scene> {
  const automation = await startAutomation();
  let status = 200;
  let text = '';
  automation.answer = () => ({ status, body: text });
  const calls: AutomationCall[] = [];
  const listen = (): void => {
    void automation.next().then((call) => {
      calls.push(call);
      listen();
    });
  };
  listen();
  const app = await startTestApp({
    settings: { AUTOMATION_URLS: `crm=${automation.url}/hook`, OUTBOUND_ALLOW_HOSTS: automation.host },
  });
  onTestFinished(async () => {
    await app.close();
    await automation.close();
  });
  return {
    app,
    calls,
    answerWith: (next, body = '') => {
      status = next;
      text = body;
    },
    events: (...words) => manageEvents(app.resources.database, app.resources.keys, words),
    async enquire(name) {
      const { error } = await createClient(app.url, app.anonKey).functions.invoke('enquiry', {
        body: { name, email: 'ada@example.com', enquiry_type: 'App Builder' },
      });
      expect(error).toBeNull();
    },
  };
}

const arrived = (scene: Scene, count: number) => expect.poll(() => scene.calls.length).toBe(count);
const stateIs = (scene: Scene, state: string) =>
  expect
    .poll(
      async () =>
        (
          await scene.app.resources.database.one(
            'select state from private.outbox_events order by created_at desc limit 1',
          )
        ).state,
    )
    .toBe(state);

test('a committed change is announced once, signed, without personal data; a rolled-back one is not', async () => {
  const scene = await withAutomation();
  const { database, keys } = scene.app.resources;
  await database
    .transaction(async (queries) => {
      await queries.run("insert into public.customers (customer_id) values ('cus_never')");
      throw new Error('changed our mind');
    })
    .catch(() => {});
  await database.run("insert into public.customers (customer_id) values ('cus_1')");
  await database.run(
    "insert into public.subscriptions (customer_id, subscription_id, price_id, tier, status) values ('cus_1', 'sub_1', 'p', 'Pro', 'active')",
  );
  await database.run("update public.subscriptions set updated_at = now() where subscription_id = 'sub_1'");
  await database.run("update public.subscriptions set status = 'past_due' where subscription_id = 'sub_1'");
  await scene.enquire('Ada Secret');
  await arrived(scene, 4);
  const secret = targetSecrets(keys, await crm(scene))[0] ?? '';
  const bodies = scene.calls.map(({ body, headers }) => {
    expect(headers['idempotency-key']).toBe(headers['webhook-id']);
    expect(body).not.toMatch(/Ada Secret|ada@example/);
    return new Webhook(secret).verify(body, headers) as { type: string; data: Record<string, unknown> };
  });
  expect(bodies.map(({ type }) => type).sort()).toEqual([
    'customer.created',
    'enquiry.created',
    'subscription.changed',
    'subscription.changed',
  ]);
  expect(bodies.map(({ data }) => [data.previous_status, data.status])).toContainEqual([
    'active',
    'past_due',
  ]);
});

test('every kind of event is announced by its change', async () => {
  const scene = await withAutomation();
  const { database } = scene.app.resources;
  await scene.enquire('Ada');
  await createClient(scene.app.url, scene.app.anonKey).functions.invoke('course-inquiry', {
    body: { name: 'Owen', email: 'owen@example.com', course_description: 'Bread' },
  });
  await database.run("insert into public.customers (customer_id) values ('cus_1')");
  await database.run(
    "insert into public.subscriptions (customer_id, subscription_id, price_id, tier, status) values ('cus_1', 'sub_1', 'p', 'Pro', 'active')",
  );
  const owner = await newCustomer(scene.app, 'owner');
  await analyze(scene.app, owner.token, await upload(owner, 'letter-rent-review.txt'));
  const state = () => database.one('select state from private.analyses');
  await expect.poll(state).toEqual({ state: 'completed' });
  await database.run("update private.analyses set state = 'failed'");
  const { id } = await database.one(
    `insert into private.voice_records (kind, body)
     values ('call', '{"status": "in-progress", "assistantId": "a1", "customer": {"number": "+15550100"}}') returning id`,
  );
  const end = `body || '{"status": "ended", "endedReason": "customer-ended-call"}'`;
  await database.run(`update private.voice_records set body = ${end} where id = $1`, [id]);
  await database.run(`update private.voice_records set body = ${end} where id = $1`, [id]);

  const kindsSeen = () => scene.calls.map(({ body }) => JSON.parse(body).type);
  await expect.poll(() => [...new Set(kindsSeen())].sort()).toEqual([...ANNOUNCED_EVENTS].sort());
  const ended = scene.calls.filter(({ body }) => JSON.parse(body).type === 'call.ended');
  expect(new Set(ended.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(JSON.parse(ended[0]?.body ?? '').data).toMatchObject({
    ...{ call_id: id, assistant_id: 'a1', ended_reason: 'customer-ended-call' },
  });
  expect(ended[0]?.body).not.toContain('+15550100');
});

test('a paused target keeps its events, and gets them when it is resumed', async () => {
  const scene = await withAutomation();
  await scene.events('pause', 'crm');
  await scene.enquire('Ada');
  expect(await scene.events('list')).toMatch(/^crm {2}paused {2}1 waiting/m);
  expect(scene.calls).toEqual([]);
  await scene.events('resume', 'crm');
  await arrived(scene, 1);
});

test('a refused event is a dead letter that can be read and sent again with the same id', async () => {
  const scene = await withAutomation();
  scene.answerWith(400, `no ${'x'.repeat(5000)}`);
  await scene.enquire('Ada');
  await stateIs(scene, 'dead');
  const list = await scene.events('list');
  const id = /^dead {2}(\S+) {2}enquiry\.created {2}crm {2}400 {2}no x/m.exec(list)?.[1] ?? '';
  const shown = JSON.parse(await scene.events('show', id));
  expect(shown.deliveries).toMatchObject([{ attempt: 1, status: 400 }]);
  expect(shown.deliveries[0].reply).toHaveLength(2048);
  scene.answerWith(200);
  expect(await scene.events('replay', 'crm')).toBe('1 event is sent again.');
  await arrived(scene, 2);
  expect(scene.calls.map(({ headers }) => headers['webhook-id'])).toEqual([id, id]);
  await stateIs(scene, 'delivered');
  expect(await scene.events('replay', id)).toBe('1 event is sent again.');
  await arrived(scene, 3);
});

test('a process whose clock is an hour ahead still repeats a delivery within seconds', async () => {
  const scene = await withAutomation();
  scene.answerWith(500);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  await scene.enquire('Ada');
  await expect
    .poll(() =>
      scene.app.resources.database.maybe(
        `select start_after - now() < interval '1 minute' as soon from private.job
          where name = 'deliver-event.crm' and state = 'created' and start_after > now()`,
      ),
    )
    .toEqual({ soon: true });
});

test('410 disables a target: nothing more is sent to it until the operator says so', async () => {
  const scene = await withAutomation();
  scene.answerWith(410);
  await scene.enquire('Ada');
  await stateIs(scene, 'dead');
  await scene.enquire('Bea');
  await stateIs(scene, 'dead');
  expect(await scene.events('list')).toMatch(
    /^crm {2}disabled by its 410 {2}0 waiting, 0 delivered, 2 dead/m,
  );
  expect(scene.calls).toHaveLength(1);
  scene.answerWith(200);
  await scene.events('resume', 'crm');
  await scene.events('replay', 'crm');
  await arrived(scene, 3);
});

test('after a rotation the old and the new secret verify, then only the new one', async () => {
  const scene = await withAutomation();
  const { database } = scene.app.resources;
  const before = await scene.events('secret', 'crm');
  const after = (await scene.events('rotate', 'crm')).split('\n')[0] ?? '';
  expect(after).not.toBe(before);
  await scene.events('test', 'crm');
  await arrived(scene, 1);
  const [first] = scene.calls as [AutomationCall];
  for (const secret of [before, after]) {
    expect(new Webhook(secret).verify(first.body, first.headers)).toMatchObject({ type: 'test' });
  }
  await database.run('update private.webhook_targets set previous_until = now()');
  await scene.events('test', 'crm');
  await arrived(scene, 2);
  const second = scene.calls[1] as AutomationCall;
  expect(new Webhook(after).verify(second.body, second.headers)).toMatchObject({ type: 'test' });
  expect(() => new Webhook(before).verify(second.body, second.headers)).toThrow();
});

test('targets are named in the settings, some for a few kinds only, and a mistake is reported', async () => {
  const read = (...AUTOMATION_URLS: string[]) =>
    configuredTargets({ AUTOMATION_URLS, ENQUIRY_WEBHOOK_URL: '', ANALYSIS_WEBHOOK_URL: '' }).slice(2);
  expect(read('crm=https://a.example/x#customer.created+call.ended')).toEqual([
    { name: 'crm', url: 'https://a.example/x', events: ['customer.created', 'call.ended'] },
  ]);
  for (const wrong of [
    'https://a.example',
    'CRM=https://a.example',
    'crm=ftp://a.example',
    'enquiries=https://a.example',
    'analysis=https://a.example',
  ]) {
    expect(() => read(wrong)).toThrow('AUTOMATION_URLS must be');
  }
  expect(() => read('crm=https://a.example#made.up')).toThrow('unknown event made.up');
  expect(() => read('crm=https://a.example', 'crm=https://b.example')).toThrow('twice');
});

const crm = (scene: Scene) =>
  scene.app.resources.database.one("select * from private.webhook_targets where name = 'crm'");
