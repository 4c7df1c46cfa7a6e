// The service worker: it shows a notice that a push service delivers, and opens its page. It stores nothing
// and does not handle requests of pages, so what a page loads never depends on it.
import type { ShownNotice } from '../push-devices.contract.ts';

interface Later extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface PushEvent extends Later {
  readonly data: { json(): ShownNotice };
}
interface NoticeEvent extends Later {
  readonly notification: Notification;
}
interface OpenPage {
  readonly url: string;
  focus(): Promise<unknown>;
}
/** What a worker has that a page does not. */
interface WorkerScope {
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: true }): Promise<readonly OpenPage[]>;
    openWindow(address: string): Promise<unknown>;
  };
}
const scope = self as unknown as WorkerScope;

addEventListener('push', (given) => {
  const event = given as PushEvent;
  const { id, title, body, path } = event.data.json();
  const look = { body, tag: id, data: path, icon: '/touch-icon.png' };
  event.waitUntil(scope.registration.showNotification(title, look));
});

addEventListener('notificationclick', (given) => {
  const event = given as NoticeEvent;
  event.notification.close();
  event.waitUntil(show(new URL(String(event.notification.data), location.origin)));
});

/** Focuses its page if it is open, else opens a new one; never a page of another site. */
async function show(page: URL): Promise<unknown> {
  const address = page.origin === location.origin ? page.href : location.origin;
  const pages = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const there = pages.find(({ url }) => url === address);
  return there?.focus() ?? scope.clients.openWindow(address);
}
