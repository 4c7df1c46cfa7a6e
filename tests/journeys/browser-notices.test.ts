/// <reference lib="dom" />
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM } from '../support/browser.ts';
import { expectAccessible } from '../support/customers/billing-page.ts';
import { openPushBrowser } from '../support/customers/push-browser.ts';
import { becomeUser, type Journey, startJourney } from '../support/journey.ts';
import {
  type PushService,
  startPushService,
  type TestSubscription,
} from '../support/servers/push-service.ts';

let journey: Journey;
let service: PushService;
beforeAll(async () => {
  if (CHROMIUM === undefined) return;
  service = await startPushService();
  journey = await startJourney({ settings: { PUSH_ALLOW_HOSTS: service.host } });
});
afterAll(async () => {
  await journey?.close();
  await service?.close();
});

const panelOf = (page: Page) => page.getByRole('region', { name: 'Notices in your browser' });

/**
 * The browser maker's push service cannot be reached here, so the browser gets a subscription at the test's
 * own.
 */
async function subscribeHere(context: BrowserContext): Promise<TestSubscription> {
  const subscription = service.subscribe(journey.app.resources.push.publicKey());
  const { endpoint, keys } = subscription;
  await context.addInitScript(
    (given) => {
      PushManager.prototype.subscribe = async () => ({ toJSON: () => given }) as unknown as PushSubscription;
    },
    { endpoint, keys },
  );
  return subscription;
}

/** Delivers to the browser what the test service received for it, as the maker's service would. */
async function deliverer(page: Page): Promise<(notice: object) => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  let registrationId: string | undefined;
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    registrationId = registrations.find(({ isDeleted }) => !isDeleted)?.registrationId ?? registrationId;
  });
  await session.send('ServiceWorker.enable');
  return async (notice) => {
    await expect.poll(() => registrationId).toBeDefined();
    await session.send('ServiceWorker.deliverPushMessage', {
      origin: journey.app.url,
      registrationId: registrationId ?? '',
      data: JSON.stringify(notice),
    });
  };
}

/** Records what the worker asks the browser to show, because a browser without a screen shows it nowhere. */
async function watchWorker(context: BrowserContext): Promise<() => Promise<unknown>> {
  await expect.poll(() => context.serviceWorkers().length).toBe(1);
  const [worker] = context.serviceWorkers();
  await worker?.evaluate(() => {
    const scope = self as unknown as { registration: ServiceWorkerRegistration; shown: object[] };
    const show = scope.registration.showNotification.bind(scope.registration);
    scope.shown = [];
    scope.registration.showNotification = (title, options) => {
      scope.shown.push({ title, ...options });
      return show(title, options);
    };
  });
  return () => worker?.evaluate(() => (self as unknown as { shown: object[] }).shown) ?? Promise.resolve();
}

const NOTICE = { title: 'Your document is ready', body: 'Ready to read: lease.pdf.', path: '/dashboard' };

describe.skipIf(CHROMIUM === undefined)('notices in Chromium', () => {
  test('are switched on in the account, shown when a document is ready, paused, and switched off', async () => {
    await journey.visit(async (page, context) => {
      const { app } = journey;
      await context.grantPermissions(['notifications'], { origin: app.url });
      const person = await becomeUser(app, context);
      await openPushBrowser(app, service, person.id);
      const subscription = await subscribeHere(context);
      await page.goto('/dashboard/account#browser-notices');
      const deliver = await deliverer(page);
      const panel = panelOf(page);
      const box = panel.getByRole('checkbox');
      await box.click();
      await expect.poll(() => box.isChecked()).toBe(true);
      await panel.getByText('Another program').waitFor();
      await expectAccessible(page);
      await page.setViewportSize({ width: 320, height: 640 });
      await expectAccessible(page);

      await app.resources.database.transaction((queries) =>
        app.resources.push.send(queries, person.id, NOTICE),
      );
      await expect.poll(() => subscription.received.length).toBe(1);
      const [received] = subscription.received;
      const shown = await watchWorker(context);
      await deliver(received ?? {});
      const { path, ...words } = NOTICE;
      const notice = { ...words, data: path, tag: received?.id, icon: '/touch-icon.png' };
      await expect.poll(shown).toEqual([notice]);
      expect(await page.evaluate(() => caches.keys())).toEqual([]);

      await app.resources.database.run(
        'update private.push_subscriptions set paused_at = now() where endpoint = $1',
        [subscription.endpoint],
      );
      await page.reload();
      await panel.getByText('They are paused, as they did not arrive. Switch them on again.').waitFor();
      await box.click();
      await expect.poll(() => box.isChecked()).toBe(true);
      await panel.getByRole('button', { name: 'Switch off the notices of Another program' }).click();
      await expect.poll(() => panel.getByRole('listitem').count()).toBe(0);
      await box.click();
      await expect.poll(() => box.isChecked()).toBe(false);
      const left = await app.resources.database.one(
        'select count(*)::int as browsers from private.push_subscriptions where user_id = $1',
        [person.id],
      );
      expect(left.browsers).toBe(0);
      const installed = () =>
        page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);
      await expect.poll(installed).toBe(0);
    });
  });

  test('that are blocked or unavailable are described as such', async () => {
    await journey.visit(async (page, context) => {
      await becomeUser(journey.app, context);
      await page.goto('/dashboard/account#browser-notices');
      await panelOf(page).getByRole('checkbox').click();
      await panelOf(page)
        .getByText('This browser blocks notices of this site. Allow them in its settings.')
        .waitFor();
      await expectAccessible(page);
    });
    await journey.visit(async (page, context) => {
      await becomeUser(journey.app, context);
      await context.addInitScript(() => {
        Reflect.deleteProperty(window, 'PushManager');
      });
      await page.goto('/dashboard/account#browser-notices');
      await panelOf(page).getByText('This browser cannot show notices of a site.').waitFor();
    });
  });
});
