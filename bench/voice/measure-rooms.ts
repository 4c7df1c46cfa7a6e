import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Figure, median, shown } from '../support/figure.ts';
import type { Product } from '../support/product.ts';
import type { RoomNews, RoomTask } from './room-peers.ts';

const PEOPLE = 4;
const SECONDS = 20;
/** Clock ticks of /proc in a second (`getconf CLK_TCK`). */
const TICKS = 100;

/** Four people in a room, each with a 640×360 picture and a voice: the delay of forwarding, and its cost. */
export async function measureRooms(product: Product): Promise<Figure[]> {
  const keys = JSON.parse(readFileSync(path.join(product.dataDir, 'keys.json'), 'utf8')) as {
    voice_private_key: string;
  };
  const reply = await fetch(`${product.url}/voice/v1/rooms`, {
    method: 'POST',
    headers: { authorization: `Bearer ${keys.voice_private_key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ properties: { max_participants: PEOPLE } }),
  });
  const { url } = (await reply.json()) as { url: string };
  const task: RoomTask = { url, people: PEOPLE, seconds: SECONDS };
  const peers = fork(path.join(import.meta.dirname, 'room-peers.ts'), [JSON.stringify(task)]);
  try {
    await news(peers, 'inside');
    const before = cpuSeconds(product.process.pid ?? 0);
    const began = performance.now();
    const { delays, lost, sent, heard } = await news(peers, 'over');
    const cores = (cpuSeconds(product.process.pid ?? 0) - before) / ((performance.now() - began) / 1000);
    const sorted = [...delays].sort((one, other) => one - other);
    const late = sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN;
    const middle = median(delays);
    return [
      {
        name: `Forwarding delay of pictures, ${PEOPLE} people`,
        measured: shown(middle, 'ms'),
        against: `95 % within ${shown(late, 'ms')}; ${delays.length.toLocaleString('en-GB')} packets of frames; people in a process of their own`,
        aim: 'median at most 20 ms',
        met: middle <= 20,
      },
      {
        name: 'Packets of pictures that never came',
        measured: shown((100 * lost) / Math.max(1, sent * (PEOPLE - 1)), '%'),
        against: `${lost} of ${(sent * (PEOPLE - 1)).toLocaleString('en-GB')}; ${heard} of ${PEOPLE * (PEOPLE - 1)} voices heard`,
        aim: 'under 1 %, every voice heard',
        met: lost * 100 < sent * (PEOPLE - 1) && heard === PEOPLE * (PEOPLE - 1),
      },
      {
        name: 'CPU of the server for them',
        measured: shown(cores, 'cores'),
        against: '',
        aim: 'printed',
        met: true,
      },
    ];
  } finally {
    peers.kill();
  }
}

function news<Kind extends RoomNews['kind']>(
  peers: ChildProcess,
  kind: Kind,
): Promise<Extract<RoomNews, { kind: Kind }>> {
  return new Promise((resolve, reject) => {
    peers.on('message', (told: RoomNews) => {
      if (told.kind === kind) resolve(told as Extract<RoomNews, { kind: Kind }>);
    });
    peers.once('exit', (code) => reject(new Error(`The people of the room ended with ${code}.`)));
  });
}

/** Processor time of a process so far (proc(5), stat: utime and stime). */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}
