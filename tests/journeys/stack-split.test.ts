import { AxeBuilder } from '@axe-core/playwright';
import { createClient } from '@supabase/supabase-js';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makePost } from '../../packages/document-reader/src/report/make-stack.fixture.ts';
import { analysisPath } from '../../src/kernel/contract/routes.ts';
import { CHROMIUM } from '../support/browser.ts';
import { claims } from '../support/claims.ts';
import { analyze, type Customer, reportOf, settled, upload } from '../support/customers/analysis-customer.ts';
import { becomeUser, type Journey, startJourney } from '../support/journey.ts';

let journey: Journey;

beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

describe.skipIf(CHROMIUM === undefined)('a stack of twelve pages', () => {
  test('its split into papers is corrected by mouse, by finger and by keyboard, and the papers are read anew', async () => {
    claims(
      'The documents are being read again.',
      'This file was read as one document.',
      'You can move pages to other documents.',
    );
    await journey.visit(
      async (page, context) => {
        const customer = await newOwner(context);
        const { file, begins } = await makePost();
        const id = await upload(customer, 'post.pdf', file);
        await analyze(journey.app, customer.token, id);
        await settled(journey.app, id);
        await page.goto(analysisPath(id));
        const editor = page.getByRole('region', { name: 'Where each document begins' });
        await editor.getByRole('button', { name: 'Correct the split' }).press('Enter');
        await editor.getByRole('button', { name: 'Leave it' }).waitFor();
        const said = () => editor.locator('.split-head .meta').allTextContents();
        const heads = async () => (await said()).map((text) => Number(/\d+/.exec(text)?.[0]));
        const sheet = (number: number) => editor.locator(`[data-sheet="${number}"]`);
        await sheet(1).getByRole('img', { name: 'Page 1' }).waitFor();
        await expect.poll(() => sheet(1).locator('canvas').getAttribute('data-drawn')).toBe('');

        // By keyboard alone: all are joined, and the lease ends before page 3.
        for (const join of await editor.getByRole('button', { name: /^Join with the previous/ }).all())
          expect(await join.isVisible()).toBe(true);
        while ((await heads()).length > 1)
          await editor
            .getByRole('button', { name: /^Join with the previous/ })
            .first()
            .press('Enter');
        await editor.getByRole('button', { name: 'Split here, before page 3' }).press('Enter');
        await editor.getByRole('button', { name: 'Split here, before page 5' }).press(' ');
        expect(await heads()).toEqual([1, 3, 5]);
        await expectClean(page);
        await expectFits(page);

        // The border before page 5 is dragged to page 4, with a mouse.
        await drag(page, editor.locator('[data-border="5"] h3'), sheet(4), 'left');
        await expect.poll(heads).toEqual([1, 3, 4]);
        // The pages from 10 on are split off, and page 9 is dragged to them with a mouse.
        await editor.getByRole('button', { name: 'Split here, before page 10' }).press('Enter');
        await drag(page, sheet(9), editor.locator('[data-group="10"] h3'), 'left');
        await expect.poll(heads).toEqual([1, 3, 4, 9]);
        await editor.getByRole('button', { name: 'Split here, before page 11' }).press('Enter');
        await expect.poll(heads).toEqual([1, 3, 4, 9, 11]);
        // Page 10 is dragged to the pages after it, with a finger.
        await dragByFinger(page, sheet(10).locator('.split-grip'), editor.locator('[data-group="11"] h3'));
        await expect.poll(heads).toEqual([...begins]);
        // The reader found the same borders, so one more makes it a correction.
        await editor.getByRole('button', { name: 'Split here, before page 2' }).press('Enter');
        const corrected = [1, 2, ...begins.slice(1)];
        await expect.poll(heads).toEqual(corrected);

        await editor.getByRole('button', { name: 'Save and read again' }).press('Enter');
        await editor
          .getByText('You said where they begin, and every further analysis follows that.')
          .waitFor();
        await page.getByRole('region', { name: /^Documents in this file/ }).waitFor();
        const { report } = await reportOf(journey.app, id);
        expect(report.parts?.map(({ pages }) => pages?.from)).toEqual(corrected);

        await editor.getByRole('button', { name: 'Correct the split' }).click();
        await editor.getByRole('button', { name: 'Find the documents automatically' }).click();
        await editor.getByText('You said where they begin').waitFor({ state: 'detached' });
      },
      // As high as both places of a drag.
      { hasTouch: true, viewport: { width: 1280, height: 1600 } },
    );
  });
});

async function drag(page: Page, from: Locator, to: Locator, half: 'left' | 'right'): Promise<void> {
  const [start, end] = await bothMiddles(from, to);
  await page.mouse.move(start.x, start.y);
  await page.mouse.down();
  await page.mouse.move((start.x + end.x) / 2, (start.y + end.y) / 2);
  await page.mouse.move(end.x + (half === 'left' ? -end.width : end.width) / 4, end.y);
  await page.mouse.up();
}

/** Drags as a finger on a screen does. */
async function dragByFinger(page: Page, from: Locator, to: Locator): Promise<void> {
  const [start, end] = await bothMiddles(from, to);
  const session = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', points: { x: number; y: number }[]) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints: points });
  await touch('touchStart', [{ x: start.x, y: start.y }]);
  for (const share of [0.2, 0.5, 0.8, 1])
    await touch('touchMove', [
      { x: start.x + (end.x - start.x) * share, y: start.y + (end.y - start.y) * share },
    ]);
  await touch('touchEnd', []);
}

/** Where both are once both are in view: scrolling to one moves the other. */
async function bothMiddles(from: Locator, to: Locator): Promise<[Middle, Middle]> {
  await from.first().scrollIntoViewIfNeeded();
  await to.first().scrollIntoViewIfNeeded();
  return [await middleOf(from), await middleOf(to)];
}

interface Middle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

async function middleOf(place: Locator): Promise<Middle> {
  const box = await place.first().boundingBox();
  if (box === null) throw new Error('it is not on the page');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2, width: box.width };
}

/** A customer with credits, signed in in their own browser profile. */
async function newOwner(context: BrowserContext): Promise<Customer> {
  const { id, token } = await becomeUser(journey.app, context);
  await journey.app.resources.database.run(
    `insert into public.customers (user_id, credits) values ($1, 20)
         on conflict (user_id) do update set credits = 20`,
    [id],
  );
  const client = createClient(journey.app.url, journey.app.anonKey, { accessToken: async () => token });
  return { id, token, client };
}

async function expectClean(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.target}`)).toEqual([]);
}

/** Nothing is wider than the window, on a phone and on a large screen. */
async function expectFits(page: Page): Promise<void> {
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 1000 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    if (process.env.PICTURES !== undefined)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page
          .locator('.stack-split')
          .screenshot({ path: `${process.env.PICTURES}/split-${width}-${colorScheme}.png` });
      }
  }
}
