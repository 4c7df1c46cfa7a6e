/// <reference lib="dom" />
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MESSAGES } from '../../src/kernel/contract/messages.ts';
import { CHROMIUM } from '../support/browser.ts';
import { expectAccessible } from '../support/customers/billing-page.ts';
import {
  becomeOperator,
  becomeUser,
  type Journey,
  type Person,
  pressSignedOut,
  startJourney,
} from '../support/journey.ts';

const document = (name: string): string => path.join(import.meta.dirname, '..', 'documents', name);

let journey: Journey;
beforeAll(async () => {
  if (CHROMIUM !== undefined) journey = await startJourney();
});
afterAll(() => journey?.close());

/** Essential: one upload a month, fifteen minutes; here with three credits left from earlier. */
async function subscribe({ id }: Person): Promise<void> {
  await journey.app.resources.database.run(
    `with customer as (
       insert into public.customers (user_id, customer_id, credits) values ($1::uuid, 'cus_' || $1::text, 3)
       on conflict (user_id) do update set customer_id = excluded.customer_id, credits = 3 returning id, customer_id),
     granted as (
       insert into public.credit_transactions (user_id, customer_row, amount, kind) select $1::uuid, id, 3, 'grant' from customer)
     insert into public.subscriptions
       (customer_id, subscription_id, price_id, tier, status, current_period_start, current_period_end)
     select customer_id, 'sub_' || $1::text, 'price_courses_essential', 'essential', 'active', now() - interval '7 days',
            now() + interval '21 days' from customer`,
    [id],
  );
}

