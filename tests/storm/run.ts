import path from 'node:path';
import { parseArgs } from 'node:util';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import { PASSWORD } from '../support/auth-client.ts';
import { openTabs } from './browser-tabs.ts';
import { type EndedSession, endOneSession, insist, stillIn } from './end-sessions.ts';
import { type StormServers, startStormServers } from './storm-servers.ts';

const PROCESSES = 2;
/** A process dies in so many rounds of ten. */
const KILLS_OF_TEN = 4;

/** What a storm did and found. */
export interface StormOutcome {
  readonly rounds: number;
  readonly kills: number;
  /** Refreshes that a server answered. */
  readonly refreshes: number;
  /** Sessions that were ended on the way, and asked again at the end. */
  readonly ended: number;
  readonly faults: readonly string[];
}

/**
 * Many tabs with one stored session refresh it at the same moment, again and again, while
 * processes are killed: nobody may be signed out who should not be, and no ended session lets anybody in.
 */
export async function storm({ tabs, rounds }: { tabs: number; rounds: number }): Promise<StormOutcome> {
  const servers = await startStormServers(PROCESSES);
  const faults: string[] = [];
  const ended: EndedSession[] = [];
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
    for (let round = 0; round < rounds; round += 1) {
      // The ten seconds in which parallel tabs count as one are over: only this round's are parallel.
      await servers.owner.query(
        "update auth.sessions set refreshed_at = refreshed_at - interval '11 seconds'",
      );
      browser.expire();
      if (Math.random() * 10 < KILLS_OF_TEN)
        killing = Promise.all([killing, killSoon(servers)]).then(() => {});
      const ending = endOneSession(round, connect, servers);
      await Promise.all(browser.tabs.map((tab) => tab.auth.getSession()));
      for (const tab of browser.tabs) {
        const { data } = await insist(() => tab.auth.getUser()).catch((error) => ({
          data: { user: undefined, error: String(error) },
        }));
        if (data.user?.id !== userId) faults.push(`round ${round}: a tab is out: ${JSON.stringify(data)}`);
      }
      if (browser.signedOut() > 0)
        faults.push(`round ${round}: ${browser.signedOut()} tabs heard SIGNED_OUT`);
      ended.push(await ending);
      const left = await stillIn(ended.at(-1) as EndedSession, connect, servers);
      if (left !== undefined) faults.push(`round ${round}: in by the ${left}`);
      if (faults.length > 20) break;
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

async function killSoon(servers: StormServers): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 150));
  await servers.killOne();
}

/** What a proxy does: each request goes to a process that lives; one that dies under it is a network error. */
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

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === import.meta.filename) {
  const { values } = parseArgs({
    options: { tabs: { type: 'string', default: '20' }, rounds: { type: 'string', default: '200' } },
  });
  const { faults, ...counts } = await storm({ tabs: Number(values.tabs), rounds: Number(values.rounds) });
  console.log(JSON.stringify(counts));
  for (const fault of faults) console.log(`FAULT ${fault}`);
  console.log(
    faults.length === 0
      ? 'Nobody is out who should be in, nobody in who should be out.'
      : `${faults.length} faults.`,
  );
  process.exit(faults.length === 0 ? 0 : 1);
}
