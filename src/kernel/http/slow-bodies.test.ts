import net from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({
    settings: {
      REQUEST_HEADER_SECONDS: '1',
      REQUEST_BODY_SECONDS: '2',
      REQUEST_SLOW_SECONDS: '2',
      REQUEST_BYTES_PER_SECOND: '500',
    },
  });
  const made = await fetch(`${app.url}/storage/v1/bucket`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.serviceKey}`, 'content-type': 'application/json' },
    body: '{"id":"slow","name":"slow","public":true}',
  });
  expect(made.status).toBe(200);
});
afterAll(() => app?.close());

/** Sends a head, then `piece` ten times a second for `times`, and gives what came back until the server closed. */
async function drip(head: string, piece: string, times = 1000): Promise<string> {
  const { hostname, port } = new URL(app.url);
  const socket = net.connect(Number(port), hostname);
  socket.on('error', () => {});
  socket.write(head);
  let left = times;
  const timer = setInterval(() => {
    left -= 1;
    if (left >= 0 && socket.writable) socket.write(piece);
  }, 100);
  let reply = '';
  socket.setEncoding('latin1').on('data', (text) => {
    reply += text;
  });
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(timer);
  return reply;
}

const post = (path: string, length: number, more = ''): string =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n${more}\r\n`;
const json = 'content-type: application/json\r\n';

test('attack 30: a connection without complete headers is cut off', async () => {
  expect(await drip('GET / HTTP/1.1\r\nhost: x\r\n', 'x: y\r\n')).toMatch(/^HTTP\/1\.1 408 /);
});

test.each([
  ['auth', '/auth/v1/signup', '"error_code":"request_timeout"'],
  ['data', '/rest/v1/letters', '"code":"request_timeout"'],
  ['functions', '/functions/v1/enquiry', '"code":"request_timeout"'],
  ['realtime', '/realtime/v1/api/broadcast', '"request_timeout"'],
])(
  'attack 30: a short body of %s that takes long is cut off with 408, however it is sent',
  async (...given) => {
    const [, path, mark] = given;
    const key = `apikey: ${app.anonKey}\r\n${json}`;
    // Two senders: one fast by bytes whose body never ends, one so slow that it is nearly silent.
    const replies = await Promise.all(
      ['x'.repeat(200), ' '].map((piece) => drip(post(path, 9000, key), piece)),
    );
    for (const reply of replies) {
      expect(reply).toMatch(/^HTTP\/1\.1 408 /);
      expect(reply).toMatch(/\r\nconnection: close\r\n/i);
      expect(reply).toContain(mark);
    }
  },
);

test('attack 30: an upload that makes progress is never cut off; one that does not is, and leaves nothing', async () => {
  const upload = (name: string, length: number): string =>
    post(
      `/storage/v1/object/slow/${name}`,
      length,
      `authorization: Bearer ${app.serviceKey}\r\ncontent-type: text/plain\r\nconnection: close\r\n`,
    );
  // 2 kB/s for five seconds: longer than any body other than an upload may take.
  const [steady, stalled] = await Promise.all([
    drip(upload('steady.txt', 10_000), 'x'.repeat(200), 50),
    drip(upload('stalled.txt', 10_000), 'xx'),
  ]);
  expect(steady).toMatch(/^HTTP\/1\.1 200 /);
  expect(stalled).toMatch(/^HTTP\/1\.1 408 /);
  expect((await fetch(`${app.url}/storage/v1/object/public/slow/steady.txt`)).status).toBe(200);
  const { database } = app.resources;
  await expect
    .poll(() => database.many("select name from private.uploads where name = 'stalled.txt'"))
    .toEqual([]);
});

test('an interrupted resumable upload continues from the received bytes', async () => {
  const bucket = Buffer.from('slow').toString('base64');
  const name = Buffer.from('again.txt').toString('base64');
  const own = `authorization: Bearer ${app.serviceKey}\r\ntus-resumable: 1.0.0\r\n`;
  const created = await drip(
    post(
      '/storage/v1/upload/resumable',
      0,
      `${own}upload-length: 4000\r\nupload-metadata: bucketName ${bucket},objectName ${name}\r\nconnection: close\r\n`,
    ),
    '',
    0,
  );
  const place = /\r\nlocation: (\S+)/i.exec(created)?.[1] ?? '';
  const patch = (offset: number, length: number): string =>
    `PATCH ${place} HTTP/1.1\r\nhost: x\r\n${own}connection: close\r\ncontent-type: application/offset+octet-stream\r\nupload-offset: ${offset}\r\ncontent-length: ${length}\r\n\r\n`;
  expect(await drip(`${patch(0, 4000)}${'a'.repeat(900)}`, '')).toMatch(/^HTTP\/1\.1 408 /);
  const offset = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${app.serviceKey}`, 'tus-resumable': '1.0.0' };
    const reply = await fetch(app.url + place, { method: 'HEAD', headers });
    return Number(reply.headers.get('upload-offset'));
  };
  await expect.poll(offset).toBe(900);
  const rest = async (): Promise<string> =>
    (await drip(`${patch(900, 3100)}${'b'.repeat(3100)}`, '', 0)).slice(0, 12);
  await expect.poll(rest).toBe('HTTP/1.1 204');
});
