import { afterAll, beforeAll, expect, test } from 'vitest';
import { callsPage } from './calls-page.ts';
import { isCalled, OUTSIDE, PENDING } from './client-methods.ts';
import { openPlatformWorld, type PlatformWorld } from './platform-world.ts';
import { runCases } from './run-cases.ts';

let world: PlatformWorld;
beforeAll(async () => {
  world = await openPlatformWorld(1);
});
afterAll(() => world?.close());

test('every method of the client has a case, or is in a list with the reason, and docs/ has every outcome', async () => {
  const { calls, methods } = await runCases(await world.freshPlace(1));
  const names = calls.map(({ call }) => call);
  const listed = (list: object, method: string) =>
    Object.keys(list).some((name) => method === name || (name.endsWith('.') && method.startsWith(name)));
  const missing = methods.filter(
    (method) => !isCalled(method, names) && !listed(PENDING, method) && !listed(OUTSIDE, method),
  );
  expect(missing).toEqual([]);
  const needless = Object.keys(PENDING).filter((name) => isCalled(name, names));
  expect(needless).toEqual([]);
  await expect(callsPage(calls, OUTSIDE)).toMatchFileSnapshot('../../docs/platform-calls.md');
});
