import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createClient } from '@supabase/supabase-js';
import { expect, onTestFinished, test } from 'vitest';
import { runProduct } from '../support/servers/product-process.ts';
import { dataFolder, keysOf, startProduct } from '../support/servers/product-start.ts';

/** A port that is free now; a product that is started again has to come back to it. */
async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Code that runs in the product's own process and throws once in a handler of that kind, when a file appears. */
function faultScript(kind: string, file: string): string {
  const kinds: Record<string, string> = {
    timer: `setTimeout(() => { throw new Error('a fault in a timer'); });`,
    socket: `net.createServer((socket) => { throw new Error('a fault in a socket'); })
      .listen(0, '127.0.0.1', function () { net.connect(this.address().port, '127.0.0.1').on('error', () => {}); });`,
    'worker message': `new Worker('require("worker_threads").parentPort.postMessage(1)', { eval: true })
      .on('message', () => { throw new Error('a fault in a worker message'); });`,
    datagram: `const udp = dgram.createSocket('udp4').on('message', () => { throw new Error('a fault in a datagram'); });
      udp.bind(0, '127.0.0.1', () => udp.send('x', udp.address().port, '127.0.0.1'));`,
  };
  return `import dgram from 'node:dgram'; import fs from 'node:fs'; import net from 'node:net';
    import { Worker, isMainThread } from 'node:worker_threads';
    if (isMainThread && /start\\.[jt]s$/.test(process.argv[1] ?? '')) setInterval(() => {
      if (!fs.existsSync(${JSON.stringify(file)})) return;
      fs.rmSync(${JSON.stringify(file)});
      ${kinds[kind]}
    }, 20).unref();`;
}

test.each(['timer', 'socket', 'worker message', 'datagram'])(
  'after a fault in a handler of a %s the product is back with everything that it acknowledged',
  async (kind) => {
    const data = dataFolder();
    const trigger = path.join(path.dirname(data), 'fault');
    const product = startProduct(data, {
      PORT: String(await freePort()),
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(faultScript(kind, trigger))}`,
    });
    const url = await product.url;
    const answer = await fetch(`${url}/functions/v1/enquiry`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', apikey: keysOf(data).anon_key },
      body: JSON.stringify({ name: 'Kay', email: 'kay@example.com', enquiry_type: 'App Builder' }),
    });
    expect(answer.status).toBe(200);
    const { id } = (await answer.json()) as { id: string };
    writeFileSync(trigger, '');
    await expect
      .poll(() => product.output())
      .toMatch(new RegExp(`"message":"a fault in a ${kind}".*an internal error ends this process`));
    await expect
      .poll(() => product.output())
      .toContain('The server ended with code 70. It is started again.');
    await expect.poll(() => product.output().split(' is at http').length).toBe(3);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    const service = createClient(url, keysOf(data).service_role_key);
    const { data: stored, error } = await service.from('enquiries').select('id');
    expect([error, stored]).toEqual([null, [{ id }]]);
    expect(await product.stop()).toMatchObject({ code: 0 });
  },
);

/** A server in place of the product, which says that it is ready and does what `after` says. */
function standIn(after: string): [string, ...string[]] {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-supervised-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const server = path.join(folder, 'server.cjs');
  writeFileSync(server, `process.send('ready'); console.log('begun'); ${after}`);
  const supervisor = path.join(import.meta.dirname, '..', '..', 'scripts', 'supervise.cjs');
  const code = `require(${JSON.stringify(supervisor)})(process.execPath, [${JSON.stringify(server)}])`;
  return [process.execPath, '-e', code];
}

test('a crash loop ends, and says so', async () => {
  const product = runProduct({ command: standIn('setTimeout(() => process.exit(70));') });
  await expect(product.ended).resolves.toMatchObject({ code: 1 });
  expect(product.output().match(/begun/g)).toHaveLength(6);
  expect(product.output()).toContain('It is started again in 10 s.');
  expect(product.output()).toMatch(
    /ended with code 70, for the 6th time .* It is not started again: see the/,
  );
});

test('a server that was killed is started again; one that ends of its own accord is not', async () => {
  const killed = `if (require('fs').existsSync(__filename + '.second')) process.exit(0);
    require('fs').writeFileSync(__filename + '.second', ''); process.kill(process.pid, 'SIGKILL');`;
  const product = runProduct({ command: standIn(killed) });
  await expect(product.ended).resolves.toMatchObject({ code: 0 });
  expect(product.output()).toContain('The server was ended by SIGKILL. It is started again.');
  expect(product.output().match(/begun/g)).toHaveLength(2);
});

test('a server that was told to start anew is started at once, and that is no fault', async () => {
  const anew = `const fs = require('fs'); const runs = fs.existsSync(__filename + '.runs') ? Number(fs.readFileSync(__filename + '.runs')) : 0;
    fs.writeFileSync(__filename + '.runs', String(runs + 1)); console.log('restarts', process.env.NORTHLINE_RESTARTS);
    process.exit(runs < 8 ? 75 : 0);`;
  const product = runProduct({ command: standIn(anew) });
  await expect(product.ended).resolves.toMatchObject({ code: 0 });
  expect(product.output().match(/begun/g)).toHaveLength(9);
  expect(product.output()).toContain('restarts yes');
  expect(product.output()).toContain('The server was told to start anew.');
  expect(product.output()).not.toContain('started again');
});

test('a first start that fails is not tried again', async () => {
  const data = dataFolder();
  const product = startProduct(data, { PORT: '-1' });
  await expect(product.ended).resolves.toMatchObject({ code: 1 });
  expect(product.output()).toContain('PORT');
  expect(product.output()).not.toContain('started again');
});
