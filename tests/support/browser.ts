import { type Browser, chromium } from 'playwright-core';
import { findTestChromium } from '../../scripts/checks/test-environment.ts';

/** The machine's Chromium, or undefined when there is none: browser tests are then skipped with a message. */
export const CHROMIUM = findTestChromium();

/**
 * Announcing the browser on the network, and what Playwright switches off, because this list replaces its
 * own.
 */
const SWITCHED_OFF = [
  ...['WebRtcHideLocalIpsWithMdns', 'MediaRouter', 'OptimizationHints', 'HttpsUpgrades', 'PaintHolding'],
  ...['HttpsFirstBalancedModeAutoEnable', 'AvoidUnnecessaryBeforeUnloadCheckSync', 'LensOverlay'],
  ...['DestroyProfileOnBrowserClose', 'ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect'],
  // A page that a test serves by a route has no address, so Chromium would ask before it connects to this machine.
  ...['LocalNetworkAccessChecks', 'LocalNetworkAccessChecksWebSockets'],
];

/**
 * How long a page may take for what a test waits for, milliseconds; scaled like every time-out of the run.
 */
export const PAGE_PATIENCE_MS = 30_000 * Number(process.env.TEST_PATIENCE ?? 1);

/**
 * Switches for a browser with a fake camera and microphone that asks nobody for permission. Ten pictures a second
 * are half of what it would send: a machine without a graphics card codes each of them with its processor.
 */
export const FAKE_MEDIA = [
  '--use-fake-ui-for-media-stream',
  '--use-fake-device-for-media-stream=fps=10',
] as const;

let shared: Promise<Browser> | undefined;

/**
 * The one browser of this worker. Test files are separated by their contexts, which each closes; the browser
 * ends with the process.
 */
export function sharedBrowser(): Promise<Browser> {
  shared ??= openBrowser();
  return shared;
}

/** Closes whatever a test file left open in its worker's browser. */
export async function closeContexts(): Promise<void> {
  for (const context of (await shared)?.contexts() ?? []) await context.close();
}

/** Opens a headless browser that connects to the page's own server only; `more` are further switches. */
export function openBrowser(more: readonly string[] = []): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('no Chromium on this machine');
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      ...(process.geteuid?.() === 0 ? ['--no-sandbox'] : []),
      ...['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync', '--no-pings', '--disable-domain-reliability'],
      // It still asks its maker for updates, so no host name resolves, and none is announced on the network.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1',
      `--disable-features=${SWITCHED_OFF.join()}`,
      ...more,
    ],
  });
}
