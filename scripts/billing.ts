import http from 'node:http';
import path from 'node:path';
import { readSettings, type Settings } from '../src/config/settings.ts';
import { formatPence } from '../src/contract/formats.ts';
import type { ExplainedBalance } from '../src/features/billing/explain-balance.server.ts';
import type { SyncedPrice } from '../src/features/billing/sync-prices.server.ts';
import { loadKeys } from '../src/resources/crypto/keys.ts';

/** Where a server that listens on every address can be reached from this machine. */
const WILDCARDS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

const USAGE = `npm run billing -- reconcile                       compares every customer with the provider, repairs, prints the drift
npm run billing -- sync                            makes the provider's products and prices those of the catalogue
npm run billing -- explain CUSTOMER                every entry that a balance is made of (email, user id or cus_…)
npm run billing -- correct CUSTOMER ±N REASON      gives or takes credits
npm run billing -- override CUSTOMER PLAN BY REASON [UNTIL]   a plan for the analysis payload, until an ISO date
npm run billing -- end-override CUSTOMER BY        ends it`;

// The running server does the work, as only it holds the embedded database and provider.
try {
  const settings = readSettings(process.env, path.join(import.meta.dirname, '..'));
  process.stdout.write(`${await run(settings, process.argv.slice(2))}\n`);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

async function run(settings: Settings, words: readonly string[]): Promise<string> {
  const [command = '', customer = '', ...rest] = words;
  const operate = (body: object) =>
    askServer(settings, '/functions/v1/operate-billing', { command, ...body });
  if (command === 'reconcile')
    return showDrift(await askServer(settings, '/functions/v1/reconcile-billing', undefined));
  if (command === 'sync') return showPrices(await operate({}));
  if (customer === '') throw new Error(`Say what to do: npm run billing -- …\n\n${USAGE}`);
  if (command === 'explain') return showBalance(await operate({ customer }));
  if (command === 'correct') {
    const [amount = '', ...reason] = rest;
    return showBalance(await operate({ customer, amount: Number(amount), reason: reason.join(' ') }));
  }
  if (command === 'override') {
    const [plan = '', by = '', reason = '', until] = rest;
    const end = until === undefined ? null : new Date(until).toISOString();
    return JSON.stringify(await operate({ customer, plan, by, reason, until: end }));
  }
  if (command === 'end-override') return JSON.stringify(await operate({ customer, by: rest[0] ?? '' }));
  throw new Error(`There is no command ${command}.\n\n${USAGE}`);
}

function showDrift(answer: unknown): string {
  const outcome = answer as Record<string, number>;
  const { subscriptions = 0, grants = 0, refunds = 0, balances = 0, failed = 0 } = outcome;
  process.exitCode = balances + failed > 0 ? 1 : 0;
  const lines = Object.entries(outcome).map(([name, count]) => `${name}: ${count}`);
  return [...lines, `drift: ${subscriptions + grants + refunds + balances}`].join('\n');
}

function showPrices(answer: unknown): string {
  const { prices, events } = answer as { prices: SyncedPrice[]; events: string[] };
  const lines = prices.map(
    (row) =>
      `${row.price_id}  ${formatPence(row.amount_pence)}  ${row.provider_price}  price ${row.price}, product ${row.product}`,
  );
  return [...lines, '', 'Events that the webhook endpoint needs:', ...events].join('\n');
}

function showBalance(answer: unknown): string {
  const { customer, credits, explained, entries } = answer as ExplainedBalance;
  const lines = entries.map((entry) => {
    const amount = `${entry.amount > 0 ? '+' : ''}${entry.amount}`.padStart(6);
    const what = [
      entry.kind,
      entry.description,
      entry.source,
      entry.state === 'settled' ? null : entry.state,
    ];
    const open = entry.remaining ? `, ${entry.remaining} left` : '';
    return `${String(entry.at)}  ${amount}  = ${String(entry.balance).padStart(5)}  ${what.filter(Boolean).join(' · ')}${open}`;
  });
  if (!explained) process.exitCode = 1;
  return [
    ...lines,
    `${customer}: ${credits} credits, ${explained ? 'explained' : 'NOT EXPLAINED by the ledger'}`,
  ].join('\n');
}

/** Not `fetch`, which gives up after five minutes: thousands of customers may take longer. */
async function askServer(settings: Settings, route: string, body: object | undefined): Promise<unknown> {
  const { HOST, PORT, DATA_DIR } = settings;
  const { service_role_key: key } = await loadKeys(DATA_DIR);
  const text = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${key}`,
    ...(text === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const answer = await new Promise<string>((resolve, reject) => {
    const target = { host: WILDCARDS[HOST] ?? HOST, port: PORT, path: route };
    const request = http.request({ ...target, method: 'POST', headers }, async (reply) => {
      const said = (await reply.toArray()).join('');
      if (reply.statusCode === 200) resolve(said);
      else reject(new Error(`The server answered ${reply.statusCode}: ${said}`));
    });
    request.on('error', (error) =>
      reject(new Error(`No server runs at ${HOST}:${PORT} (${error.message}): start it, then ask again.`)),
    );
    request.end(text);
  });
  return JSON.parse(answer) as unknown;
}
