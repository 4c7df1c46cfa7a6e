import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, closeContexts, sharedBrowser } from '../../../tests/support/browser.ts';
import { claims } from '../../../tests/support/claims.ts';
import { callWithKey } from '../../../tests/support/customers/api-keys.ts';
import { signInAtConsole } from '../../../tests/support/customers/console-browser.ts';
import { newOperator, type TestAccount } from '../../../tests/support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';

/** Where to store pictures for inspection; none are made without it. */
const PICTURES = process.env.KEY_PICTURES;
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;

let app: TestApp;
let browser: Browser;
let operator: TestAccount;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  app = await startTestApp();
  operator = await newOperator(app);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeContexts();
  await app?.close();
});

describe.skipIf(CHROMIUM === undefined)('API keys in the browser', () => {
  test.each(['/operator/keys', '/dashboard/account#api-keys'])(
    'at %s a key is made with the keyboard, shown once, works, and is refused once it is revoked',
    async (path) => {
      claims(
        'Keys for programs and assistants: yours, and for owners those of all accounts.',
        'Nobody has made a key yet.',
        'Programs that use this key are refused from this moment on.',
        'You cannot undo this.',
        'We show a key once, and store only its hash.',
        'For an assistant: its MCP server is …, with the header Authorization: Bearer and this key.',
      );
      let made = 0;
      for (const viewport of SIZES) {
        for (const colorScheme of ['light', 'dark'] as const) {
          const name = `Key ${viewport.width} ${colorScheme}`;
          const { page, complaints, close } = await signInAtConsole(
            { url: app.url, browser },
            operator,
            { viewport, colorScheme, permissions: ['clipboard-read', 'clipboard-write'] },
            path,
          );
          const panel = page.getByRole('region', { name: 'API keys', exact: true });
          await panel.getByRole('button', { name: 'Make a key' }).waitFor();
          const look = async (what: string): Promise<void> => {
            const { violations } = await new AxeBuilder({ page }).analyze();
            expect(violations.map(({ id, nodes }) => `${what} ${id}: ${nodes[0]?.html}`)).toEqual([]);
            if (PICTURES !== undefined) {
              const file = `${path.replaceAll(/[/#]/g, '-').slice(1)}-${viewport.width}-${colorScheme}-${what}.png`;
              await panel.scrollIntoViewIfNeeded();
              await page.screenshot({ path: `${PICTURES}/${file}`, fullPage: true });
            }
          };
          const isConsole = path === '/operator/keys';
          if (isConsole && made === 0) await page.getByText('Nobody has made a key yet.').waitFor();
          made += 1;
          await panel.getByRole('button', { name: 'Make a key' }).click();
          await panel.getByText('Give the key a name and at least one right.').waitFor();
          await panel.getByLabel('What it is for').fill(name);
          await panel.getByLabel('What it is for').press('Tab');
          await page.keyboard.press('Tab');
          await page.keyboard.press('Space');
          await look('form');
          await panel.getByLabel('What it is for').press('Enter');
          const shown = panel.getByLabel('The key', { exact: true });
          await shown.waitFor();
          const key = (await shown.textContent()) ?? '';
          await look('shown');
          expect((await callWithKey(app, key, 'list-documents', {})).status).toBe(200);
          await panel.getByRole('button', { name: 'Done' }).click();
          const row = page.getByRole('button', { name: new RegExp(`^${name}.*${operator.email}`) });
          if (isConsole) await row.waitFor();
          expect(await page.content()).not.toContain(key);

          // The console revokes the key of any account.
          const isForeign = isConsole && colorScheme === 'dark';
          if (isForeign) {
            await row.click();
            await page.getByRole('button', { name: 'Revoke this key' }).click();
          } else await panel.getByRole('button', { name: `Revoke ${name}` }).click();
          const question = page.getByRole('alertdialog', { name: `Revoke ${name}?` });
          await question.getByRole('button', { name: 'Revoke' }).click();
          await question.waitFor({ state: 'detached' });
          await panel
            .getByText(/Revoked on/)
            .first()
            .waitFor();
          expect((await callWithKey(app, key, 'list-documents', {})).body.code).toBe('key_ended');
          await look('revoked');
          expect(complaints).toEqual([]);
          await close();
        }
      }
    },
  );
});
