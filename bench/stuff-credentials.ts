import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { SERVICES } from '../src/kernel/contract/routes.ts';

/** The attack of docs/security-attacks.md (attack 18): this many pairs from this many addresses. */
const PAIRS = 10_000;
const ADDRESSES = 1000;
const AT_ONCE = 64;
/** An attacker that was refused tries the same pair again after this time. */
const AGAIN_MS = 250;

const [port, key = '', round = '0'] = process.argv.slice(2);
const agent = new http.Agent({ keepAlive: true, maxSockets: AT_ONCE });
let begun = 0;
let tried = 0;
process.on('SIGTERM', () => {
  process.stdout.write(String(tried), () => process.exit(0));
});
await Promise.all(Array.from({ length: AT_ONCE }, guess));
process.stdout.write(String(tried), () => process.exit(0));

async function guess(): Promise<void> {
  while (begun < PAIRS) {
    const at = begun % ADDRESSES;
    begun += 1;
    const email = `victim-${randomUUID()}@people.example`;
    const address = `198.${18 + Number(round)}.${at >> 8}.${at & 255}`;
    while ((await send(email, address)) >= 429) await pause(AGAIN_MS);
    tried += 1;
  }
}

function send(email: string, address: string): Promise<number> {
  const body = JSON.stringify({ email, password: 'a guess from a list' });
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        agent,
        host: '127.0.0.1',
        port,
        method: 'POST',
        path: `${SERVICES.auth}/token?grant_type=password`,
        headers: {
          apikey: key,
          'content-type': 'application/json',
          'x-forwarded-for': address,
          'content-length': Buffer.byteLength(body),
        },
      },
      (reply) => reply.resume().on('end', () => resolve(reply.statusCode ?? 0)),
    );
    request.on('error', reject).end(body);
  });
}
