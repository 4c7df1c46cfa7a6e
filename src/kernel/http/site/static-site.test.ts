import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { claims } from '../../../../tests/support/claims.ts';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { createLog } from '../../resources/log/log.ts';
import { createServer } from '../server.ts';
import { fillPlaceholders } from './placeholders.ts';
import { loadStaticSite } from './static-site.ts';

let app: TestApp;
const BRAND = 'Meyer & "Söhne" <b>';

beforeAll(async () => {
  app = await startTestApp({ settings: { BRAND, SOCIAL_URL: 'https://social.example/a?b=1&c=2' } });
});
afterAll(() => app.close());

/** Sends these bytes and returns the reply, once it is complete or the server has closed. */
async function exchange(bytes: string): Promise<string> {
  const socket = net.connect(Number(new URL(app.url).port), '127.0.0.1');
  socket.write(bytes, 'latin1');
  let reply = '';
  for await (const piece of socket.setEncoding('latin1')) {
    reply += piece;
    const length = /\r\ncontent-length: (\d+)\r/i.exec(reply)?.[1];
    if (bytes.split('GET ').length > 2 || length === undefined) continue;
    if (reply.length >= reply.indexOf('\r\n\r\n') + 4 + Number(length)) break;
  }
  socket.destroy();
  return reply;
}

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(app.url + path, { headers, redirect: 'manual' });

describe('pages', () => {
  test('carry the settings, escaped', async () => {
    const html = await (await get('/')).text();
    expect(html).toContain('<title>Meyer &amp; &quot;Söhne&quot; &lt;b&gt;: custom');
    expect(html).toContain('https://social.example/a?b=1&amp;c=2');
    expect(html).not.toMatch(/__[A-Z_]+__/);
    const data = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html)?.[1] ?? '';
    expect(JSON.parse(data)['@graph'][0].name).toBe(BRAND);
  });

  test('without scripts have the typeface of the site, with the letters of English', async () => {
    const assets = readdirSync(path.join(import.meta.dirname, '../../../../dist/client/assets'));
    const letters = assets.find((name) => /^archivo-latin-(?!ext-).*\.woff2$/.test(name));
    const [plain, hashed] = await Promise.all([get('/archivo.woff2'), get(`/assets/${letters}`)]);
    expect(plain.status).toBe(200);
    expect(Buffer.from(await plain.arrayBuffer()).equals(Buffer.from(await hashed.arrayBuffer()))).toBe(true);
  });

  test('carry a policy that runs no inline script', async () => {
    claims('No advertising, no tracking cookies, no analytics by third parties.');
    const { headers } = await get('/login');
    expect(headers.get('content-security-policy')).toContain("script-src 'self';");
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('permissions-policy')).toContain('microphone=(self)');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('of private areas are kept out of search engines, public ones are not', async () => {
    expect((await get('/dashboard')).headers.get('x-robots-tag')).toBe('noindex');
    expect((await get('/dashboard/billing')).headers.get('x-robots-tag')).toBe('noindex');
    expect((await get('/')).headers.get('x-robots-tag')).toBeNull();
  });

  test('of services and questions describe themselves to search engines; an unknown service has no page', async () => {
    const graphOf = async (address: string) => {
      const html = await (await get(address)).text();
      expect(html).not.toMatch(/__[A-Z_]+__|\{brand\}/);
      const data = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html)?.[1] ?? '';
      return JSON.parse(data)['@graph'] as Record<string, never>[];
    };
    expect(await graphOf('/services/document-analysis')).toMatchObject([
      { '@type': 'Service', name: 'Document Analysis', provider: { name: BRAND } },
      { '@type': 'BreadcrumbList' },
    ]);
    const [questions] = (await graphOf('/faq')) as unknown as { mainEntity: { name: string }[] }[];
    expect(questions?.mainEntity.map(({ name }) => name)).toContain('May I see a report before I pay?');
    expect((await get('/services/moon-landing', { accept: 'text/html' })).status).toBe(404);
    const sample = await get('/sample/tenancy-agreement.pdf');
    expect(sample.headers.get('content-type')).toBe('application/pdf');
  });

  test('answer with a query and without a slash at the end', async () => {
    expect((await get('/signup?session_id=cs_1')).status).toBe(200);
    const moved = await get('/login/?from=mail', { accept: 'text/html' });
    expect([moved.status, moved.headers.get('location')]).toEqual([308, '/login?from=mail']);
  });

  test('are shown again when a form without scripts posts to them, and say what they need', async () => {
    const send = async (address: string, accept: string) => {
      const body = new URLSearchParams({ email: 'ada@customers.example' });
      const reply = await fetch(app.url + address, {
        method: 'POST',
        redirect: 'manual',
        headers: { accept },
        body,
      });
      return [reply.status, reply.headers.get('location')];
    };
    expect(await send('/login?session_id=cs_1', 'text/html,*/*')).toEqual([303, '/login?session_id=cs_1']);
    expect(await (await get('/login')).text()).toContain('Signing in needs JavaScript');
    for (const [address, accept] of [
      ['/no/such/stop', 'text/html'],
      ['/auth/v1/nothing', 'text/html'],
      ['/login', 'application/json'],
    ] as const)
      expect((await send(address, accept))[1]).toBeNull();
  });

  test('of the home page mark a plan of each line, name what is new, and show the three values', async () => {
    const html = await (await get('/')).text();
    const count = (words: string) => html.split(words).length - 1;
    expect([count('Most Popular'), count('New Feature'), count('Custom Pricing')]).toEqual([2, 1, 1]);
    for (const words of ['Client-First Approach', 'Precision &amp; Excellence', 'Expert Team', 'Test Now'])
      expect(html).toContain(words);
  });

  test('that do not exist are a 404 with a page for people and JSON for programs', async () => {
    const page = await get('/no/such/stop', { accept: 'text/html,*/*' });
    expect(page.status).toBe(404);
    expect(await page.text()).toContain('No such stop');
    const answer = await get('/no/such/stop');
    expect([answer.status, (await answer.json()).code]).toEqual([404, 'not_found']);
    const service = await get('/auth/v1/nothing', { accept: 'text/html' });
    expect(service.headers.get('content-type')).toContain('application/json');
  });
});

