import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Figure, residentBytes, shown } from '../support/figure.ts';
import type { Product } from '../support/product.ts';
import type { ReceivedStream, SoakNews } from './soak-peers.ts';
import { askVoice, endedCall } from './support/browser-call.ts';

const CALLS = 4;
const SAMPLE_MS = 5000;
const MB = 1024 * 1024;
/** The first part of the time only fills caches and warms up code. */
const WARMING_SHARE = 0.2;
/** Memory is the minimum of this many samples in a row, so that garbage not yet collected does not count. */
const SAMPLES_OF_ONE = 6;

interface MemorySample {
  readonly minute: number;
  readonly mb: number;
  readonly recogniserMb: number;
}

interface Created {
  readonly id: string;
  readonly webCallUrl: string;
}

/**
 * Four simultaneous calls for some minutes, a fifth attempt beside them, and the effect on frames and memory.
 */
export async function measureSoak(product: Product, minutes: number): Promise<Figure[]> {
  const calls = await Promise.all(Array.from({ length: CALLS }, () => create(product)));
  const peers = fork(path.join(import.meta.dirname, 'soak-peers.ts'), [
    JSON.stringify(calls.map(({ webCallUrl }) => webCallUrl)),
    JSON.stringify(minutes * 60),
  ]);
  const memory: MemorySample[] = [];
  try {
    await news(peers, 'connected');
    const fifth = await askVoice<{ message?: unknown }>(
      product,
      'POST',
      '/call/web',
      await assistant(product),
    );
    const began = performance.now();
    const sampling = setInterval(() => {
      void familyBytes(product.process.pid ?? 0).then(({ server, recogniser }) =>
        memory.push({
          minute: (performance.now() - began) / 60_000,
          mb: (server + recogniser) / MB,
          recogniserMb: recogniser / MB,
        }),
      );
    }, SAMPLE_MS);
    const { streams } = await news(peers, 'over').finally(() => clearInterval(sampling));
    const records = await Promise.all(calls.map(({ id }) => endedCall(product, id)));
    const media = records.map(({ artifact }) => artifact?.media ?? {});
    return [
      lateFigure(media),
      receivedFigure(streams),
      memoryFigure(memory, minutes),
      {
        name: `The fifth of ${CALLS + 1} calls`,
        measured: String(fifth.status),
        against: JSON.stringify(fifth.body),
        aim: '429 with a clear sentence',
        met: fifth.status === 429,
      },
    ];
  } finally {
    peers.kill();
  }
}

async function assistant(product: Product): Promise<object> {
  const reply = await fetch(`${product.url}/config.json`);
  return { assistantId: ((await reply.json()) as { voiceAssistantId: string }).voiceAssistantId };
}

async function create(product: Product): Promise<Created> {
  const { status, body } = await askVoice<Created>(product, 'POST', '/call/web', await assistant(product));
  if (status !== 201) throw new Error(`No call: ${status} ${JSON.stringify(body)}`);
  return body;
}

function news<Kind extends SoakNews['kind']>(
  peers: ChildProcess,
  kind: Kind,
): Promise<Extract<SoakNews, { kind: Kind }>> {
  return new Promise((resolve, reject) => {
    peers.on('message', (told: SoakNews) => {
      if (told.kind === kind) resolve(told as Extract<SoakNews, { kind: Kind }>);
    });
    peers.once('exit', (code) => reject(new Error(`The callers ended with ${code}.`)));
  });
}

function lateFigure(media: readonly Readonly<Record<string, number>>[]): Figure {
  const sum = (part: string): number => media.reduce((total, one) => total + (one[part] ?? 0), 0);
  const share = (100 * sum('framesLate')) / Math.max(1, sum('packetsSent'));
  return {
    name: 'Frames that left late (over 40 ms)',
    measured: shown(share, '%'),
    against: `${sum('packetsSent').toLocaleString('en-GB')} frames of ${CALLS} calls; callers in a process of their own`,
    aim: 'at most 1 %',
    met: share <= 1 && sum('packetsSent') > 0,
  };
}

function receivedFigure(streams: readonly ReceivedStream[]): Figure {
  const sum = (part: keyof ReceivedStream): number => streams.reduce((total, one) => total + one[part], 0);
  const share = (100 * (sum('late') + sum('lost'))) / Math.max(1, sum('packets') + sum('lost'));
  return {
    name: 'Frames that came late or never',
    measured: shown(share, '%'),
    against: `${sum('late')} late, ${sum('lost')} lost; ${sum('answers')} spoken questions answered`,
    aim: 'under 2 %',
    met: share < 2 && sum('answers') > 0,
  };
}

function memoryFigure(samples: readonly MemorySample[], minutes: number): Figure {
  const settled = samples.filter(({ minute }) => minute >= minutes * WARMING_SHARE);
  const least: MemorySample[] = [];
  for (let at = 0; at + SAMPLES_OF_ONE <= settled.length; at += SAMPLES_OF_ONE)
    least.push(settled.slice(at, at + SAMPLES_OF_ONE).reduce((best, one) => (one.mb < best.mb ? one : best)));
  const slope = slopeOf(least.length < 2 ? settled : least);
  const last = settled.at(-1);
  return {
    name: 'Memory of the server and its engines',
    measured: `${slope >= 0 ? '+' : ''}${slope.toFixed(2)} MB/min`,
    against: `${shown(settled[0]?.mb ?? Number.NaN, 'MB')} at minute ${(settled[0]?.minute ?? 0).toFixed(1)}, ${shown(last?.mb ?? Number.NaN, 'MB')} at the end, ${shown(last?.recogniserMb ?? Number.NaN, 'MB')} of it the recogniser's`,
    aim: minutes < 5 ? 'printed (too short to tell)' : 'under 1 MB a minute',
    met: minutes < 5 || slope < 1,
  };
}

/** Slope in megabytes a minute, by least squares. */
function slopeOf(samples: readonly MemorySample[]): number {
  const mean = (of: (sample: MemorySample) => number): number =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const minute = mean((sample) => sample.minute);
  const mb = mean((sample) => sample.mb);
  const across = samples.reduce((sum, sample) => sum + (sample.minute - minute) * (sample.mb - mb), 0);
  return across / samples.reduce((sum, sample) => sum + (sample.minute - minute) ** 2, 0);
}

/** Resident memory of the server and of the recogniser that it started, without the database's processes. */
async function familyBytes(pid: number): Promise<{ server: number; recogniser: number }> {
  let recogniser = 0;
  for (const child of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const status = readFileSync(`/proc/${child}/status`, 'utf8');
      const ours =
        /^PPid:\s+(\d+)/m.exec(status)?.[1] === String(pid) && /^Name:\s+(node|MainThread)/m.test(status);
      if (ours) recogniser += await residentBytes(Number(child));
    } catch {
      // The process has ended in the meantime.
    }
  }
  return { server: await residentBytes(pid), recogniser };
}
