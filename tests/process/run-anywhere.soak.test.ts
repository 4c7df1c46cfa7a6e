import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { canReach, serverAccount } from '../../src/kernel/resources/database/postgres-binaries.ts';
import { CHECKOUT, runProduct, temporaryFolder } from '../support/servers/product-process.ts';

const _SLOW = 180_000;
const IS_ROOT = process.geteuid?.() === 0;
const LEFT_BEHIND = /^(node_modules|\.git|data|\.installing.*|dist\..*)$/;

function folder(name: string, account?: { uid: number; gid: number }): string {
  const made = temporaryFolder(name, account);
  onTestFinished(() => made[Symbol.dispose]());
  return made.path;
}

/** The product's files in another folder; the dependencies are the installed ones. */
function copyCheckout(target: string): void {
  mkdirSync(target, { recursive: true });
  for (const name of readdirSync(CHECKOUT)) {
    if (!LEFT_BEHIND.test(name))
      cpSync(path.join(CHECKOUT, name), path.join(target, name), { recursive: true });
  }
  symlinkSync(path.join(CHECKOUT, 'node_modules'), path.join(target, 'node_modules'));
}

/** Starts and stops the product; returns its output. */
async function startsAndStops(options: Parameters<typeof runProduct>[0]): Promise<string> {
  const product = runProduct(options);
  const ready = await product.url.then((url) => fetch(`${url}/readyz`));
  expect(ready.status).toBe(200);
  expect((await product.stop()).code).toBe(0);
  return product.output();
}

test('it runs from a checkout in a path with spaces, on a data folder with spaces', async () => {
  const checkout = path.join(folder('spaces'), "my agency's site", 'north line');
  copyCheckout(checkout);
  await startsAndStops({ folder: checkout, settings: { DATA_DIR: './the data' } });
  expect(existsSync(path.join(checkout, 'the data', 'keys.json'))).toBe(true);
});

test.runIf(IS_ROOT)('root may start it in a folder that only root can enter', async () => {
  const checkout = path.join(folder('private'), 'checkout');
  copyCheckout(checkout);
  chmodSync(checkout, 0o700);
  const pointer = path.join(checkout, 'data', 'postgres.location');
  onTestFinished(() => {
    if (existsSync(pointer)) rmSync(path.dirname(readFileSync(pointer, 'utf8').trim()), { recursive: true });
  });
  await startsAndStops({ folder: checkout });
  // PostgreSQL refuses to run as root, so its data had to go where its account can reach it.
  expect(canReach(serverAccount(), readFileSync(pointer, 'utf8').trim())).toBe(true);
  const said = await startsAndStops({ folder: checkout });
  expect(said).toContain('other programs may share it, and northline install-service makes one of its own');
});

const account = serverAccount();
const otherMayRead = account !== undefined && canReach(account, path.join(CHECKOUT, 'node_modules'));

test.runIf(otherMayRead)('an ordinary user may start it', async () => {
  const home = folder('ordinary', account);
  const checkout = path.join(home, 'checkout');
  copyCheckout(checkout);
  for (const name of ['.', ...readdirSync(checkout)]) {
    if (name !== 'node_modules' && account) chownSync(path.join(checkout, name), account.uid, account.gid);
  }
  await startsAndStops({
    folder: checkout,
    settings: { HOME: home, DATA_DIR: path.join(home, 'data') },
    ...(account === undefined ? {} : { account }),
  }).then((said) => expect(said).not.toContain('other programs may share it'));
});
