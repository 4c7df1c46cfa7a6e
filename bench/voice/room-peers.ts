import { connectRoomPeer, type RoomPeer } from '../../tests/support/voice/room-peer.ts';
import { tone, until } from '../../tests/support/voice/voice-peer.ts';

// People of a room in their own process: each sends a 640×360 picture and speaks, and receives the others'.

/** The task of these people. */
export interface RoomTask {
  readonly url: string;
  readonly people: number;
  readonly seconds: number;
}
/** Their reports: that all have joined, then the result. */
export type RoomNews =
  | { readonly kind: 'inside' }
  | {
      readonly kind: 'over';
      /**
       * Milliseconds from sending a frame to the arrival of its first packet, for every frame at every
       * receiver.
       */
      readonly delays: readonly number[];
      readonly sent: number;
      readonly lost: number;
      readonly heard: number;
    };

const FPS = 30;
/** 500 kbit/s, the usual rate for 640×360. */
const FRAME_BYTES = 2100;
/** Marks are tenths of milliseconds. */
const MARKS = 10;

const task = JSON.parse(process.argv[2] ?? '{}') as RoomTask;
const tell = (news: RoomNews): void => void process.send?.(news);
const { layout } = (await (await fetch(task.url)).json()) as {
  layout: { audio: number; video: number };
};

async function enter(): Promise<RoomPeer> {
  const peer = await connectRoomPeer(layout, async (sdp) => {
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${task.url}/offer`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ sdp }),
    });
    const body = (await reply.json()) as { sdp: string; message?: string };
    if (!reply.ok) throw new Error(body.message);
    return body.sdp;
  });
  peer.send({ id: 1, command: { action: 'update-self', sends: ['audio', 'video'] } });
  return peer;
}

const peers: RoomPeer[] = [];
for (let at = 0; at < task.people; at += 1) peers.push(await enter());
/**
 * From how many people a picture arrives. The first notice lists those who were there before; each later one
 * announces one more.
 */
const playable = ({ notices }: RoomPeer): number =>
  new Set(
    notices
      .flatMap(({ participant, participants = [] }) => [participant, ...participants])
      .filter((person) => person?.tracks.video.state === 'playable')
      .map(({ session_id }) => session_id),
  ).size;
await until('everybody sees everybody', () => peers.every((peer) => playable(peer) >= task.people - 1), 60);
tell({ kind: 'inside' });

const speaking = peers.map((peer) => peer.speak(tone(400, task.seconds)));
let sent = 0;
const frames = setInterval(() => {
  for (const peer of peers) {
    peer.show(Math.round(performance.now() * MARKS), FRAME_BYTES);
    sent += Math.ceil(FRAME_BYTES / 1100);
  }
}, 1000 / FPS);
await Promise.all(speaking);
clearInterval(frames);
await new Promise((resolve) => setTimeout(resolve, 1000));

const streams = peers.flatMap(({ seen }) => seen.filter((packets) => packets.length > 0));
const delays = streams.flatMap((packets) =>
  packets.filter(({ mark }) => mark > 0).map(({ mark, at }) => at - mark / MARKS),
);
const lost = streams.reduce((sum, packets) => {
  const numbers = packets.map(({ sequenceNumber }) => sequenceNumber);
  const first = numbers[0] ?? 0;
  const most = Math.max(...numbers.map((number) => (number - first) & 0xffff));
  return sum + most + 1 - new Set(numbers).size;
}, 0);
const heard = peers.flatMap((peer) => peer.heard).filter((sound) => sound.length > 0).length;
tell({ kind: 'over', delays, sent, lost, heard });
await Promise.all(peers.map((peer) => peer.close()));
process.exit();
