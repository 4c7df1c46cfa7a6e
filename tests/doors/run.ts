import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createClient } from '@supabase/supabase-js';
import {
  freePort,
  freshDataDir,
  type Product,
  removeDataDir,
  startProduct,
} from '../../bench/support/product.ts';
import { LEAST_ROLES } from '../../src/business/console/operator-roles.contract.ts';
import type { Keys } from '../../src/kernel/resources/crypto/keys.ts';
import { type Random, seeded } from '../histories/random.ts';
import { enterRoom } from '../support/voice/meeting-visit.ts';
import { voiceApi } from '../support/voice/voice-calls.ts';
import { type DoorPorts, deliverInput } from './deliver-input.ts';
import { DELIVERIES, type DoorInput, printInput, readInput } from './door-input.ts';
import { faultOfAnswer, rememberInputs, watchPauses } from './door-watch.ts';
import {
  type Credentials,
  type Described,
  describedRequests,
  functionRequests,
  httpInput,
  KNOWN_REQUESTS,
  type SeedRequest,
} from './http-inputs.ts';
import { mediaInput, sipInput, websocketInput } from './socket-inputs.ts';

/** Inputs that once found a fault; each run begins with them. */
const KEPT = path.join(import.meta.dirname, 'kept');
/** Where a run leaves what it found. */
const FOUND = path.join(import.meta.dirname, '..', '..', '.cache', 'doors');
const AT_ONCE = 8;
const REMEMBERED = 64;

interface Fault {
  readonly what: string;
  readonly inputs: readonly DoorInput[];
}

interface Doors {
  readonly product: Product;
  readonly ports: DoorPorts;
  readonly seeds: readonly SeedRequest[];
  readonly credentials: Credentials;
  readonly sockets: readonly string[];
}

/** Opens every door: a person with a session, the descriptions of the services, and a room with a media port. */
async function openDoors(product: Product, sip: number): Promise<Doors> {
  const keys = JSON.parse(readFileSync(path.join(product.dataDir, 'keys.json'), 'utf8')) as Keys;
  const client = createClient(product.url, product.anonKey, { auth: { persistSession: false } });
  const { data } = await client.auth.signUp({
    email: 'fuzz@customers.example',
    password: 'a long pass phrase 7',
  });
  const credentials = {
    anon: product.anonKey,
    user: data.session?.access_token ?? '',
    service: product.serviceKey,
    voice: keys.voice_private_key,
  };
  const describe = async (at: string, headers: Record<string, string> = {}): Promise<Described> =>
    (await (await fetch(`${product.url}${at}`, { headers })).json()) as Described;
  const rest = { apikey: product.serviceKey, authorization: `Bearer ${product.serviceKey}` };
  const page = readFileSync(path.join(import.meta.dirname, '..', '..', 'docs', 'platform.md'), 'utf8');
  const functions = [...page.matchAll(/^\| `([a-z-]+)` \| (?:GET|POST) \|/gm)].map(([, name = '']) => name);
  const ofConsole = Object.keys(LEAST_ROLES).map((name) => `operator-${name}`);
  const seeds = [
    ...KNOWN_REQUESTS,
    ...functionRequests([...functions, ...ofConsole]),
    ...describedRequests(await describe('/voice/v1/openapi.json'), '/voice/v1').map((seed) => ({
      ...seed,
      path: seed.path.replace('/voice/v1/voice/v1', '/voice/v1'),
    })),
    ...describedRequests(await describe('/rest/v1/', rest), '/rest/v1'),
  ];
  const sockets = [
    `/realtime/v1/websocket?apikey=${product.anonKey}&vsn=1.0.0`,
    `/realtime/v1/websocket?apikey=${product.anonKey}&vsn=2.0.0`,
    '/voice/v1/connection-test/socket',
    '/voice/v1/monitor/x/listen',
    '//',
    '/anything',
  ];
  const media = await mediaPort(product, keys).catch(() => undefined);
  return { product, ports: { http: product.port, sip, media }, seeds, credentials, sockets };
}

