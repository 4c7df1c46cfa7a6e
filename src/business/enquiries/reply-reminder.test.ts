import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { claims } from '../../../tests/support/claims.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import type { Queries } from '../../kernel/resources/database/database.ts';
import { warnOfDue } from './reply-reminder.server.ts';

let app: TestApp;
let beside: TestApp;
beforeAll(async () => {
  app = await startTestApp({ settings: { CONTACT_EMAIL: 'agency@example.com' } });
  beside = await startTestApp({ settings: { CONTACT_EMAIL: 'agency@example.com' }, beside: app });
});
afterAll(async () => {
  await beside.close();
  await app.close();
});
beforeEach(async () => {
  await app.resources.database.run('delete from public.enquiries');
  await app.resources.database.run('delete from private.mails');
});

async function wait(
  id: string,
  hours: number,
  reasons: string[] = [],
  queries: Pick<Queries, 'run'> = app.resources.database,
): Promise<void> {
  await queries.run(
    `insert into public.enquiries (id, name, email, enquiry_type, address_hash, text_hash, created_at, due_at, suspect_reasons)
     values ($1, $2, 'n@example.com', 'App Builder', 'a', 't', now() - make_interval(mins => $3),
       now() - make_interval(mins => $3) + interval '24 hours', $4)`,
    [id, `Visitor ${id}`, Math.round(hours * 60), reasons],
  );
}

const warnings = async () =>
  (await app.resources.mailer.kept(50)).map(({ subject, text }) => ({ subject, text }));

test('an enquiry is due 24 hours after it came', async () => {
  claims(
    'A person replies to an enquiry within 24 hours.',
    'A person reads it and replies within 24 hours.',
    'A person replies within 24 hours.',
    'A person reads them and replies within 24 hours.',
  );
  await app.resources.database.run(
    `insert into public.enquiries (id, name, email, enquiry_type, address_hash, text_hash)
     values ('ENQ-1-a', 'N', 'n@example.com', 'App Builder', 'a', 't')`,
  );
  const { hours } = await app.resources.database.one(
    'select extract(epoch from due_at - created_at)::float8 / 3600 as hours from public.enquiries',
  );
  expect(hours).toBe(24);
});

test('after 20 hours without a reply the agency gets one mail, whichever process checks and however often', async () => {
  claims('The site promises a reply within … hours.', 'The agency was warned on ….');
  // At once, as the product checks by itself meanwhile.
  await app.resources.database.transaction(async (queries) => {
    await wait('ENQ-1-a', 19.9, [], queries);
    await wait('ENQ-2-a', 20.1, [], queries);
    await wait('ENQ-3-a', 21, [], queries);
    await wait('ENQ-4-a', 22, [], queries);
    await queries.run("update public.enquiries set replied_at = now() where id = 'ENQ-4-a'");
  });
  await Promise.all([app, beside, app, beside].map(({ resources }) => warnOfDue(resources)));
  await warnOfDue(app.resources);
  const told = await warnings();
  expect(told).toHaveLength(1);
  expect(told[0]?.subject).toBe('2 enquiries have waited 20 hours for a reply');
  expect(told[0]?.text).toMatch(/ENQ-3-a[\s\S]*ENQ-2-a/);
  expect(told[0]?.text).not.toMatch(/ENQ-1-a|ENQ-4-a/);
});

test('an interrupted check sends later: mark and mail are one transaction', async () => {
  await wait('ENQ-5-a', 20.5);
  const broken = {
    ...app.resources,
    mailer: { ...app.resources.mailer, send: () => Promise.reject(new Error('killed here')) },
  };
  await expect(warnOfDue(broken)).rejects.toThrow('killed here');
  expect(await warnings()).toEqual([]);
  await warnOfDue(app.resources);
  expect((await warnings()).map(({ subject }) => subject)).toEqual([
    'Visitor ENQ-5-a has waited 20 hours for a reply',
  ]);
});

test('advertising alone causes no mail; beside a person’s enquiry it is counted', async () => {
  claims('And … more.');
  await wait('ENQ-6-a', 20.5, ['many links']);
  await warnOfDue(app.resources);
  expect(await warnings()).toEqual([]);
  await wait('ENQ-7-a', 20.5, ['no proof of work']);
  await wait('ENQ-8-a', 20.5, ['many links']);
  await warnOfDue(app.resources);
  expect((await warnings())[0]?.text).toContain('1 more wait that may be advertising');
});
