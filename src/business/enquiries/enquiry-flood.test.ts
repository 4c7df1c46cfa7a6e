import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({
    settings: { RATE_LIMITS: 'on', TRUST_PROXY: '127.0.0.1', CONTACT_EMAIL: 'agency@example.com' },
  });
});
afterAll(() => app.close());
beforeEach(async () => {
  await app.resources.database.run('delete from public.enquiries');
  await app.resources.database.run('delete from private.mails');
});

/** Sends an enquiry from an address; returns the status. */
async function send(address: string, more: object = {}): Promise<number> {
  const reply = await fetch(`${app.url}/functions/v1/enquiry`, {
    method: 'POST',
    headers: { apikey: app.anonKey, 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ name: 'N', email: 'n@example.com', enquiry_type: 'App Builder', ...more }),
  });
  await reply.body?.cancel();
  return reply.status;
}

const kept = async () =>
  Number((await app.resources.database.one('select count(*) from public.enquiries')).count);
const mails = async () => (await app.resources.mailer.kept(500)).map(({ to }) => to);

describe('attack 38: a flood of enquiries', () => {
  test('from one address ends at its limit; until then all are stored, and after five none is acknowledged', async () => {
    const statuses: number[] = [];
    for (let sent = 0; sent < 45; sent += 1)
      statuses.push(await send('203.0.113.7', { email: `n${sent}@example.com` }));
    const taken = statuses.filter((status) => status === 200).length;
    expect(taken).toBeGreaterThanOrEqual(30);
    expect(taken).toBeLessThan(45);
    expect(statuses.filter((status) => status !== 200)).toEqual(new Array(45 - taken).fill(429));
    expect(await kept()).toBe(taken);
    expect((await mails()).filter((to) => to !== 'agency@example.com')).toHaveLength(5);
  });

  test('from one IPv6 network counts like one address: after five none is acknowledged', async () => {
    for (let sent = 0; sent < 7; sent += 1)
      expect(await send(`2001:db8:1:2::${sent}`, { email: `six${sent}@example.com` })).toBe(200);
    expect((await mails()).filter((to) => to !== 'agency@example.com')).toHaveLength(5);
  });

  test('with one text from many addresses is stored, and mailed a few times at most', async () => {
    for (let sent = 0; sent < 60; sent += 1) {
      expect(await send(`198.51.100.${sent}`, { additional_notes: 'Buy now' })).toBe(200);
    }
    expect(await kept()).toBe(60);
    expect((await mails()).filter((to) => to === 'n@example.com')).toHaveLength(2);
    expect((await mails()).length).toBeLessThanOrEqual(25);
  });

  test('that names one stranger from many addresses sends them three mails a day, however the address is written', async () => {
    const spellings = [
      'victim@example.com',
      'Victim@example.com',
      'victim+a@example.com',
      'victim+b@example.com',
    ];
    await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        send(`198.18.0.${n}`, { email: spellings[n % 4], additional_notes: `Text ${n}` }),
      ),
    );
    expect(await kept()).toBe(12);
    expect((await mails()).filter((to) => /victim/i.test(to))).toHaveLength(3);
  });

  test('without any proof from everywhere causes twenty mails an hour to the agency, not a thousand', async () => {
    for (let sent = 0; sent < 50; sent += 1) {
      expect(
        await send(`192.0.2.${sent}`, { email: `n${sent}@example.com`, additional_notes: `Text ${sent}` }),
      ).toBe(200);
    }
    expect(await kept()).toBe(50);
    expect((await mails()).filter((to) => to === 'agency@example.com')).toHaveLength(20);
  });

  test('a person’s enquiry in between is still accepted, with a normal reply', async () => {
    await Promise.all(Array.from({ length: 40 }, () => send('203.0.113.8')));
    const client = createClient(app.url, app.anonKey);
    const { data } = await client.functions.invoke('enquiry', {
      body: { name: 'Ada', email: 'ada@example.com', enquiry_type: 'App Builder' },
    });
    expect(data.id).toMatch(/^ENQ-/);
  });
});
