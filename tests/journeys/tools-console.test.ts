/// <reference lib="dom" />
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM, closeContexts, sharedBrowser } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import { signInAtConsole } from '../support/customers/console-browser.ts';
import { newOperator, type TestAccount } from '../support/customers/operator-client.ts';
import { startTestApp, type TestApp } from '../support/test-app.ts';
import { simpleEngines } from '../support/voice/simple-engines.ts';
import { voiceApi } from '../support/voice/voice-calls.ts';

/** Where to store pictures for inspection; none are made without it. */
const PICTURES = process.env.OPERATOR_PICTURES;
const LOOKS = [
  ['light', 1440, 900],
  ['dark', 1440, 900],
  ['light', 390, 844],
  ['dark', 390, 844],
] as const;

const server = createServer((request, reply) => {
  const isKnown = request.headers.authorization !== 'Bearer wrong';
  const answer = request.url === '/v1/models' ? { data: [] } : { opening_hours: 'nine to five' };
  reply.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
});
let app: TestApp;
let browser: Browser;
let host: string;
let owner: TestAccount;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  app = await startTestApp({
    voiceEngines: simpleEngines(),
    settings: { OUTBOUND_ALLOW_HOSTS: host, SIP_LISTEN: 'udp://127.0.0.1:0' },
  });
  owner = await newOperator(app);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await closeContexts();
  await app?.close();
  server.closeAllConnections();
  server.close();
});

const consoleAt = (path: string, account = owner) =>
  signInAtConsole({ url: app.url, browser }, account, {}, path);

/** Checks in each look that the page fits and is accessible, and stores pictures of it. */
async function look(page: Page, name: string): Promise<void> {
  for (const [colorScheme, width, height] of LOOKS) {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null);
    const shot = `${name}-${width}-${colorScheme}`;
    if (PICTURES !== undefined) await page.screenshot({ path: `${PICTURES}/${shot}.png`, fullPage: true });
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth - innerWidth),
      shot,
    ).toBeLessThanOrEqual(0);
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${shot} ${id}: ${nodes[0]?.target}`)).toEqual([]);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

describe.skipIf(CHROMIUM === undefined)("the console's tools, credentials and campaigns", () => {
  test('a tool is made by keys alone, tried, and deleted', async () => {
    claims('It calls the server with what is saved.');
    const { page, complaints, close } = await consoleAt('/operator/tools');
    await page.getByText('There are no tools.').waitFor();
    await page.getByRole('button', { name: 'New tool' }).press('Enter');
    const panel = page.getByRole('article', { name: 'Tool' });
    await panel.getByLabel('What it does').selectOption('apiRequest');
    await panel.getByRole('button', { name: 'Save' }).press('Enter');
    await panel.getByRole('button', { name: 'Enter the address' }).waitFor();
    await panel.getByLabel('Name').fill('get_opening_hours');
    await panel.getByLabel('Address').fill(`http://${host}/hours`);
    await panel.getByLabel('Authorization header').fill('Bearer very-secret');
    await panel.getByLabel('Address').press('Enter');
    await page.getByText('The tool is saved.').waitFor();
    await panel.getByRole('heading', { name: 'get_opening_hours' }).waitFor();
    await panel.getByRole('button', { name: 'Try it' }).press('Enter');
    await panel.getByText('A caller hears: “Opening hours: nine to five.”').waitFor();
    expect(await page.content()).not.toContain('very-secret');
    await look(page, 'tool');
    await panel.getByRole('button', { name: 'Delete tool' }).press('Enter');
    await panel.getByRole('button', { name: 'Really delete it' }).press('Enter');
    await page.getByText('The tool is deleted.').waitFor();
    await page.getByText('There are no tools.').waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  test('a credential is made, tried, and its key is on no page; staff are not offered the page', async () => {
    const { page, complaints, close } = await consoleAt('/operator/credentials');
    await page.getByText('There are no credentials.').waitFor();
    await page.getByRole('button', { name: 'New credential' }).click();
    const panel = page.getByRole('article', { name: 'Credential' });
    await panel.getByLabel('Provider').selectOption('vonage');
    await panel.getByLabel('Secret').waitFor();
    await panel.getByLabel('Provider').selectOption('mistral');
    await panel.getByLabel('Key').fill('key-of-ours');
    await panel.getByLabel('Address').fill(`http://${host}/v1`);
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The credential is saved.').waitFor();
    await panel.getByRole('button', { name: 'Try it' }).click();
    await panel.getByText('mistral accepts the key.').waitFor();
    expect(await page.content()).not.toContain('key-of-ours');
    await look(page, 'credential');
    await panel.getByRole('button', { name: 'Delete credential' }).click();
    await panel.getByRole('button', { name: 'Really delete it' }).click();
    await page.getByText('The credential is deleted.').waitFor();
    expect(complaints).toEqual([]);
    await close();
    const staff = await consoleAt('/operator/tools', await newOperator(app, 'staff'));
    await staff.page.getByRole('button', { name: 'New tool' }).waitFor();
    expect(await staff.page.getByRole('link', { name: 'Credentials' }).count()).toBe(0);
    await staff.page.goto(`${app.url}/operator/credentials`);
    await staff.page.getByText('This page is for owners').waitFor();
    await staff.close();
  });

  test('a campaign is planned and stopped after a question, and a reader sees it without buttons', async () => {
    await voiceApi(app, 'POST', '/assistant', { name: 'Caller', firstMessage: 'Good day.' });
    const { page, complaints, close } = await consoleAt('/operator/campaigns');
    await page.getByText('There are no campaigns.').waitFor();
    await page.getByRole('button', { name: 'New campaign' }).click();
    const panel = page.getByRole('article', { name: 'Campaign' });
    await panel.getByLabel('Name').fill('Spring');
    await panel.getByLabel('Assistant').selectOption('Caller');
    await panel.getByLabel('People').fill('sip:ann@127.0.0.1:9, Ann Wood\nsip:bob@127.0.0.1:9');
    await panel.getByLabel('Not before').fill('2036-05-04T09:00');
    await panel.getByRole('button', { name: 'Make it and begin' }).click();
    await page.getByText('The campaign is made.').waitFor();
    await panel.getByText('Ann Wood').waitFor();
    await page.getByText('0 of 2 called').waitFor();
    await look(page, 'campaign');
    await panel.getByLabel('Hours').fill('');
    await panel.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The campaign is changed.').waitFor();
    await panel.getByRole('button', { name: 'Stop the campaign' }).click();
    const question = page.getByRole('alertdialog');
    await question.getByRole('button', { name: 'Let it go on' }).click();
    await panel.getByRole('button', { name: 'Stop the campaign' }).click();
    await question.getByRole('button', { name: 'Stop it' }).click();
    await page.getByText('The campaign is stopped.').waitFor();
    await panel.getByText('Over: stopped before it began').waitFor();
    expect(await panel.getByRole('button', { name: 'Save' }).count()).toBe(0);
    await look(page, 'campaign-over');
    expect(complaints).toEqual([]);
    const address = page.url();
    await close();
    const reader = await consoleAt(new URL(address).pathname, await newOperator(app, 'reader'));
    await reader.page.getByText('Over: stopped before it began').waitFor();
    expect(await reader.page.getByRole('button', { name: /^(New campaign|Delete campaign)$/ }).count()).toBe(
      0,
    );
    await reader.close();
  });
});
