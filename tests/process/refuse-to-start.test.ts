import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runProduct, temporaryFolder } from '../support/servers/product-process.ts';

function folder(name: string): string {
  const made = temporaryFolder(name);
  onTestFinished(() => made[Symbol.dispose]());
  return made.path;
}

/** The output of a start that has to fail, without npm's own lines. */
async function refusal(settings: Record<string, string>): Promise<string> {
  const product = runProduct({
    settings: { DATA_DIR: path.join(folder('refused'), 'data'), ...settings },
    command: ['npm', 'start', '--silent'],
  });
  const { code } = await product.ended;
  expect(code).toBe(1);
  const lines = product.output().split('\n');
  // If the site has not been built yet, the bundler's output comes first.
  const said = lines
    .slice(lines.findLastIndex((line) => line.startsWith('Site built')) + 1)
    // Root gets a warning about how the database runs, whatever else is wrong.
    .filter((line) => line !== '' && !/^npm warn|"started by root/.test(line));
  expect(said).toHaveLength(1);
  return said[0] ?? '';
}

test.each([
  ['a misspelt setting', { DATA_DIRR: 'x' }, /unknown setting DATA_DIRR: did you mean DATA_DIR\?/],
  ['a value that is none', { PORT: 'eighty' }, /^The setting PORT must be a whole number\.$/],
  ['an unsafe combination', { HOST: '0.0.0.0' }, /^HOST is 0\.0\.0\.0, .* set the public address/],
  [
    'a payment key without its webhook secret',
    { STRIPE_SECRET_KEY: 'sk_live_x' },
    /STRIPE_WEBHOOK_SECRET is empty/,
  ],
  [
    'a database that is down',
    { DATABASE_URL: 'postgres://a:secret@127.0.0.1:9/x' },
    /^The database cannot be reached: .*ECONNREFUSED/,
  ],
] as const)('%s is told in one sentence', async (_what, settings, sentence) => {
  const said = await refusal(settings);
  expect(said).toMatch(sentence);
  expect(said).not.toMatch(/secret@|sk_live_x|\bat .*:\d+:\d+/);
});

test('a port in use', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  expect(await refusal({ PORT: String(port) })).toBe(
    `The address 127.0.0.1:${port} is in use: stop the other program or set PORT.`,
  );
});

test('a data folder that cannot be written', async () => {
  const parent = folder('unwritable');
  // A file in place of the folder stops root as well.
  writeFileSync(path.join(parent, 'data'), '');
  expect(await refusal({ DATA_DIR: path.join(parent, 'data') })).toMatch(
    /^The data folder .* cannot be written: /,
  );
});

test.skipIf(process.geteuid?.() === 0)('a data folder of somebody else', async () => {
  const parent = folder('locked');
  mkdirSync(path.join(parent, 'data'));
  chmodSync(path.join(parent, 'data'), 0o500);
  expect(await refusal({ DATA_DIR: path.join(parent, 'data') })).toMatch(
    /^The data folder .* cannot be written: /,
  );
});

test('a second process on one data folder', async () => {
  const data = path.join(folder('shared'), 'data');
  const first = runProduct({ settings: { DATA_DIR: data } });
  onTestFinished(async () => {
    await first.stop();
  });
  const url = await first.url;
  expect(await refusal({ DATA_DIR: data })).toBe(
    `Another Northline process is running on the data folder ${data}: stop it, or set DATA_DIR.`,
  );
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
});

/** A server that speaks just enough of PostgreSQL's protocol to report its version. */
async function oldServer(version: string): Promise<number> {
  const message = (type: string, ...parts: Buffer[]): Buffer => {
    const body = Buffer.concat(parts);
    const head = Buffer.from(`${type}....`);
    head.writeInt32BE(body.length + 4, 1);
    return Buffer.concat([head, body]);
  };
  const numbers = (...values: [bytes: 2 | 4, value: number][]): Buffer =>
    Buffer.concat(
      values.map(([bytes, value]) => {
        const buffer = Buffer.alloc(bytes);
        buffer.writeIntBE(value, 0, bytes);
        return buffer;
      }),
    );
  const ready = message('Z', Buffer.from('I'));
  const column = [
    Buffer.from('server_version_num\0'),
    numbers([4, 0], [2, 0], [4, 25], [2, -1], [4, -1], [2, 0]),
  ];
  const answer = Buffer.concat([
    message('T', numbers([2, 1]), ...column),
    message('D', numbers([2, 1], [4, version.length]), Buffer.from(version)),
    message('C', Buffer.from('SHOW\0')),
    ready,
  ]);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', numbers([4, 0])), ready]));
      socket.on('data', (chunk) => chunk[0] === 0x51 && socket.write(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test('a database that is too old', async () => {
  const port = await oldServer('140011');
  expect(await refusal({ DATABASE_URL: `postgres://a:b@127.0.0.1:${port}/x` })).toBe(
    'The database is PostgreSQL 14, and Northline needs 15 or newer.',
  );
});
