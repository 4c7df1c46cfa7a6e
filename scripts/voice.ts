import path from 'node:path';
import { readSettings } from '../src/config/settings.ts';
import { loadKeys } from '../src/resources/crypto/keys.ts';

/** Where a server that listens on every address can be reached from this machine. */
const WILDCARDS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '[::1]' };
const SAY_WHAT = 'Say what to do: npm run voice -- verify-evidence [call id]';

interface Outcome {
  readonly calls: number;
  readonly entries: number;
  readonly faults: readonly string[];
}

// `npm run voice -- verify-evidence`: checks the chain of every call's evidence, or of one call.
// The running server does the work, as only it holds the embedded database.
try {
  const [command, callId] = process.argv.slice(2);
  if (command !== 'verify-evidence') throw new Error(SAY_WHAT);
  const settings = readSettings(process.env, path.join(import.meta.dirname, '..'));
  const { voice_private_key: key } = await loadKeys(settings.DATA_DIR);
  const query = callId === undefined ? '' : `?callId=${encodeURIComponent(callId)}`;
  const address = `http://${WILDCARDS[settings.HOST] ?? settings.HOST}:${settings.PORT}/voice/v1/evidence${query}`;
  const reply = await fetch(address, { headers: { authorization: `Bearer ${key}` } }).catch(
    (error: Error) => {
      throw new Error(
        `No server runs at ${settings.HOST}:${settings.PORT} (${error.message}): start it, then ask again.`,
      );
    },
  );
  if (!reply.ok) throw new Error(`The server answered ${reply.status}: ${await reply.text()}`);
  const { calls, entries, faults } = (await reply.json()) as Outcome;
  for (const fault of faults) process.stdout.write(`${fault}\n`);
  process.stdout.write(`calls: ${calls}\nentries: ${entries}\nfaults: ${faults.length}\n`);
  process.exitCode = faults.length > 0 ? 1 : 0;
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
