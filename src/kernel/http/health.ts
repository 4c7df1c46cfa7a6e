import { waitAtMost } from '../resources/bounded-wait.ts';
import type { Resources } from '../resources/resources.ts';
import type { HttpContext } from './http-context.ts';

/** What the process reports about itself while it starts and stops. */
export interface Health {
  ready(): void;
  draining(): void;
}

/** A database that does not answer for as long is as good as away. */
const DATABASE_PATIENCE_MS = 3000;

/**
 * `/livez`: the process answers. `/readyz`: it has started, is not stopping, and
 * its database answers; 503 otherwise, so that a proxy sends requests elsewhere.
 */
export function mountHealth(http: HttpContext, resources: Resources): Health {
  let state: 'starting' | 'ready' | 'draining' = 'starting';
  /** One question at a time, however many ask: a database that hangs must not cost a connection each. */
  let asked: Promise<boolean> | undefined;
  const ask = (): Promise<boolean> => {
    asked ??= resources.database
      .one('select 1 as ok')
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        asked = undefined;
      });
    return asked;
  };
  http.server.get('/livez', async () => ({ status: 'ok' }));
  http.server.get('/readyz', async (_request, reply) => {
    let database = false;
    const answered = ask().then((answers) => {
      database = answers;
    });
    await waitAtMost(DATABASE_PATIENCE_MS, answered);
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
