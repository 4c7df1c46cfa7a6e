import http from 'node:http';
import path from 'node:path';
import { readSettings, type Settings } from '../src/config/settings.ts';
import { loadKeys } from '../src/resources/crypto/keys.ts';

/** Where a server that listens on every address can be reached from this machine. */
const WILDCARDS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

// `npm run billing -- reconcile`: compares every customer with the provider, repairs, prints the drift.
// The running server does the work, as only it holds the embedded database and provider.
try {
  const [command] = process.argv.slice(2);
  if (command !== 'reconcile') throw new Error('Say what to do: npm run billing -- reconcile');
  const settings = readSettings(process.env, path.join(import.meta.dirname, '..'));
  const { service_role_key: key } = await loadKeys(settings.DATA_DIR);
  const outcome = JSON.parse(await askServer(settings, key)) as Record<string, number>;
  for (const [name, count] of Object.entries(outcome)) process.stdout.write(`${name}: ${count}\n`);
  const { subscriptions = 0, grants = 0, balances = 0, failed = 0 } = outcome;
  process.stdout.write(`drift: ${subscriptions + grants + balances}\n`);
  process.exitCode = balances + failed > 0 ? 1 : 0;
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}

/** Not `fetch`, which gives up after five minutes: thousands of customers may take longer. */
function askServer({ HOST, PORT }: Settings, key: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    const target = { host: WILDCARDS[HOST] ?? HOST, port: PORT, path: '/functions/v1/reconcile-billing' };
    const request = http.request({ ...target, method: 'POST', headers }, async (reply) => {
      const body = (await reply.toArray()).join('');
      if (reply.statusCode === 200) resolve(body);
      else reject(new Error(`The server answered ${reply.statusCode}: ${body}`));
    });
    request.on('error', (error) =>
      reject(new Error(`No server runs at ${HOST}:${PORT} (${error.message}): start it, then ask again.`)),
    );
    request.end();
  });
}
