import { createClient } from '@supabase/supabase-js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { claims } from '../../../tests/support/claims.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import type { NewsItem } from './news-list.contract.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const invoke = () => createClient(app.url, app.anonKey).functions.invoke('news', { method: 'GET' });

test('a fresh installation has news, newest first, in the specified shape', async () => {
  const { data } = (await invoke()) as { data: NewsItem[] };
  expect(data.length).toBeGreaterThan(0);
  for (const item of data) {
    expect(Object.keys(item).sort()).toEqual(['content', 'date', 'title', 'url']);
    expect(new URL(item.url).origin).toBe(app.url);
  }
  const dates = data.map(({ date }) => Date.parse(date));
  expect(dates).toEqual(dates.toSorted((left, right) => right - left));
});

test('a post with a future date waits', async () => {
  await app.resources.database.run(
    `insert into public.news_posts (title, content, url, published_at)
     values ('Tomorrow', 'Not yet', 'https://example.com/', now() + interval '1 day')`,
  );
  const { data } = (await invoke()) as { data: NewsItem[] };
  expect(data.map(({ title }) => title)).not.toContain('Tomorrow');
});

test('with nothing to show it fails with the specified words', async () => {
  claims('No news today.');
  await app.resources.database.run('delete from public.news_posts');
  const { error } = await invoke();
  expect(error?.context.status).toBe(503);
  expect(await error?.context.json()).toMatchObject({ error: 'Failed to fetch news' });
});
