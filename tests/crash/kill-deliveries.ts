import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { freePort, freshDataDir, type Product, removeDataDir, startProduct } from '../../bench/product.ts';
import { loadKeys } from '../../src/resources/crypto/keys.ts';
import { targetSecrets } from '../../src/resources/outbound-http/webhook-targets.ts';

const SETTLE_MS = 90_000;
const TARGET = 'judge';

/** What a run came to. */
export interface DeliveryOutcome {
  readonly kills: number;
  /** Enquiries that the product answered with an id. */
  readonly acknowledged: number;
  /** Of those, the ones that no event told the receiver of. */
  readonly lost: readonly string[];
  /** Requests whose signature an independent verifier refused. */
  readonly refused: number;
  /** Enquiries of which more than one `webhook-id` was seen: a repeat that cannot be told. */
  readonly doubled: readonly string[];
  /** Requests that were repeats of a known `webhook-id`. */
  readonly repeats: number;
}

/** Kills the product (SIGKILL) right after enquiries are acknowledged, `kills` times, and looks at what arrived. */
export async function killDeliveries(kills: number): Promise<DeliveryOutcome> {
  const dataDir = freshDataDir();
  const port = await freePort();
  const idsOf = new Map<string, Set<string>>();
  let refused = 0;
  let repeats = 0;
  let verifier: Webhook | undefined;
  const receiver = http.createServer(async (request, reply) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    try {
      verifier ??= await ownVerifier(dataDir);
      const headers = request.headers as Record<string, string>;
      const event = verifier.verify(Buffer.concat(chunks), headers) as { data: { id: string } };
      const ids = idsOf.get(event.data.id) ?? new Set();
      const id = headers['webhook-id'] ?? '';
      if (ids.has(id)) repeats += 1;
      idsOf.set(event.data.id, ids.add(id));
    } catch {
      refused += 1;
    }
    reply.end('noted');
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const settings = {
    AUTOMATION_URLS: `${TARGET}=http://${host}/#enquiry.created`,
    OUTBOUND_ALLOW_HOSTS: host,
  };
  const start = (): Promise<Product> => startProduct(dataDir, port, settings);
  let product = await start();
  const acknowledged: string[] = [];
  try {
    for (let kill = 0; kill < kills; kill += 1) {
      const before = acknowledged.length;
      // Until the kill cuts them off; some are acknowledged, some are not.
      const asked = Promise.allSettled(
        Array.from({ length: 3 }, () => enquire(product).then((id) => acknowledged.push(id))),
      );
      while (acknowledged.length === before) await pause(5);
      // From at once to after the next look for announced events.
      await pause(Math.random() * 2500);
      await product.kill();
      await asked;
      product = await start();
    }
    const missing = (): string[] => acknowledged.filter((id) => !idsOf.has(id));
    for (const end = Date.now() + SETTLE_MS; missing().length > 0 && Date.now() < end; ) await pause(500);
    const doubled = [...idsOf].filter(([, ids]) => ids.size > 1).map(([id]) => id);
    return { kills, acknowledged: acknowledged.length, lost: missing(), refused, doubled, repeats };
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

async function ownVerifier(dataDir: string): Promise<Webhook> {
  const target = { name: TARGET, secret_version: 1, previous_until: null };
  return new Webhook(targetSecrets(await loadKeys(dataDir), target)[0] ?? '');
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

if (process.argv[1] !== undefined && path.resolve(process.argv[1]) === import.meta.filename) {
  const { values } = parseArgs({ options: { kills: { type: 'string', default: '500' } } });
  const outcome = await killDeliveries(Number(values.kills));
  console.log(JSON.stringify(outcome));
  process.exit(outcome.lost.length + outcome.refused + outcome.doubled.length === 0 ? 0 : 1);
}