/** The port at which a room of the product takes media; the person in it stays until the product ends. */
async function mediaPort(product: Product, keys: Keys): Promise<number | undefined> {
  const app = { url: product.url, resources: { keys } };
  const { url } = (await voiceApi(app, 'POST', '/rooms', {})).body;
  const visit = await enterRoom(app, url);
  const sdp = (visit as unknown as { sdp?: string }).sdp ?? '';
  return Number(/a=candidate:\S+ \d+ udp \d+ \S+ (\d+)/i.exec(sdp)?.[1]) || undefined;
}

function nextInput({ seeds, credentials, sockets }: Doors, random: Random): DoorInput {
  const delivery = random.pick(DELIVERIES);
  const kind = random.part();
  if (kind < 0.7) return { ...httpInput(seeds, credentials, random), delivery };
  if (kind < 0.82) return { ...websocketInput(sockets, random), delivery };
  if (kind < 0.92) return { ...sipInput(random.chance(0.7) ? 'sip-udp' : 'sip-tcp', random), delivery };
  return { ...mediaInput(random), delivery };
}

/** Sends inputs until `until` (epoch ms) has passed or something was found. */
async function fuzz(until: number, random: Random, kept: readonly DoorInput[]) {
  const dataDir = freshDataDir();
  const sip = await freePort();
  const product = await startProduct(dataDir, 0, {
    SIP_LISTEN: `udp://127.0.0.1:${sip}, tcp://127.0.0.1:${sip}`,
    VOICE_MAX_CALLS: '2',
  });
  const log: string[] = [];
  product.process.stderr?.on('data', (chunk) => log.push(...String(chunk).split('\n')));
  const faults: Fault[] = [];
  const last = rememberInputs(REMEMBERED);
  let ended = false;
  product.process.once('exit', (code) => {
    ended = true;
    faults.push({ what: `the process ended with ${code}`, inputs: last.all() });
  });
  const answers: Record<string, number> = {};
  let sent = 0;
  const doors = await openDoors(product, sip);
  const isOver = (): boolean => ended || Date.now() > until;
  const waiting = [...kept];
  const sender = async (): Promise<void> => {
    while (!isOver()) {
      const input = waiting.shift() ?? nextInput(doors, random);
      last.add(input);
      sent += 1;
      const answer = await deliverInput(input, doors.ports);
      const kind = `${input.door} ${/^\S+ (\d{3})/.exec(answer)?.[1] ?? 'silent'}`;
      answers[kind] = (answers[kind] ?? 0) + 1;
      const fault = faultOfAnswer(answer);
      if (fault !== undefined) faults.push({ what: fault, inputs: [input] });
    }
  };
  await Promise.all([
    ...Array.from({ length: AT_ONCE }, sender),
    watchPauses(product.url, product.process.pid ?? 0, isOver, (ms) =>
      faults.push({ what: `the main thread worked ${ms} ms at a stretch`, inputs: last.all() }),
    ),
  ]);
  for (const line of log)
    if (/unhandled|uncaught|internal error|"level":60/i.test(line))
      faults.push({ what: line.slice(0, 400), inputs: [] });
  const found = [...faults];
  if (!ended) await product.stop();
  removeDataDir(dataDir);
  return { sent, answers, media: doors.ports.media !== undefined, faults: found };
}

function readKept(): DoorInput[] {
  if (!existsSync(KEPT)) return [];
  return readdirSync(KEPT).flatMap((name) =>
    readFileSync(path.join(KEPT, name), 'utf8').trim().split('\n').map(readInput),
  );
}

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '2' }, seed: { type: 'string', default: '1' } },
});
const until = Date.now() + Number(values.minutes) * 60_000;
const { sent, answers, media, faults } = await fuzz(until, seeded(Number(values.seed)), readKept());
console.log(JSON.stringify({ sent, media, answers, faults: faults.length }));
const kinds = new Map(faults.map((fault) => [fault.what.replace(/\d+/g, 'n').slice(0, 120), fault]));
mkdirSync(FOUND, { recursive: true });
for (const [at, { what, inputs }] of [...kinds.values()].entries()) {
  const file = path.join(FOUND, `${values.seed}-${at}.jsonl`);
  writeFileSync(file, `${inputs.map(printInput).join('\n')}\n`);
  console.log(`FAULT ${what}\n  inputs: ${file}; move it to tests/doors/kept once the fault is mended`);
}
console.log(faults.length === 0 ? 'Every door held.' : `${faults.length} faults of ${kinds.size} kinds.`);
process.exit(faults.length === 0 ? 0 : 1);
