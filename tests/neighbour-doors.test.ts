import { expect, onTestFinished, test } from 'vitest';
import { tellCrowd } from '../bench/neighbours/crowd-replies.ts';
import { DOORS, LIGHT_ROUTES } from '../bench/neighbours/door-list.ts';
import { startTestApp } from './support/test-app.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

test('every route has a heaviest request in the bench of neighbours, or a reason why it needs none', async () => {
  const app = await startTestApp();
  onTestFinished(() => app.close());
  const routes = [...new Set(app.routes)].filter((route) => METHODS.includes(route.split(' ')[0] ?? ''));
  expect(routes.length).toBeGreaterThan(300);
  const named = [
    ...DOORS.flatMap(({ routes: own }) => own ?? []),
    ...LIGHT_ROUTES.map(({ routes: own }) => own),
  ];
  expect(routes.filter((route) => !named.some((own) => own.test(route)))).toEqual([]);
  expect(named.filter((own) => !routes.some((route) => own.test(route)))).toEqual([]);
});

test('groups of routes have their own names and say which replies did the work', () => {
  expect(new Set(DOORS.map(({ name }) => name)).size).toBe(DOORS.length);
  expect(DOORS.filter(({ done }) => done.length === 0)).toEqual([]);
  for (const who of ['anonymous', 'customer', 'operator'])
    expect(DOORS.filter((door) => door.who === who).length).toBeGreaterThan(5);
});

test('a group whose requests are refused was not measured', () => {
  const door = { done: [200, 409] };
  expect(tellCrowd(door, { 200: 60, 409: 35, 429: 5 })).toEqual({ measured: true, told: '100 requests' });
  expect(tellCrowd(door, { 200: 80, 400: 20 }).measured).toBe(false);
  expect(tellCrowd(door, { 413: 403, EPIPE: 390 }).measured).toBe(false);
  expect(tellCrowd(door, {})).toEqual({ measured: false, told: 'not measured: {}' });
});
