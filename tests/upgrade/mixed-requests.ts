import { setTimeout as pause } from 'node:timers/promises';
import { createClient } from '@supabase/supabase-js';

/** Number of simultaneous requests. */
const AT_ONCE = 12;
const BUCKET = 'rolling';
/** Pause between two attempts of one request. */
const REPEAT_MS = 200;

/** Where to send requests, and the keys of that installation. */
export interface Target {
  readonly url: string;
  readonly anonKey: string;
  readonly serviceKey: string;
}

/** A steady stream of requests of all kinds. */
export interface MixedRequests {
  readonly sent: () => number;
  /** Requests without a reply, or with another one than expected. */
  readonly failures: readonly string[];
  /** The longest time for a reply since the last call, milliseconds. */
  longest(): number;
  /** Ends the stream, and compares what was acknowledged with what exists. */
  finish(): Promise<void>;
}

/** One worker: its session, and the files acknowledged to it. */
interface Worker {
  readonly number: number;
  access: string;
  refresh: string;
  readonly files: string[];
}

interface Ask {
  readonly path: string;
  readonly init?: RequestInit;
  readonly took?: (body: string) => void;
}

/**
 * Starts the stream against `target`; first creates its people and its bucket.
 *
 * @param repeatMs how long a request is repeated that a dying process lost, as clients do; 0: never
 */
export async function sendMixedRequests(target: Target, repeatMs = 0): Promise<MixedRequests> {
  const admin = createClient(target.url, target.serviceKey, { auth: { persistSession: false } });
  const made = await admin.storage.createBucket(BUCKET, { public: false });
  if (made.error !== null) throw made.error;
  const workers = await Promise.all(Array.from({ length: AT_ONCE }, (_, number) => signUp(target, number)));
  const failures: string[] = [];
  let sent = 0;
  let longest = 0;
  let stopped = false;
  const work = workers.map(async (worker) => {
    for (let round = worker.number; !stopped; round += 1) {
      const { path, init, took } = nextRequest(target, worker, round);
      const startedAt = performance.now();
      sent += 1;
      for (;;) {
        const failure = await ask(target.url + path, init, took);
        if (failure === undefined) break;
        if (failure.isLost && performance.now() - startedAt < repeatMs) {
          await pause(REPEAT_MS);
          continue;
        }
        failures.push(`${init?.method ?? 'GET'} ${path} ${failure.what}`);
        break;
      }
      longest = Math.max(longest, performance.now() - startedAt);
    }
  });
  return {
    sent: () => sent,
    failures,
    longest() {
      const before = longest;
      longest = 0;
      return before;
    },
    async finish() {
      stopped = true;
      await Promise.all(work);
      for (const { number, files } of workers) {
        const { data } = await admin.storage.from(BUCKET).list(String(number), { limit: 100_000 });
        const there = (data ?? []).map(({ name }) => `${number}/${name}`).sort();
        if (there.join() !== files.toSorted().join())
          failures.push(
            `worker ${number}: ${files.length} files were acknowledged, ${there.length} are there`,
          );
      }
    },
  };
}

/** What went wrong with one request; `isLost` when there was no reply, or the proxy sent it. */
async function ask(
  url: string,
  init: RequestInit | undefined,
  took: Ask['took'],
): Promise<{ readonly what: string; readonly isLost: boolean } | undefined> {
  try {
    const reply = await fetch(url, init);
    const body = await reply.text();
    // An upload whose reply was lost exists already.
    if (reply.status === 200 || body.includes('"Duplicate"')) return void took?.(body);
    return { what: `${reply.status} ${body.slice(0, 200)}`, isLost: [502, 503, 504].includes(reply.status) };
  } catch (error) {
    return { what: String((error as Error).cause ?? error), isLost: true };
  }
}

async function signUp(target: Target, number: number): Promise<Worker> {
  const reply = await fetch(`${target.url}/auth/v1/signup`, {
    method: 'POST',
    headers: { apikey: target.anonKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      email: `rolling-${number}@customers.example`,
      password: 'quiet harbour lantern 42',
    }),
  });
  const session = (await reply.json()) as { access_token: string; refresh_token: string };
  if (!reply.ok) throw new Error(`sign-up: ${reply.status}`);
  return { number, access: session.access_token, refresh: session.refresh_token, files: [] };
}

/** Pages, rows, accounts, refreshed sessions, uploads and downloads in turn. */
function nextRequest({ anonKey, serviceKey }: Target, worker: Worker, round: number): Ask {
  const asVisitor = { headers: { apikey: anonKey } };
  const name = `${worker.number}/${round}.txt`;
  const asks: (() => Ask)[] = [
    () => ({ path: '/' }),
    () => ({ path: '/rest/v1/news_posts?select=id,title&limit=3', init: asVisitor }),
    () => ({
      path: '/auth/v1/user',
      init: { headers: { apikey: anonKey, authorization: `Bearer ${worker.access}` } },
    }),
    () => ({ path: '/functions/v1/enquiry-challenge', init: asVisitor }),
    () => ({
      path: '/auth/v1/token?grant_type=refresh_token',
      init: {
        method: 'POST',
        headers: { apikey: anonKey, 'content-type': 'application/json' },
        body: JSON.stringify({ refresh_token: worker.refresh }),
      },
      took: (body) => {
        const session = JSON.parse(body) as { access_token: string; refresh_token: string };
        worker.access = session.access_token;
        worker.refresh = session.refresh_token;
      },
    }),
    () => ({
      path: `/storage/v1/object/${BUCKET}/${name}`,
      init: {
        method: 'POST',
        headers: { apikey: serviceKey, authorization: `Bearer ${serviceKey}`, 'content-type': 'text/plain' },
        body: `file ${name}`,
      },
      took: () => void worker.files.push(name),
    }),
    () => ({
      path: `/storage/v1/object/${BUCKET}/${worker.files.at(-1) ?? 'none'}`,
      init: { headers: { apikey: serviceKey, authorization: `Bearer ${serviceKey}` } },
    }),
  ];
  // The first file has to exist before one is read.
  const at = round % asks.length;
  return (asks[at === 6 && worker.files.length === 0 ? 0 : at] ?? (() => ({ path: '/' })))();
}