describe('files', () => {
  test('come compressed as the client takes it, the same bytes in every encoding', async () => {
    const html = await (await get('/')).text();
    const address = /href="(\/assets\/[^"]+\.css)"/.exec(html)?.[1] ?? '';
    const raw = async (encoding: string): Promise<[string | null, Buffer]> => {
      const { request } = await import('node:http');
      return new Promise((resolve, reject) => {
        request(app.url + address, { headers: { 'accept-encoding': encoding } }, (reply) => {
          const chunks: Buffer[] = [];
          reply.on('data', (chunk: Buffer) => chunks.push(chunk));
          reply.on('end', () => resolve([reply.headers['content-encoding'] ?? null, Buffer.concat(chunks)]));
        })
          .on('error', reject)
          .end();
      });
    };
    const [none, plain] = await raw('identity');
    const [br, brotli] = await raw('gzip, deflate, br;q=1.0');
    const [gz, zipped] = await raw('gzip, br;q=0');
    expect([none, br, gz]).toEqual([null, 'br', 'gzip']);
    expect(brotliDecompressSync(brotli)).toEqual(plain);
    expect(gunzipSync(zipped)).toEqual(plain);
  });

  test('with hashed names are cached for ever and answered 304 when the client has them', async () => {
    const html = await (await get('/')).text();
    const address = /src="(\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? '';
    const first = await get(address);
    expect(first.headers.get('cache-control')).toContain('immutable');
    const again = await get(address, { 'if-none-match': `"other", W/${first.headers.get('etag')}` });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test('come with the same headers in one write and by every other way', async () => {
    const html = await (await get('/')).text();
    for (const address of ['/', '/favicon.svg', /href="(\/assets\/[^"]+\.css)"/.exec(html)?.[1] ?? '']) {
      const headers = async (lines: string): Promise<[string, string[], number]> => {
        const reply = await exchange(`GET ${address} ${lines}`);
        const end = reply.indexOf('\r\n\r\n');
        const [status = '', ...fields] = reply.slice(0, end).split('\r\n');
        const own = fields.filter((field) => !/^(?:date|connection|keep-alive):/i.test(field));
        return [status, own, reply.length - end - 4];
      };
      const plain = await headers('HTTP/1.1\r\nhost: site\r\n\r\n');
      expect(plain[0]).toBe('HTTP/1.1 200 OK');
      expect(plain[1]).toContain('x-content-type-options: nosniff');
      expect(await headers('HTTP/1.1\r\nhost: site\r\nconnection: close\r\n\r\n')).toEqual(plain);
      expect(await headers('HTTP/1.0\r\n\r\n')).toEqual(plain);
    }
  });

  test('are a 304 with the headers of one also where the connection closes', async () => {
    const fieldsOf = (reply: string) =>
      reply.split('\r\n').filter((line) => !/^(?:date|connection|keep-alive):/i.test(line));
    const tag = (await get('/favicon.svg', { 'accept-encoding': 'identity' })).headers.get('etag');
    const ask = (connection: string) =>
      exchange(
        `GET /favicon.svg HTTP/1.1\r\nhost: site\r\nif-none-match: ${tag}\r\nconnection: ${connection}\r\n\r\n`,
      );
    const reply = await ask('close');
    expect(reply).toMatch(/^HTTP\/1\.1 304 Not Modified\r\n/);
    expect(reply).toMatch(/\r\n\r\n$/);
    expect(fieldsOf(reply)).toContain(`etag: ${tag}`);
    expect(fieldsOf(reply)).not.toContainEqual(expect.stringMatching(/^content-length/i));
  });

  test('answer pipelined requests in order', async () => {
    const one = (address: string): string => `GET ${address} HTTP/1.1\r\nhost: site\r\n\r\n`;
    const reply = await exchange(
      `${one('/robots.txt')}${one('/no/such')}${one('/llms.txt')}GET /favicon.svg HTTP/1.1\r\nhost: site\r\nconnection: close\r\n\r\n`,
    );
    const marks = ['User-agent: *', 'not_found', '## Pages', '<svg'].map((mark) => reply.indexOf(mark));
    expect(marks).toEqual([...marks].sort((a, b) => a - b));
    expect(marks[0]).toBeGreaterThan(0);
    expect(reply.match(/^Date: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r$/gim)).toHaveLength(4);
  });

  test('are not written to, and their folder is not left', async () => {
    expect((await fetch(`${app.url}/favicon.svg`, { method: 'POST' })).status).toBe(404);
    expect(
      (await fetch(`${app.url}/favicon.svg`, { method: 'HEAD' })).headers.get('content-length'),
    ).not.toBe('0');
    expect((await get('/assets/..%2f..%2fpackage.json')).status).toBe(404);
  });

  test('of the site: config, robots, sitemap, manifest, llms.txt', async () => {
    expect(await (await get('/config.json')).json()).toMatchObject({ publicKey: app.anonKey, brand: BRAND });
    expect(await (await get('/robots.txt')).text()).toContain('Disallow: /dashboard');
    expect(await (await get('/llms.txt')).text()).toContain('Pro Plan, £49.');
    const sitemap = await (await get('/sitemap.xml')).text();
    expect(sitemap).toContain('/enquire</loc>');
    expect(sitemap).toContain('/login</loc>');
    expect(sitemap).not.toContain('/dashboard');
    expect(sitemap).toContain('/services/document-analysis</loc>');
    expect(await (await get('/llms.txt')).text()).toContain('/services/lead-generation): Finds, scores');
    expect((await (await get('/site.webmanifest')).json()).name).toBe(BRAND);
  });
});

