import { statfs } from 'node:fs/promises';
import { waitAtMost } from '../resources/bounded-wait.ts';
import type { Resources } from '../resources/resources.ts';
import type { HttpContext } from './http-context.ts';

/** What the process reports about itself while it starts and stops. */
export interface Health {
  ready(): void;
  draining(): void;
}

/** A database or a store that does not answer for as long is as good as away. */
const PATIENCE_MS = 3000;
/** How long an answer of the store of files counts: on the network each question costs a request. */
const FILES_ASKED_MS = 10_000;
/** No object has this id, so that a store answers without sending anything. */
const NO_OBJECT = '00000000-0000-4000-8000-000000000000';
const BYTES_OF_MB = 1024 * 1024;

/**
 * `/livez`: the process answers. `/readyz`: it has started, is not stopping, its database answers and
 * its disk has room (DISK_MIN_FREE_MB); 503 otherwise, so that a proxy sends requests elsewhere. `files`
 * says whether the store of files answers: everything else works without it, so it changes no status.
 */
export function mountHealth(http: HttpContext, resources: Resources): Health {
  let state: 'starting' | 'ready' | 'draining' = 'starting';
  const { database, objects, settings } = resources;
  const askDatabase = oneAtATime(() => database.one('select 1 as ok').then(isTrue, isFalse));
  const askFiles = oneAtATime(() => objects.read(NO_OBJECT).then(isTrue, isFalse), FILES_ASKED_MS);
  http.server.get('/livez', async () => ({ status: 'ok' }));
  http.server.get('/readyz', async (_request, reply) => {
    const [hasDatabase, hasRoom, hasFiles] = await Promise.all([
      atMost(askDatabase()),
      hasDiskRoom(settings.DATA_DIR, settings.DISK_MIN_FREE_MB),
      atMost(askFiles()),
    ]);
    const fault = !hasDatabase ? 'database unavailable' : hasRoom ? undefined : 'disk full';
    const ready = state === 'ready' && fault === undefined;
    return reply
      .code(ready ? 200 : 503)
      .headers(ready ? {} : { 'retry-after': '1' })
      .send({ status: fault ?? state, files: hasFiles ? 'available' : 'unavailable' });
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

/** Free bytes for the product in the file system of a folder, and all of them; undefined where nobody can say. */
export async function diskSpace(folder: string): Promise<{ free: number; size: number } | undefined> {
  const space = await statfs(folder).catch(() => undefined);
  return space && { free: space.bavail * space.bsize, size: space.blocks * space.bsize };
}

async function hasDiskRoom(folder: string, leastMb: number): Promise<boolean> {
  const space = leastMb === 0 ? undefined : await diskSpace(folder);
  return space === undefined || space.free >= leastMb * BYTES_OF_MB;
}

/** One question at a time, however many ask: what hangs must not cost a connection each. Its answer counts for `keepMs`. */
function oneAtATime(question: () => Promise<boolean>, keepMs = 0): () => Promise<boolean> {
  let asked: Promise<boolean> | undefined;
  let until = 0;
  return () => {
    if (asked !== undefined && Date.now() <= until) return asked;
    until = Number.POSITIVE_INFINITY;
    const mine = question().finally(() => {
      until = Date.now() + keepMs;
      if (keepMs === 0) asked = undefined;
    });
    asked = mine;
    return mine;
  };
}

async function atMost(question: Promise<boolean>): Promise<boolean> {
  let answer = false;
  await waitAtMost(
    PATIENCE_MS,
    question.then((given) => {
      answer = given;
    }),
  );
  return answer;
}

const isTrue = (): boolean => true;
const isFalse = (): boolean => false;
