import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, test } from 'vitest';
import { startTestApp, type TestApp } from './support/start-test-app.ts';

let app: TestApp;
let token = '';
beforeAll(async () => {
  app = await startTestApp();
  const client = createClient(app.url, app.anonKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const { data } = await client.auth.signUp({ email: 'a@customers.example', password: 'harbour lantern 12' });
  token = data.session?.access_token ?? '';
});
afterAll(() => app.close());
test('print', async () => {
  const out: string[] = [];
  const heads = {
    none: {},
    anon: { apikey: app.anonKey },
    user: { apikey: app.anonKey, authorization: `Bearer ${token}` },
    service: { apikey: app.serviceKey },
  };
  for (const route of app.routes.toSorted()) {
    const [method = '', path = ''] = route.split(' ');
    if (!['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(method)) continue;
    const url = app.url + path.replace(/:[a-zA-Z]+/g, randomUUID()).replace('*', 'x/y');
    const st: string[] = [];
    for (const h of Object.values(heads)) {
      const body = method === 'GET' ? {} : { body: '{}' };
      const r = await fetch(url, {
        method,
        redirect: 'manual',
        headers: { ...h, ...(method === 'GET' ? {} : { 'content-type': 'application/json' }) },
        ...body,
      });
      st.push(`${r.status}`);
      await r.text();
    }
    out.push(`${route} | ${st.join(' ')}`);
  }
  writeFileSync('/tmp/hz/routes.txt', out.join('\n'));
}, 60000);
