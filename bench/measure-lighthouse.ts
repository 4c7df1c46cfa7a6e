import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { findTestChromium } from '../scripts/checks/test-environment.ts';
import { PAGES, type PageRoute } from '../src/kernel/contract/routes.ts';
import { type Figure, median } from './support/figure.ts';
import { newPerson } from './support/people.ts';
import { freePort, type Product } from './support/product.ts';

/** The version of Lighthouse behind the figures. */
const VERSION = '13.5.0';
const ROUNDS = 5;
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const;
/** Public pages and pages of the dashboard. */
const MOST = 100;
const MOST_SIGNED_IN = 95;
const PATIENCE_MS = 120_000;

interface Audit {
  readonly id: string;
  readonly score: number | null;
  readonly title: string;
  readonly displayValue?: string;
}

/** The parts of its output that are used. */
interface Result {
  readonly lhr: {
    readonly categories: Readonly<
      Record<
        string,
        { readonly score: number | null; readonly auditRefs: readonly { id: string; weight: number }[] }
      >
    >;
    readonly audits: Readonly<Record<string, Audit>>;
    readonly runtimeError?: { readonly message: string };
  };
}

type Lighthouse = (address: string, flags: object) => Promise<Result | undefined>;

/** A page to measure, and the aim. Pages with a session are kept out of search engines on purpose. */
interface Sight {
  readonly path: string;
  readonly signedIn: boolean;
  readonly toBeFound: boolean;
}

/**
 * Lighthouse's four figures for every public page and the dashboard, mobile, each the median of five runs.
 * Lighthouse is not a dependency, because with its own dependencies it takes 176 MB. `names`: only pages
 * whose paths begin with one of these, `/` for the home page alone.
 *
 * @throws Error that says how to install it, or that Chromium is missing
 */
export async function measureLighthouse(product: Product, names: readonly string[] = []): Promise<Figure[]> {
  const lighthouse = await findLighthouse();
  const executablePath = findTestChromium();
  if (executablePath === undefined)
    throw new Error('Lighthouse drives Chromium, and there is none: set CHROMIUM_PATH.');
  const port = await freePort();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'northline-lighthouse-'));
  // Lighthouse opens its own tab in the first profile, so the session has to be there.
  const browser = await chromium.launchPersistentContext(folder, {
    executablePath,
    args: [
      `--remote-debugging-port=${port}`,
      ...(process.geteuid?.() === 0 ? ['--no-sandbox'] : []),
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
    ],
  });
  try {
    const figures: Figure[] = [];
    let signedIn = false;
    for (const sight of sights(names)) {
      if (sight.signedIn && !signedIn) {
        await signIn(product, browser);
        signedIn = true;
      }
      figures.push(await look({ lighthouse, port, url: product.url }, sight));
    }
    return figures;
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Public pages first, because they are measured without a session. */
function sights(names: readonly string[]): Sight[] {
  const isFixed = ({ path: address }: PageRoute): boolean => !address.includes(':');
  const isWanted = ({ path: address }: PageRoute): boolean =>
    names.length === 0 || names.some((name) => (name === '/' ? address === name : address.startsWith(name)));
  const all = Object.values(PAGES).filter((route) => isFixed(route) && isWanted(route));
  const dashboard = all.filter(({ page, needsSession }) => needsSession && page === 'dashboard');
  return [
    ...all.filter(({ needsSession }) => !needsSession).map((route) => sightOf(route, false)),
    ...dashboard.map((route) => sightOf(route, true)),
  ];
}

const sightOf = ({ path: address, indexable }: PageRoute, signedIn: boolean): Sight => ({
  path: address,
  signedIn,
  toBeFound: indexable,
});

async function findLighthouse(): Promise<Lighthouse> {
  const file = path.join(process.env.LIGHTHOUSE ?? '', 'node_modules', 'lighthouse', 'core', 'index.js');
  if (process.env.LIGHTHOUSE === undefined || !existsSync(file))
    throw new Error(
      `Lighthouse is not installed, as it needs 176 MB. Install it beside the project and say where it is: npm install --prefix /opt/lighthouse lighthouse@${VERSION}, then LIGHTHOUSE=/opt/lighthouse npm run bench -- lighthouse`,
    );
  return ((await import(pathToFileURL(file).href)) as { default: Lighthouse }).default;
}

async function signIn(
  product: Product,
  browser: Awaited<ReturnType<typeof chromium.launchPersistentContext>>,
): Promise<void> {
  const { client } = await newPerson(product);
  const { data } = await client.auth.getSession();
  const page = await browser.newPage();
  await page.goto(product.url);
  const key = `sb-${new URL(product.url).hostname.split('.')[0]}-auth-token`;
  await page.evaluate(
    `localStorage.setItem(${JSON.stringify(key)}, ${JSON.stringify(JSON.stringify(data.session))})`,
  );
  await page.close();
}

async function look(
  { lighthouse, port, url }: { lighthouse: Lighthouse; port: number; url: string },
  { path: address, signedIn, toBeFound }: Sight,
): Promise<Figure> {
  const seen: number[][] = [];
  const missing = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    const result = await lighthouse(`${url}${address}`, {
      port,
      logLevel: 'error',
      output: 'json',
      onlyCategories: CATEGORIES,
      disableStorageReset: signedIn,
      maxWaitForLoad: PATIENCE_MS,
    });
    if (result === undefined || result.lhr.runtimeError !== undefined)
      throw new Error(
        `${address} could not be looked at: ${result?.lhr.runtimeError?.message ?? 'no answer'}`,
      );
    seen.push(CATEGORIES.map((name) => Math.round((result.lhr.categories[name]?.score ?? 0) * 100)));
    for (const words of lost(result)) missing.set(words, (missing.get(words) ?? 0) + 1);
  }
  const medians = CATEGORIES.map((_name, at) => median(seen.map((figures) => figures[at] ?? 0)));
  for (const [words, times] of missing) console.log(`  ${address}: ${words} (${times} of ${ROUNDS})`);
  const least = signedIn ? MOST_SIGNED_IN : MOST;
  return {
    name: `Lighthouse ${address}`,
    measured: medians.join('/'),
    against: '',
    aim: `at least ${least}: speed, accessibility, practice${toBeFound ? ', search' : ''}`,
    met: medians.every((figure, at) => figure >= least || (CATEGORIES[at] === 'seo' && !toBeFound)),
  };
}

/** The audits that cost points, one line each. */
function lost({ lhr }: Result): string[] {
  return CATEGORIES.flatMap((name) =>
    (lhr.categories[name]?.auditRefs ?? [])
      .filter(({ id, weight }) => weight > 0 && (lhr.audits[id]?.score ?? 1) < 0.9)
      .map(({ id }) => `${name}: ${lhr.audits[id]?.title ?? id} [${id}]`),
  );
}
