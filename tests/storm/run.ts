import { parseArgs } from 'node:util';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { type Random, seeded } from '../histories/random.ts';
import { PASSWORD } from '../support/customers/auth-client.ts';
import { openTabs } from './browser-tabs.ts';
import { type EndedSession, endOneSession, insist, stillIn } from './end-sessions.ts';
import { type StormServers, startStormServers } from './storm-servers.ts';

const PROCESSES = 2;
/** In this many of ten rounds a process is killed. */
const KILLS_OF_TEN = 4;
/** Further faults say nothing new. */
const MOST_FAULTS = 20;

/** What a storm did and found. */
interface StormOutcome {
  readonly rounds: number;
  readonly kills: number;
  /** Refreshes that a server answered. */
  readonly refreshes: number;
  /** Sessions that were ended on the way and checked again at the end. */
  readonly ended: number;
  readonly faults: readonly string[];
}

/**
 * Many tabs with one stored session refresh it at the same moment, again and again, while processes are
 * killed, until `until` (epoch ms). Nobody may be signed out without a reason, and no ended session may be
 * accepted.
 */
async function storm(tabs: number, until: number, random: Random): Promise<StormOutcome> {
  const servers = await startStormServers(PROCESSES, random);
  const faults: string[] = [];
  const ended: EndedSession[] = [];
  let rounds = 0;
  try {
    const { fetch, refreshes } = reachingLiving(servers);
    const connect = (key: string): SupabaseClient =>
      createClient('http://storm.example', key, {
        auth: { persistSession: false, autoRefreshToken: false, storageKey: crypto.randomUUID() },
        global: { fetch },
      });
    const browser = openTabs(tabs, servers.anonKey, fetch);
    const [first] = browser.tabs;
    const email = `storm-${crypto.randomUUID()}@customers.example`;
    await insist(async () => first?.auth.signUp({ email, password: PASSWORD }) ?? { error: null });
    const userId = (await first?.auth.getUser())?.data.user?.id;
    let killing = Promise.resolve();
    for (; (rounds === 0 || Date.now() < until) && faults.length <= MOST_FAULTS; rounds += 1) {
      // The ten seconds in which parallel tabs count as one are over, so only this round's refreshes are
      // parallel.
      await servers.owner.query(
        "update auth.sessions set refreshed_at = refreshed_at - interval '11 seconds'",
      );
      browser.expire();
      if (random.part() * 10 < KILLS_OF_TEN)
        killing = Promise.all([killing, killSoon(servers, random)]).then(() => {});
      const ending = endOneSession(rounds, connect, servers);
      const found = await tabsThatAreOut(browser, userId);
      const session = await ending;
      ended.push(session);
      const left = await stillIn(session, connect, servers);
      if (left !== undefined) found.push(`in by the ${left}`);
      faults.push(...found.map((fault) => `round ${rounds}: ${fault}`));
    }
    await killing;
    for (const session of ended) {
      const left = await stillIn(session, connect, servers);
      if (left !== undefined) faults.push(`at the end: in by the ${left}`);
    }
    return { rounds, kills: servers.kills(), refreshes: refreshes(), ended: ended.length, faults };
  } finally {
    await servers.close();
  }
}

/** Every tab refreshes at once, and its session is checked. */
async function tabsThatAreOut(
  browser: ReturnType<typeof openTabs>,
  userId: string | undefined,
): Promise<string[]> {
  const faults: string[] = [];
  await Promise.all(browser.tabs.map((tab) => tab.auth.getSession()));
  for (const tab of browser.tabs) {
    const { data } = await insist(() => tab.auth.getUser()).catch((error) => ({
      data: { user: undefined, error: String(error) },
    }));
    if (data.user?.id !== userId) faults.push(`a tab is out: ${JSON.stringify(data)}`);
  }
  if (browser.signedOut() > 0) faults.push(`${browser.signedOut()} tabs heard SIGNED_OUT`);
  return faults;
}

async function killSoon(servers: StormServers, random: Random): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, random.part() * 150));
  await servers.killOne();
}

/** Acts like a proxy: each request goes to a running process; if that dies, it is a network error. */
function reachingLiving(servers: StormServers): { fetch: typeof fetch; refreshes: () => number } {
  let turn = 0;
  let refreshes = 0;
  return {
    refreshes: () => refreshes,
    async fetch(input, init) {
      const { pathname, search } = new URL(String(input));
      const living = servers.living();
      const product = living[turn % living.length];
      turn += 1;
      if (product === undefined) throw new TypeError('no process lives');
      const reply = await fetch(product.url + pathname + search, init);
      if (search.includes('grant_type=refresh_token')) refreshes += 1;
      return reply;
    },
  };
}

const { values } = parseArgs({
  options: {
    tabs: { type: 'string', default: '12' },
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
  },
});
const until = Date.now() + Number(values.minutes) * 60_000;
const { faults, ...counts } = await storm(Number(values.tabs), until, seeded(Number(values.seed)));
console.log(JSON.stringify(counts));
for (const fault of faults) console.log(`FAULT ${fault}`);
const idle = counts.refreshes < counts.rounds;
if (idle) console.log('The tabs did not refresh in each round, so nothing was shown.');
console.log(
  faults.length === 0
    ? 'Nobody is out who should be in, nobody in who should be out.'
    : `${faults.length} faults.`,
);
process.exit(faults.length === 0 && !idle ? 0 : 1);
