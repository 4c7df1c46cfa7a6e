import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const DIST = path.join(import.meta.dirname, '..', '..', 'dist');
const KB = 1024;

/** Transferred bytes of a file of the build, brotli if it is compressed. */
function wireBytes(address: string): number {
  const file = path.join(DIST, 'client', address);
  const compressed = statSync(`${file}.br`, { throwIfNoEntry: false });
  return (compressed ?? statSync(file)).size;
}

function page(name: string): { html: string; scripts: string[]; modules: string[]; styles: string[] } {
  const html = readFileSync(path.join(DIST, 'pages', `${name}.html`), 'utf8');
  return {
    html,
    scripts: [...html.matchAll(/<script[^>]* src="([^"]+)"/g)].map((found) => found[1] ?? ''),
    modules: (/data-modules="([^"]*)"/.exec(html)?.[1] ?? '').split(' '),
    styles: [...html.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map((found) => found[1] ?? ''),
  };
}

const sum = (addresses: readonly string[]): number =>
  addresses.reduce((total, address) => total + wireBytes(address), 0);

describe('bytes on the wire', () => {
  test('the home page runs at most 2 KB of script before a visitor does anything', () => {
    const { scripts } = page('home');
    expect(scripts.length).toBe(2);
    expect(sum(scripts)).toBeLessThanOrEqual(2 * KB);
  });

  test('the application and the home page come in at most 84 KB, without the Supabase client', () => {
    const { modules } = page('home');
    expect(modules.length).toBeGreaterThan(1);
    expect(sum(modules)).toBeLessThanOrEqual(84 * KB);
    for (const module of modules) {
      expect(readFileSync(path.join(DIST, 'client', module), 'utf8')).not.toContain('GoTrueClient');
    }
  });

  test('a page for people with a session asks for the settings and the client before its scripts run', () => {
    const { html, modules } = page('dashboard');
    expect(html).toContain('<link rel="preload" href="/config.json" as="fetch" crossorigin>');
    const last = modules.at(-1) ?? '';
    expect(readFileSync(path.join(DIST, 'client', last), 'utf8')).toContain('GoTrueClient');
  });

  test('the first page of the dashboard comes in at most 168 KB of scripts in 10 modules, and no other tab with it', () => {
    const { modules } = page('dashboard');
    expect(modules.length).toBeLessThanOrEqual(10);
    expect(sum(modules)).toBeLessThanOrEqual(168 * KB);
    const tabs = readdirSync(path.join(DIST, 'client', 'assets')).filter((file) =>
      /^(account|billing|messages)-part.*\.js$/.test(file),
    );
    expect(tabs.length).toBeGreaterThan(2);
    for (const tab of tabs)
      expect(
        modules.some((module) => module.endsWith(tab)),
        tab,
      ).toBe(false);
  });

  test('the styles of every page take at most 20 KB', () => {
    for (const file of readdirSync(path.join(DIST, 'pages'))) {
      const { styles } = page(file.replace('.html', ''));
      expect(styles.length).toBeGreaterThan(0);
      expect(sum(styles), file).toBeLessThanOrEqual(20 * KB);
    }
  });

  test('a page of another site loads at most 6 KB for the assistant, and 28 KB more once a visitor talks to it', () => {
    const first = wireBytes('voice/on-site.js');
    const spoken = ['voice/on-site-call.js', 'voice/noise-cancellation.js'];
    expect(first).toBeLessThanOrEqual(6 * KB);
    expect(sum(spoken)).toBeLessThanOrEqual(28 * KB);
    const text = readFileSync(path.join(DIST, 'client', 'voice', 'on-site.js'), 'utf8');
    // A strict policy of the page refuses these.
    expect(text).not.toMatch(/innerHTML|eval\(|new Function|setAttribute\("style"|document\.write/);
  });

  test("LiveKit's client is at most 120 KB, and in a module of its own, which calls through LiveKit alone load", () => {
    expect(wireBytes('voice/livekit.js')).toBeLessThanOrEqual(120 * KB);
    for (const script of ['call-machine', 'on-site-call'])
      expect(readFileSync(path.join(DIST, 'client', 'voice', `${script}.js`), 'utf8')).not.toContain(
        '_reliable',
      );
  });

  test('the worker that shows notices is at most 1 KB, requests nothing and stores nothing', () => {
    expect(wireBytes('push-worker.js')).toBeLessThanOrEqual(KB);
    const text = readFileSync(path.join(DIST, 'client', 'push-worker.js'), 'utf8');
    expect(text).toContain('showNotification');
    expect(text).not.toMatch(/fetch|caches|importScripts|import\b|indexedDB/);
  });

  test('the home page is at most 64 KB of HTML, and preloads one font', () => {
    const { html } = page('home');
    expect(html.length).toBeLessThanOrEqual(64 * KB);
    expect(html.match(/rel="preload"[^>]*as="font"/g)).toHaveLength(1);
  });
});

describe('what the pages are allowed to contain', () => {
  test.each(readdirSync(path.join(DIST, 'pages')))('%s has no inline script, style or handler', (file) => {
    const { html } = page(file.replace('.html', ''));
    const inline = [...html.matchAll(/<script(?![^>]* src=)([^>]*)>/g)].map((found) => found[1]?.trim());
    expect(inline.filter((attributes) => attributes !== 'type="application/ld+json"')).toEqual([]);
    expect(html).not.toMatch(/<style|\sstyle="|\son[a-z]+="/);
  });
});
