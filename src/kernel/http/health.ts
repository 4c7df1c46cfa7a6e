import { statfs } from 'node:fs/promises';
import { waitAtMost } from '../resources/bounded-wait.ts';
import type { Resources } from '../resources/resources.ts';
import type { HttpContext } from './http-context.ts';

/** What the process reports about itself while it starts and stops. */
export interface Health {
  ready(): void;
  draining(): void;
}

/** A database or store that takes longer than this to answer counts as unavailable. */
const PATIENCE_MS = 3000;
/** How long an answer of the file store is reused, because each check over the network costs a request. */
const FILES_ASKED_MS = 10_000;
/** The id of no object, so a store answers without sending any bytes. */
const NO_OBJECT = '00000000-0000-4000-8000-000000000000';
const BYTES_OF_MB = 1024 * 1024;

/**
 * `/livez`: the process answers. `/readyz`: the process has started, is not stopping, its database answers
 * and its disk has enough free space (DISK_MIN_FREE_MB); otherwise 503, so that a proxy sends requests
 * elsewhere. `files` says whether the file store answers. It does not change the status, because everything
 * else works without that store.
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

/** Free and total bytes of the file system that holds a folder; undefined where the system cannot say. */
export async function diskSpace(folder: string): Promise<{ free: number; size: number } | undefined> {
  const space = await statfs(folder).catch(() => undefined);
  return space && { free: space.bavail * space.bsize, size: space.blocks * space.bsize };
}

async function hasDiskRoom(folder: string, leastMb: number): Promise<boolean> {
  const space = leastMb === 0 ? undefined : await diskSpace(folder);
  return space === undefined || space.free >= leastMb * BYTES_OF_MB;
}

/**
 * Runs one check at a time, however many callers ask, so that a check that hangs does not cost a connection
 * each. The answer is reused for `keepMs`.
 */
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
