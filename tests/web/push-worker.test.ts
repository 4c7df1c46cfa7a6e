import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { PAGES } from '../../src/kernel/contract/routes.ts';

const SITE = 'https://northline.example';
/** The script as built and served. */
const SCRIPT = readFileSync(
  path.join(import.meta.dirname, '..', '..', 'dist', 'client', 'push-worker.js'),
  'utf8',
);

type Handler = (event: object) => void;

/**
 * Sends an event to the worker like a browser with these pages open; returns what the worker did, once it is
 * done.
 */
async function give(name: string, event: object, open: readonly string[] = []): Promise<object[]> {
  const did: object[] = [];
  const works: Promise<unknown>[] = [];
  const handlers = new Map<string, Handler>();
  const page = (url: string) => ({ url, focus: async () => did.push({ focused: url }) });
  const self = {
    registration: {
      showNotification: async (title: string, look: object) => did.push({ title, ...look }),
    },
    clients: {
      matchAll: async () => open.map(page),
      openWindow: async (address: string) => did.push({ opened: address }),
    },
  };
  runInNewContext(SCRIPT, {
    self,
    URL,
    location: { origin: SITE },
    addEventListener: (of: string, handler: Handler) => handlers.set(of, handler),
  });
  handlers.get(name)?.({ ...event, waitUntil: (work: Promise<unknown>) => works.push(work) });
  // A browser ends a worker that has not asked for more time.
  expect(works).toHaveLength(1);
  await Promise.all(works);
  return did;
}

test('the worker shows each notice from a push service once', async () => {
  const notice = { id: 'n1', title: 'A message', body: 'Open it.', path: '/dashboard/messages' };
  expect(await give('push', { data: { json: () => notice } })).toEqual([
    {
      title: 'A message',
      body: 'Open it.',
      tag: 'n1',
      data: '/dashboard/messages',
      icon: '/touch-icon.png',
    },
  ]);
});

test('a click closes the notice and focuses its page, opens it if it is not open, and never another site’s', async () => {
  const click = async (data: string, ...open: string[]) => {
    let closed = 0;
    const close = () => {
      closed += 1;
    };
    const did = await give('notificationclick', { notification: { data, close } }, open);
    expect(closed).toBe(1);
    return did;
  };
  // The content of the notice about a message (src/business/messages).
  const thread = PAGES.messages.path;
  const messages = `${SITE}${thread}`;
  expect(await click(thread, `${SITE}/dashboard`, messages)).toEqual([{ focused: messages }]);
  expect(await click(thread, `${SITE}/dashboard`)).toEqual([{ opened: messages }]);
  for (const foreign of ['https://other.example/x', '//other.example/x', 'javascript:alert(1)'])
    expect(await click(foreign, 'https://other.example/x')).toEqual([{ opened: SITE }]);
});
