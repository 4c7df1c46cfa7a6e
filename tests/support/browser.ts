import { type Browser, chromium } from 'playwright-core';
import { findTestChromium } from '../../scripts/checks/chromium-path.ts';

/** The machine's Chromium, or undefined where there is none: then browser tests skip, saying so. */
export const CHROMIUM = findTestChromium();

/** Announcing oneself to the neighbours, and what Playwright switches off, whose own list this replaces. */
const SWITCHED_OFF = [
  ...['WebRtcHideLocalIpsWithMdns', 'MediaRouter', 'OptimizationHints', 'HttpsUpgrades', 'PaintHolding'],
  ...['HttpsFirstBalancedModeAutoEnable', 'AvoidUnnecessaryBeforeUnloadCheckSync', 'LensOverlay'],
  ...['DestroyProfileOnBrowserClose', 'ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect'],
];

/** How long a page may take for what a test waits for, milliseconds: scaled as every time-out of the run is. */
export const PAGE_PATIENCE_MS = 30_000 * Number(process.env.TEST_PATIENCE ?? 1);

/** Switches of a browser that has a camera and a microphone of its own making, and asks nobody whether they may be used. */
export const FAKE_MEDIA = ['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream'] as const;

let shared: Promise<Browser> | undefined;

/** The one browser of this worker: files keep apart by their contexts, which each closes; it ends with the process. */
export function sharedBrowser(): Promise<Browser> {
  shared ??= openBrowser();
  return shared;
}

/** Ends whatever a test file left open in the browser of its worker. */
export async function closeContexts(): Promise<void> {
  for (const context of (await shared)?.contexts() ?? []) await context.close();
}

/** Opens a headless browser that calls nobody but the page's own server; `more` are further switches of it. */
export function openBrowser(more: readonly string[] = []): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('no Chromium on this machine');
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      ...(process.geteuid?.() === 0 ? ['--no-sandbox'] : []),
      ...['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync', '--no-pings', '--disable-domain-reliability'],
      // It asks its maker for updates all the same: no name leads anywhere, none is announced to the neighbours.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1',
      `--disable-features=${SWITCHED_OFF.join()}`,
      ...more,
    ],
  });
}
