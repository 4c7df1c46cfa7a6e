/// <reference lib="dom" />
import path from 'node:path';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHROMIUM, openBrowser } from '../support/browser.ts';
import { openPlatformWorld, type PlatformWorld } from './platform-world.ts';
import type { RecordedCall } from './record-calls.ts';
import { type CasesRun, runCases } from './run-cases.ts';

let world: PlatformWorld;
/** The results in Node with one process; docs/platform-calls.md is checked against them. */
let expected: readonly RecordedCall[];
beforeAll(async () => {
  world = await openPlatformWorld(3);
  expected = (await runCases(await world.freshPlace(1))).calls;
});
afterAll(() => world?.close());

/** The cases and the client in one script, as a bundler makes it for any page. */
async function bundle(): Promise<string> {
  const output = (await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      minify: false,
      lib: { entry: path.join(import.meta.dirname, 'run-cases.ts'), formats: ['iife'], name: 'cases' },
    },
  })) as Rolldown.RolldownOutput[];
  return output[0]?.output[0].code ?? '';
}

async function runInChromium(count: number, code: string): Promise<CasesRun> {
  const place = await world.freshPlace(count);
  const browser = await openBrowser();
  try {
    // A page of the product itself; its policy allows only its own scripts.
    const page = await browser.newPage({ bypassCSP: true });
    await page.goto(`${world.app.url}/auth/v1/health`);
    await page.evaluate(code);
    return await page.evaluate(
      (where) => (globalThis as unknown as { runCases: typeof runCases }).runCases(where),
      place,
    );
  } finally {
    await browser.close();
  }
}

test('three processes on one database answer like one', async () => {
  const { calls } = await runCases(await world.freshPlace(3));
  expect(calls).toEqual(expected);
});

test.skipIf(CHROMIUM === undefined)(
  'Chromium hears what Node hears, from one process and from three',
  async () => {
    const code = await bundle();
    for (const count of [1, 3]) {
      const { calls } = await runInChromium(count, code);
      expect(calls, `${count} processes`).toEqual(expected);
    }
  },
);