test('a value that looks like a placeholder stays as it is, and a script address does not become a link', () => {
  const values = {
    brand: '__SITE_URL__',
    contactEmail: 'a@b.example',
    socialUrl: 'javascript:alert(1)',
    siteUrl: 'x',
    priceNote: 'With <VAT>',
    freeNote: '',
  };
  expect(fillPlaceholders('<p>__PRICE_NOTE__</p>', values)).toBe('<p>With &lt;VAT&gt;</p>');
  expect(fillPlaceholders('__BRAND__ https://__SOCIAL_URL__', values)).toBe('__SITE_URL__ #');
});

test('without a build there are no pages, which the log says, and generated files exist all the same', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-unbuilt-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const lines: string[] = [];
  const log = createLog('warn', { write: (line: string) => void lines.push(line) });
  const { settings, siteUrl } = app.resources;
  const site = await loadStaticSite({ ...app.resources, log }, folder);
  expect(lines.join()).toContain('the site is not built: run npm run build');
  const { server } = createServer(settings, siteUrl, log, site);
  onTestFinished(() => server.close());
  const page = (url: string) => server.inject({ url, headers: { accept: 'text/html' } });
  const missing = await page('/');
  expect([missing.statusCode, missing.json().code]).toEqual([404, 'not_found']);
  expect([site.has('/pricing'), site.has('/robots.txt')]).toEqual([false, true]);
});

test('a request that began before the server closes is answered, and its connection is closed', async () => {
  const { settings, siteUrl, log } = app.resources;
  const { server } = createServer(settings, siteUrl, log, await loadStaticSite(app.resources));
  const accepted = once(server.server, 'connection') as Promise<[net.Socket]>;
  await server.listen({ host: '127.0.0.1', port: 0 });
  const socket = net.connect((server.server.address() as net.AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const reply = text(socket);
  socket.write('GET /robots.txt HTTP/1.1\r\nhost: a\r\n');
  const [seen] = await accepted;
  await expect.poll(() => seen.bytesRead).toBeGreaterThan(0);
  const closed = server.close();
  await expect.poll(() => server.server.listening).toBe(false);
  socket.write('\r\n');
  expect(await reply).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close\r\n/i);
  await closed;
});
