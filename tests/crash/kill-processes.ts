import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createClient } from '@supabase/supabase-js';
import { faultOfAnswer } from '../doors/door-watch.ts';
import { type Random, seeded } from '../histories/random.ts';
import { type StormServers, startStormServers } from '../storm/storm-servers.ts';
import { startSmallProxy } from '../upgrade/checking-proxy.ts';
import { sendMixedRequests } from '../upgrade/mixed-requests.ts';
import { type Acknowledged, createCustomer } from './customer.ts';
import { settleBooks } from './settle-books.ts';

/** The numbers of processes that are tried one after the other. */
const PROCESSES = [2, 4];
const CUSTOMERS = 3;
const ACTIONS_OF_A_LIFE = 20;
const BETWEEN_KILLS_MS = 20_000;
/** How long a client repeats a request that was lost with a process. */
const REPEAT_MS = 20_000;
const SAID_EVERY_MS = 500;
/** The share of the time in which processes are killed; then the books are settled. */
const KILLING_PART = 0.85;

/** What one round did and found. */
interface Round {
  readonly processes: number;
  readonly kills: number;
  readonly requests: number;
  readonly payments: number;
  readonly files: number;
  readonly heard: number;
  /** The longest that a client of the mixed requests waited, milliseconds. */
  readonly longest: number;
  readonly faults: readonly string[];
}

/**
 * Kills one of several processes behind a proxy every 20 s until `until` (epoch ms), while people sign up, pay, upload,
 * analyse and delete, sessions are refreshed, and a browser listens. Then checks that all that was acknowledged is there
 * once, and that every reply with a status from 500 on said why.
 */
async function killProcesses(count: number, until: number, random: Random): Promise<Round> {
  const faults: string[] = [];
  let servers: StormServers | undefined;
  const proxy = await startSmallProxy(
    () => servers?.ports() ?? [],
    (answer) => {
      const [, status = '', body = ''] = /: (\d{3}) (.*)/s.exec(answer) ?? [];
      if (faultOfAnswer(`HTTP/1.1 ${status}\r\n\r\n${body}`) !== undefined) faults.push(answer.slice(0, 300));
    },
  );
  try {
    servers = await startStormServers(count, random, { SITE_URL: proxy.url });
    const { anonKey, serviceKey, owner } = servers;
    while (!(await fetch(`${proxy.url}/readyz`)).ok) await pause(100);
    let busy = true;
    const books: Acknowledged[] = [];
    const lives = Array.from({ length: CUSTOMERS }, async () => {
      while (busy) {
        const person = await createCustomer(proxy.url, anonKey, random);
        books.push(person.acknowledged);
        for (let action = 0; busy && action < ACTIONS_OF_A_LIFE; action += 1)
          await person
            .act(action === 0 ? 0 : random.part())
            .catch((error: unknown) => faults.push(`a customer: ${error}`));
      }
    });
    const mixed = await sendMixedRequests({ url: proxy.url, anonKey, serviceKey }, REPEAT_MS);
    const listener = listen(proxy.url, anonKey, serviceKey);
    for (let kills = 0; kills === 0 || Date.now() < until; kills += 1) {
      const next = Date.now() + BETWEEN_KILLS_MS;
      await servers.killOne();
      await pause(Math.max(0, next - Date.now()));
      if (listener.heardSince() === 0)
        faults.push(`kill ${kills}: the browser heard nothing in the 20 s after it`);
    }
    busy = false;
    await Promise.all([...lives, listener.close()]);
    const longest = Math.round(mixed.longest());
    await mixed.finish();
    faults.push(...mixed.failures);
    faults.push(...(await settleBooks(owner, { url: proxy.url, serviceKey }, books)));
    const sum = (count: (book: Acknowledged) => number) =>
      books.reduce((total, book) => total + count(book), 0);
    return {
      ...{ processes: count, kills: servers.kills(), requests: mixed.sent(), longest, faults },
      payments: sum(({ payments }) => payments),
      files: sum(({ files, deleted }) => files.size + deleted.size),
      heard: listener.heard(),
    };
  } finally {
    await servers?.close();
    await proxy.close();
  }
}

/** A browser that listens to a channel, and a server that speaks into it. */
function listen(url: string, anonKey: string, serviceKey: string) {
  const browser = createClient(url, anonKey);
  const server = createClient(url, serviceKey);
  let [heard, since, isOver] = [0, 0, false];
  browser
    .channel('processes')
    .on('broadcast', { event: 'word' }, () => {
      heard += 1;
      since += 1;
    })
    .subscribe();
  const speaking = (async () => {
    const channel = server.channel('processes');
    while (!isOver) {
      // A process may have died with it: the next one is said anyway.
      await channel.httpSend('word', {}).catch(() => {});
      await pause(SAID_EVERY_MS);
    }
  })();
  return {
    heard: () => heard,
    /** How much was heard since the last call. */
    heardSince() {
      const before = since;
      since = 0;
      return before;
    },
    async close() {
      isOver = true;
      await speaking;
      await Promise.all([browser.removeAllChannels(), server.removeAllChannels()]);
    },
  };
}

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '8' }, seed: { type: 'string', default: '1' } },
});
const random = seeded(Number(values.seed));
const share = (Number(values.minutes) * 60_000) / PROCESSES.length;
let found = 0;
for (const count of PROCESSES) {
  const { faults, ...counts } = await killProcesses(count, Date.now() + share * KILLING_PART, random);
  console.log(JSON.stringify(counts));
  const idle = counts.payments === 0 || counts.files === 0;
  if (idle) console.log('Nobody paid or uploaded anything, so nothing was shown.');
  for (const fault of faults) console.log(`FAULT ${fault}`);
  found += faults.length + (idle ? 1 : 0);
}
console.log(found === 0 ? 'Nothing acknowledged is lost.' : `${found} faults.`);
process.exit(found === 0 ? 0 : 1);
