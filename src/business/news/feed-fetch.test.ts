import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@supabase/supabase-js';
import { expect, onTestFinished, test } from 'vitest';
import { startTestApp } from '../../../tests/support/test-app.ts';
import { readFeed } from './feed-reader.server.ts';

const RSS = `<?xml version="1.0"?><rss version="2.0"><channel><title>Wire</title>
<item><title><![CDATA[Robots & <b>letters</b>]]></title><link>https://wire.example/a?x=1&amp;y=2</link>
<pubDate>Mon, 05 Jan 2026 10:00:00 GMT</pubDate>
<description>&lt;p&gt;They read &lt;em&gt;all&lt;/em&gt;.&lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;</description></item>
<item><title>Bad address</title><link>javascript:alert(1)</link><pubDate>Mon, 05 Jan 2026 10:00:00 GMT</pubDate></item>
<item><title>No date</title><link>https://wire.example/b</link></item></channel></rss>`;
const ATOM = `<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>Atom&#8217;s turn</title>
<link rel="self" href="https://atom.example/self"/><link rel="alternate" href="https://atom.example/1"/>
<updated>2026-01-06T08:00:00Z</updated><summary>Short</summary></entry></feed>`;
const JSON_FEED = JSON.stringify({
  version: 'https://jsonfeed.org/version/1.1',
  items: [
    {
      title: 'Third',
      url: 'https://json.example/1',
      date_published: '2026-01-07T00:00:00Z',
      content_html: '<p>Hi</p>',
    },
  ],
});

test('each kind of feed becomes plain text; items without an address or a date are left out', () => {
  expect(readFeed(RSS)).toEqual([
    {
      title: 'Robots & letters',
      date: '2026-01-05T10:00:00.000Z',
      content: 'They read all .',
      url: 'https://wire.example/a?x=1&y=2',
    },
  ]);
  expect(readFeed(ATOM)).toMatchObject([
    { title: 'Atom’s turn', url: 'https://atom.example/1', content: 'Short' },
  ]);
  expect(readFeed(JSON_FEED)).toMatchObject([{ title: 'Third', content: 'Hi' }]);
  expect(() => readFeed('<html><body>Sorry</body></html>')).toThrow('no feed');
});

test('own posts come first, then the feeds; a broken feed does no harm', async () => {
  const answers: Record<string, string> = { '/rss': RSS, '/atom': ATOM, '/broken': '<html></html>' };
  const site = createServer((request, reply) => void reply.end(answers[request.url ?? '']));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(site.address() as AddressInfo).port}`;
  const feeds = ['/rss', '/broken', '/atom'].map((path) => `http://${host}${path}`).join(',');
  const app = await startTestApp({ settings: { NEWS_FEEDS: feeds, OUTBOUND_ALLOW_HOSTS: host } });
  onTestFinished(async () => {
    await app.close();
    site.close();
  });
  const ask = async () =>
    (await createClient(app.url, app.anonKey).functions.invoke('news', { method: 'GET' })).data.map(
      ({ title }: { title: string }) => title,
    );
  const titles = await ask();
  expect(titles.slice(-2)).toEqual(['Atom’s turn', 'Robots & letters']);
  expect(titles.length).toBeGreaterThan(2);
  site.close();
  expect(await ask()).toEqual(titles);
});

test('a feed on a private address is not fetched', async () => {
  const app = await startTestApp({ settings: { NEWS_FEEDS: 'https://127.0.0.1:9/feed' } });
  onTestFinished(() => app.close());
  await app.resources.database.run('delete from public.news_posts');
  const { error } = await createClient(app.url, app.anonKey).functions.invoke('news', { method: 'GET' });
  expect(await error?.context.json()).toMatchObject({ error: 'Failed to fetch news' });
});
