import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '@supabase/supabase-js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';
import { feedText, readFeed } from './feed-reader.server.ts';
import type { NewsItem } from './news-list.contract.ts';

const rss = (items: string): string =>
  `<?xml version="1.0"?><rss version="2.0"><channel>${items}</channel></rss>`;
const item = (title: string, url = 'https://wire.example/1', content = 'Words'): string =>
  `<item><title>${title}</title><link>${url}</link><pubDate>Mon, 05 Jan 2026 10:00:00 GMT</pubDate><description>${content}</description></item>`;

type Site = (request: IncomingMessage, reply: ServerResponse) => void;

/** A feed on the operator's own network, which may be called. */
async function serve(answer: Site): Promise<{ host: string; asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = [];
  const site = createServer((request, reply) => {
    asked.push(request);
    answer(request, reply);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    site.closeAllConnections();
    site.close();
  });
  return { host: `127.0.0.1:${(site.address() as AddressInfo).port}`, asked };
}

async function appWith(host: string, beside?: TestApp, path = '/feed'): Promise<TestApp> {
  const app = await startTestApp({
    settings: { NEWS_FEEDS: `http://${host}${path}`, OUTBOUND_ALLOW_HOSTS: host },
    ...(beside === undefined ? {} : { beside }),
  });
  await app.resources.database.run('delete from public.news_posts');
  return app;
}

async function news(app: TestApp): Promise<{ titles?: string[]; items?: NewsItem[]; error?: string }> {
  const { data, error } = await createClient(app.url, app.anonKey).functions.invoke('news', {
    method: 'GET',
  });
  if (error !== null) return { error: (await error.context.json()).error };
  return { titles: data.map(({ title }: NewsItem) => title), items: data };
}

describe('attack 37: an item of a feed is plain text', () => {
  test('with scripts, handlers and hidden markup only the text is left', () => {
    const hostile = [
      item('&lt;script&gt;alert(1)&lt;/script&gt;Fine'),
      item('<![CDATA[<img src=x onerror=alert(1)>Also fine]]>'),
      item(
        'Third',
        'https://wire.example/3',
        '&lt;style&gt;a{}&lt;/style&gt;&lt;p onclick="x()"&gt;Text&lt;/p&gt;',
      ),
    ].join('');
    const items = readFeed(rss(hostile));
    expect(items.map(({ title }) => title)).toEqual(['Fine', 'Also fine', 'Third']);
    expect(items[2]?.content).toBe('Text');
  });

  test.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'vbscript:x',
    '',
  ])('that leads to %j is left out', (url) => {
    expect(readFeed(rss(item('Bad', url)))).toEqual([]);
    const json = { items: [{ title: 'Bad', url, date_published: '2026-01-01' }] };
    expect(readFeed(JSON.stringify(json))).toEqual([]);
  });

  test('with a title of nearly 2 MB is cut; more than 2 MB are refused', () => {
    const [found] = readFeed(rss(item('a'.repeat(2_000_000))));
    expect(found?.title.length).toBe(200);
    expect(() => readFeed(rss(item('a'.repeat(3_000_000))))).toThrow('too large');
    expect(() => readFeed(rss(item('<'.repeat(1_000_000))))).toThrow('not well-formed');
  });

  test('never expands an entity to a file or an address, and none grows', () => {
    const xxe = `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd"><!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>
      <rss version="2.0"><channel>${item('&f; &b;')}</channel></rss>`;
    expect(() => readFeed(xxe)).toThrow();
  });

  test('with the document type of RSS 0.91 and names of HTML is read', () => {
    const old = `<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS 0.91//EN" "http://my.netscape.com/publish/formats/rss-0.91.dtd">
      <rss version="0.91"><channel>${item('Caf&eacute;&nbsp;au lait')}</channel></rss>`;
    expect(readFeed(old)[0]?.title).toBe('Café au lait');
  });

  test('is read in the encoding that it names', () => {
    const latin = Buffer.from(
      `<?xml version="1.0" encoding="ISO-8859-1"?>${rss(item('Café')).slice(21)}`,
      'latin1',
    );
    expect(readFeed(feedText({ body: latin, headers: {} }))[0]?.title).toBe('Café');
    const text = feedText({
      body: Buffer.from('Café'),
      headers: { 'content-type': 'text/xml; charset=no-such' },
    });
    expect(text).toBe('Café');
  });
});

describe('attack 36: a feed', () => {
  test('does not follow a redirect to a private address; it follows one to an allowed address', async () => {
    const secret = await serve((_request, reply) => void reply.end(rss(item('Secret'))));
    const { host, asked } = await serve((request, reply) => {
      const target = request.url === '/feed' ? `http://${secret.host}/` : '/moved';
      if (request.url === '/moved') reply.end(rss(item('Moved')));
      else reply.writeHead(302, { location: request.url === '/good' ? '/moved' : target }).end();
    });
    const app = await appWith(host);
    const good = await appWith(host, undefined, '/good');
    onTestFinished(async () => {
      await app.close();
      await good.close();
    });
    expect(await news(app)).toEqual({ error: 'Failed to fetch news' });
    expect(secret.asked).toEqual([]);
    expect((await news(good)).titles).toEqual(['Moved']);
    expect(asked.length).toBeGreaterThanOrEqual(3);
  });

  test('with circular or endless redirects is given up', async () => {
    const { host, asked } = await serve((request, reply) => {
      if (request.url === '/feed') reply.writeHead(301, { location: '/feed' }).end();
      else {
        reply.writeHead(200);
        const timer = setInterval(() => reply.write(' '.repeat(256 * 1024)), 1);
        reply.once('close', () => clearInterval(timer));
      }
    });
    const round = await appWith(host);
    const endless = await appWith(host, undefined, '/endless');
    onTestFinished(async () => {
      await round.close();
      await endless.close();
    });
    expect(await news(round)).toEqual({ error: 'Failed to fetch news' });
    expect(asked).toHaveLength(4);
    expect(await news(endless)).toEqual({ error: 'Failed to fetch news' });
  });
});

describe('a feed', () => {
  test('is requested only for changes; its copy is served in the meantime, and survives a restart', async () => {
    let title = 'First';
    const { host, asked } = await serve((request, reply) => {
      const tag = `"${title}"`;
      if (request.headers['if-none-match'] === tag) reply.writeHead(304).end();
      else
        reply
          .writeHead(200, { etag: tag, 'last-modified': 'Mon, 05 Jan 2026 10:00:00 GMT' })
          .end(rss(item(title)));
    });
    const app = await appWith(host);
    onTestFinished(() => app.close());
    expect((await news(app)).titles).toEqual(['First']);
    expect((await news(app)).titles).toEqual(['First']);
    expect(asked).toHaveLength(1);

    // A second process starts: it serves the copy and asks whether the feed has changed.
    const unchanged = await appWith(host, app);
    expect((await news(unchanged)).titles).toEqual(['First']);
    await expect.poll(() => asked.length).toBe(2);
    expect(asked[1]?.headers).toMatchObject({
      'if-none-match': '"First"',
      'if-modified-since': 'Mon, 05 Jan 2026 10:00:00 GMT',
    });
    await unchanged.close();

    title = 'Second';
    const changed = await appWith(host, app);
    onTestFinished(() => changed.close());
    expect((await news(changed)).titles).toEqual(['First']);
    await expect.poll(async () => (await news(changed)).titles).toEqual(['Second']);
  });
});