describe.skipIf(CHROMIUM === undefined)('a course customer and the agency', () => {
  test('lessons are sent with a pause, refused when too long, put in order, watched, and answered at the console', async () => {
    const first = await journey.visit(async (page, context) => {
      await subscribe(await becomeUser(journey.app, context));
      await page.goto('/dashboard');
      await page.getByRole('link', { name: 'Course' }).click();
      await page.getByText('No lessons yet').waitFor();
      await page.getByText('Send an MP4 or WebM video, or drop it anywhere on this page.').waitFor();

      // The first part is held back until the upload has been paused.
      let held = false;
      await page.route('**/upload/resumable/*', async (route) => {
        if (route.request().method() === 'PATCH' && !held) held = true;
        else await route.continue();
      });
      const picker = page.getByLabel('Videos to send');
      await picker.setInputFiles(document('lesson.webm'));
      await expect.poll(() => held).toBe(true);
      await page.getByRole('button', { name: 'Pause lesson.webm' }).click();
      await page.getByText(/paused$/).waitFor();
      await page.getByRole('button', { name: 'Go on with lesson.webm' }).click();
      const names = page.locator('.lesson-name b');
      await expect.poll(() => names.allTextContents()).toEqual(['lesson']);
      await page.unroute('**/upload/resumable/*');
      // As if sent in the month before: the plan allows one upload a month, whatever other credits exist.
      await journey.app.resources.database.run(
        "update northline_app.course_uploads set created_at = now() - interval '8 days'",
      );

      await picker.setInputFiles(document('lesson-16-minutes.webm'));
      await page.getByText(/at most 15 minutes long/).waitFor();
      await page.getByRole('button', { name: 'Dismiss lesson-16-minutes.webm' }).click();
      await picker.setInputFiles({
        name: 'letter.txt',
        mimeType: 'text/plain',
        buffer: Buffer.from('a letter'),
      });
      await page.getByText('Lessons are MP4 or WebM videos.').waitFor();
      await page.getByRole('button', { name: 'Dismiss letter.txt' }).click();
      await picker.setInputFiles({ name: 'nothing.mp4', mimeType: 'video/mp4', buffer: Buffer.alloc(0) });
      await page.getByText('This file is empty.').waitFor();
      await page.getByRole('button', { name: 'Dismiss nothing.mp4' }).click();
      await picker.setInputFiles(document('lesson.mp4'));
      await expect.poll(() => names.count()).toBe(2);

      const row = page.locator('.lesson').first();
      await row.getByRole('button', { name: /^lesson 0:02/ }).click();
      await row.getByLabel('Title').fill('Welcome');
      await row.getByRole('button', { name: 'Save lesson' }).click();
      await expect.poll(() => names.allTextContents()).toEqual(['Welcome', 'lesson']);
      await row.getByRole('button', { name: 'Watch' }).click();
      const length = () =>
        page.locator('video').evaluate((video: HTMLVideoElement) => Math.round(video.duration));
      await expect.poll(length).toBe(2);
      await page.getByLabel('Message about Welcome').fill('Is it loud enough?');
      await page.getByRole('button', { name: 'Send message' }).click();
      await page.locator('.talk li', { hasText: 'Is it loud enough?' }).waitFor();
      await expectAccessible(page);
      await row.getByRole('button', { name: /^Welcome 0:02/ }).click();

      // By keyboard, then back by dragging.
      await page.getByRole('button', { name: 'Move lesson up' }).press('Enter');
      await expect.poll(() => names.allTextContents()).toEqual(['lesson', 'Welcome']);
      const grip = await page.locator('.lesson-grip').nth(1).boundingBox();
      const aim = await page.locator('.lesson').first().boundingBox();
      if (grip === null || aim === null) throw new Error('the lessons are not on the page');
      await page.mouse.move(grip.x + 8, grip.y + 8);
      await page.mouse.down();
      await page.mouse.move(grip.x + 8, aim.y + 12, { steps: 4 });
      await page.mouse.up();
      await expect.poll(() => names.allTextContents()).toEqual(['Welcome', 'lesson']);
      await expect
        .poll(() =>
          journey.app.resources.database.one(
            "select position from northline_app.course_lessons where title = 'Welcome'",
          ),
        )
        .toEqual({ position: 1 });

      // Adds a second course, moves a lesson into it, and renames the first one.
      await page.getByRole('button', { name: 'New course' }).click();
      await page.getByLabel('Title of the new course').fill('Barista basics');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('No lessons in this course yet').waitFor();
      const choice = page.getByRole('region', { name: 'Courses' });
      await choice.getByRole('button', { name: /^My course/ }).click();
      await choice.getByRole('button', { name: 'Rename' }).click();
      await page.getByLabel('Title of the course').fill('Coffee at home');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await choice.getByRole('button', { name: 'Move Coffee at home back' }).click();
      await expect
        .poll(() => choice.getByRole('button', { pressed: true }).textContent())
        .toContain('Coffee at home');
      await expect
        .poll(() => choice.locator('li').allTextContents())
        .toEqual([
          expect.stringContaining('Barista basics'),
          expect.stringContaining('Coffee at home'),
          'New course',
        ]);
      const other = page.locator('.lesson', { hasText: 'lesson' }).last();
      await other.getByRole('button', { name: /^lesson 0:03/ }).click();
      await other.getByLabel('Course').selectOption('Barista basics');
      await page.getByText('lesson is now in Barista basics').waitFor();
      await expect.poll(() => names.allTextContents()).toEqual(['Welcome']);
      await page.getByText('2 lessons in 2 courses').waitFor();
      await expectAccessible(page);
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await page.evaluate(() => window.document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
      return context.storageState();
    });

    await journey.visit(async (page, context) => {
      await becomeOperator(journey.app, context);
      await page.goto('/operator/courses');
      await page.getByRole('button', { name: /Welcome .*Waits for an answer/ }).click();
      await page.locator('.words').getByText('Coffee at home').waitFor();
      await page.getByText('Lesson 1 of 1').waitFor();
      await page.getByLabel('Answer', { exact: true }).fill('It is.');
      await page.getByRole('button', { name: 'Send message' }).click();
      await page.locator('.talk li', { hasText: 'It is.' }).waitFor();
      await page.locator('.lesson-words select').selectOption('published');
      await page.getByLabel(/Where it is published/).fill('https://school.example/welcome');
      await page.getByRole('button', { name: 'Save state' }).click();
      await page.getByText('The state is saved.').waitFor();
      await page.locator('.people-plan', { hasText: 'Published' }).waitFor({ state: 'detached' });
      await expectAccessible(page);
    });

    await journey.visit(
      async (page) => {
        await page.goto('/dashboard/courses');
        await page.getByRole('button', { name: /^Coffee at home/ }).click();
        const row = page.locator('.lesson', { hasText: 'Published' });
        await row.getByRole('button', { name: /^Welcome/ }).click();
        await page.getByText('It is.').waitFor();
        expect(
          await page.getByRole('link', { name: 'See it where it is published' }).getAttribute('href'),
        ).toBe('https://school.example/welcome');
        await row.getByRole('button', { name: 'Delete this lesson' }).click();
        await pressSignedOut(row.getByRole('button', { name: 'Delete', exact: true }));
        await page.getByText(MESSAGES.delete.required, { exact: true }).first().waitFor();
      },
      { storageState: first },
    );
  });
});
