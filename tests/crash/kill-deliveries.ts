import { createHmac, timingSafeEqual } from 'node:crypto';
import http, { type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { freshDataDir, type Product, removeDataDir, startProduct } from '../../bench/support/product.ts';
import { loadKeys } from '../../src/kernel/resources/crypto/keys.ts';
import { targetSecrets } from '../../src/kernel/resources/outbound-http/webhook-targets.ts';
import { type Random, seeded } from '../histories/random.ts';

const SETTLE_MS = 90_000;
const TARGET = 'judge';
const SLOWEST_ANSWER_MS = 400;
const TOLERANCE_SECONDS = 300;

/** The result of a run. */
interface DeliveryOutcome {
  readonly kills: number;
  /** Kills while an acknowledged, and so committed, event had not yet arrived. */
  readonly between: number;
  /** Enquiries to which the product replied with an id. */
  readonly acknowledged: number;
  /** Those of them for which the receiver got no event. */
  readonly lost: readonly string[];
  /** Requests whose signature an independent verifier refused. */
  readonly refused: number;
  /**
   * Enquiries that arrived under more than one `webhook-id`, so that a receiver cannot recognise the
   * repetition.
   */
  readonly doubled: readonly string[];
  /** Requests that repeated a known `webhook-id`. */
  readonly repeats: number;
}

/**
 * Kills the product (SIGKILL) until `until` (epoch ms), at least once between the commit of an event and its
 * delivery, and checks what arrived. The receiver verifies signatures with its own code.
 */
async function killDeliveries(until: number, random: Random): Promise<DeliveryOutcome> {
  const dataDir = freshDataDir();
  const idsOf = new Map<string, Set<string>>();
  let refused = 0;
  let repeats = 0;
  let secret: Buffer | undefined;
  const receiver = http.createServer(async (request, reply) => {
    const body = await request.toArray().then(Buffer.concat, () => undefined);
    // The kill interrupted the request: nothing was received.
    if (body === undefined) return;
    try {
      secret ??= await targetSecret(dataDir);
      const id = verify(secret, request.headers, body);
      const event = JSON.parse(body.toString('utf8')) as { data: { id: string } };
      const ids = idsOf.get(event.data.id) ?? new Set();
      if (ids.has(id)) repeats += 1;
      idsOf.set(event.data.id, ids.add(id));
    } catch {
      refused += 1;
    }
    // Kills at this point are between the delivery and its record, and cause repetitions.
    await pause(random.part() * SLOWEST_ANSWER_MS);
    reply.end('noted');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const settings = {
    AUTOMATION_URLS: `${TARGET}=http://${host}/#enquiry.created`,
    OUTBOUND_ALLOW_HOSTS: host,
  };
  const start = (port: number): Promise<Product> => startProduct(dataDir, port, settings);
  let product = await start(0);
  const { port } = product;
  const acknowledged: string[] = [];
  const missing = (): string[] => acknowledged.filter((id) => !idsOf.has(id));
  let between = 0;
  let done = 0;
  try {
    for (; between === 0 || Date.now() < until; done += 1) {
      const before = acknowledged.length;
      // Sent until the kill interrupts them; some are acknowledged and some are not.
      const asked = Promise.allSettled(
        Array.from({ length: 3 }, () => enquire(product).then((id) => acknowledged.push(id))),
      );
      while (acknowledged.length === before) await pause(5);
      // Between no delay and the next check for announced events.
      await pause(random.part() * 1500);
      const waited = acknowledged.slice(before).some((id) => !idsOf.has(id));
      await product.kill();
      if (waited) between += 1;
      if (done % 25 === 24)
        process.stderr.write(`${between} of ${done + 1} kills in between, ${missing().length} on the way\n`);
      await asked;
      product = await start(port);
    }
    for (const end = Date.now() + SETTLE_MS; missing().length > 0 && Date.now() < end; ) await pause(500);
    const doubled = [...idsOf].filter(([, ids]) => ids.size > 1).map(([id]) => id);
    return {
      kills: done,
      between,
      acknowledged: acknowledged.length,
      lost: missing(),
      refused,
      doubled,
      repeats,
    };
  } finally {
    await product.stop();
    receiver.closeAllConnections();
    receiver.close();
    removeDataDir(dataDir);
  }
}

async function enquire(product: Product): Promise<string> {
  const answer = await fetch(`${product.url}/functions/v1/enquiry`, {
    method: 'POST',
    headers: { apikey: product.anonKey, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Ada', email: 'ada@example.com', enquiry_type: 'App Builder' }),
  });
  return ((await answer.json()) as { id: string }).id;
}

/** The signing bytes of the `whsec_…` that the operator is shown. */
async function targetSecret(dataDir: string): Promise<Buffer> {
  const target = { name: TARGET, secret_version: 1, previous_until: null };
  const [shown = ''] = targetSecrets(await loadKeys(dataDir), target);
  return Buffer.from(shown.replace(/^whsec_/, ''), 'base64');
}

/**
 * Standard Webhooks 1.0, implemented from its text and not with the library that signs.
 *
 * @returns the webhook-id
 * @throws Error for a missing, old or wrong signature
 */
function verify(secret: Buffer, headers: IncomingHttpHeaders, body: Buffer): string {
  const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    String(headers[name] ?? ''),
  );
  if (Math.abs(Date.now() / 1000 - Number(time)) > TOLERANCE_SECONDS) throw new Error('too old');
  const wanted = createHmac('sha256', secret).update(`${id}.${time}.`).update(body).digest();
  const good = (signatures ?? '').split(' ').some((entry) => {
    const [version, value = ''] = entry.split(',');
    const given = Buffer.from(value, 'base64');
    return version === 'v1' && given.length === wanted.length && timingSafeEqual(given, wanted);
  });
  if (!good || headers['idempotency-key'] !== id) throw new Error('not signed by the target');
  return id ?? '';
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '5' }, seed: { type: 'string', default: '1' } },
});
const outcome = await killDeliveries(
  Date.now() + Number(values.minutes) * 60_000,
  seeded(Number(values.seed)),
);
console.log(JSON.stringify(outcome));
const { acknowledged, between, lost, refused, doubled } = outcome;
process.exit(lost.length + refused + doubled.length === 0 && acknowledged >= between ? 0 : 1);
