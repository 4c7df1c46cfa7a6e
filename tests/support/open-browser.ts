import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The machine's Chromium, or undefined where there is none: then browser tests skip, saying so. */
export const CHROMIUM = process.env.CHROMIUM_PATH ?? PLACES.find((place) => existsSync(place));

/** Opens a headless browser that calls nobody but the page's own server; `more` are further switches of it. */
export function openBrowser(more: readonly string[] = []): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('no Chromium on this machine');
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      ...(process.geteuid?.() === 0 ? ['--no-sandbox'] : []),
      ...['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync'],
      ...more,
    ],
  });
}
