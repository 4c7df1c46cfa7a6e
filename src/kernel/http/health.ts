import type { Resources } from '../resources/resources.ts';
import type { Door } from './door.ts';

/** What the process says of itself while it starts and stops. */
export interface Health {
  ready(): void;
  draining(): void;
}

/**
 * `/livez`: the process answers. `/readyz`: it has started, is not stopping, and
 * its database answers; 503 otherwise, so that a proxy sends requests elsewhere.
 */
export function mountHealth(door: Door, resources: Resources): Health {
  let state: 'starting' | 'ready' | 'draining' = 'starting';
  door.server.get('/livez', async () => ({ status: 'ok' }));
  door.server.get('/readyz', async (_request, reply) => {
    const database = await resources.database.one('select 1 as ok').then(
      () => true,
      () => false,
    );
    const ready = state === 'ready' && database;
    return reply
      .code(ready ? 200 : 503)
      .headers(ready ? {} : { 'retry-after': '1' })
      .send({ status: ready ? 'ready' : database ? state : 'database unavailable' });
  });
  return {
    ready: () => {
      state = 'ready';
    },
    draining: () => {
      state = 'draining';
    },
  };
}
