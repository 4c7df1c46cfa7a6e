import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../tests/support/test-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

test('a started process is alive and ready, at the address that it names', async () => {
  const answers = await Promise.all(['/livez', '/readyz'].map((path) => fetch(app.url + path)));
  expect(answers.map((answer) => answer.status)).toEqual([200, 200]);
  expect(new URL(app.url).port).not.toBe('0');
});

test('each test app has its own database and its own keys', async () => {
  const other = await startTestApp();
  try {
    expect(other.anonKey).not.toBe(app.anonKey);
    const names = await Promise.all(
      [app, other].map(({ resources }) => resources.database.one('select current_database() as name')),
    );
    expect(new Set(names.map(({ name }) => name)).size).toBe(2);
  } finally {
    await other.close();
  }
});
