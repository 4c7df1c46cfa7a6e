import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../tests/support/test-app.ts';
import { createJobs, type JobPolicy } from './jobs.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

/**
 * A queue of its own with one kind of job; a job whose id begins with `slow` waits until the test releases
 * it.
 */
async function startKind(kind: string, limits: Pick<JobPolicy, 'concurrency' | 'perGroup'>) {
  const { database, log } = app.resources;
  const jobs = createJobs(database, false, { log });
  const begun: string[] = [];
  const ended: string[] = [];
  const { promise: letGo, resolve: release } = Promise.withResolvers<void>();
  const policy = { retries: 0, retryDelaySeconds: 1, timeoutSeconds: 600, ...limits };
  jobs.define<{ id: string }>(kind, policy, async ({ data: { id } }) => {
    begun.push(id);
    if (id.startsWith('slow')) await letGo;
    ended.push(id);
  });
  await jobs.start();
  onTestFinished(async () => {
    release();
    await jobs.rest(60);
    await jobs.stop();
  });
  const add = (id: string, group: string, priority = 0): Promise<void> =>
    jobs.add(database, kind, { id }, { key: id, group, priority });
  return { begun, ended, release, add };
}

test('one job of a group runs at a time, and jobs of other groups overtake those that wait for it', async () => {
  const { begun, ended, release, add } = await startKind('test-groups', { concurrency: 2, perGroup: 1 });
  await add('slow', 'a');
  await expect.poll(() => begun).toEqual(['slow']);
  await add('second', 'a');
  // The other worker is free: it works on another group's jobs, and not on the second job of the first group.
  for (const id of ['other-1', 'other-2', 'other-3']) {
    await add(id, 'b');
    await expect.poll(() => ended).toContain(id);
  }
  expect(begun).toEqual(['slow', 'other-1', 'other-2', 'other-3']);
  release();
  await expect.poll(() => ended).toContain('second');
});

test('of the waiting jobs the one with the higher priority runs first', async () => {
  const { begun, ended, release, add } = await startKind('test-priority', { concurrency: 1 });
  await add('slow', 'a');
  await expect.poll(() => begun).toEqual(['slow']);
  await add('book', 'b');
  await add('page', 'c', 2);
  release();
  await expect.poll(() => ended).toEqual(['slow', 'page', 'book']);
});
