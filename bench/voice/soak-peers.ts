/**
 * Four callers in their own process, so that they take no time from the server. Started by `measure-soak.ts`
 * with the calls' rooms as JSON in its arguments.
 */
import { connectPeer, type VoicePeer } from '../../tests/support/voice/voice-peer.ts';
import { QUESTIONS } from './measure-turns.ts';
import { openCallerSounds, silence } from './support/caller-sounds.ts';

/** What one caller saw of the received stream. */
export interface ReceivedStream {
  readonly packets: number;
  readonly lost: number;
  /**
   * Packets more than 60 ms behind the rhythm of the stream, for which a usual jitter buffer inserts sound.
   */
  readonly late: number;
  /** Answers that the caller heard. */
  readonly answers: number;
}

/** Messages to the parent: all are connected; or, at the end, what they saw. */
export type SoakNews =
  | { readonly kind: 'connected' }
  | { readonly kind: 'over'; readonly streams: ReceivedStream[] };

const FRAME_MS = 20;
const LATE_MS = 60;
const PAUSE_SECONDS = 9;
const VOICES = ['rms', 'awb', 'kal16', 'rms'] as const;

const [rooms = [], seconds = 60] = process.argv.slice(2).map((text) => JSON.parse(text)) as [
  string[],
  number,
];
const sounds = await openCallerSounds();
const clips = await Promise.all(
  VOICES.map((voice) => Promise.all(QUESTIONS.map((question) => sounds.say(question, voice)))),
);
await sounds.close();
const callers = await Promise.all(rooms.map(join));
tell({ kind: 'connected' });
const until = performance.now() + seconds * 1000;
await Promise.all(callers.map(({ peer }, caller) => talk(peer, clips[caller % clips.length] ?? [], caller)));
const streams = callers.map(({ seen }) => seen());
for (const { peer } of callers) await peer.close();
tell({ kind: 'over', streams });
process.disconnect();

function tell(news: SoakNews): void {
  process.send?.(news);
}

async function join(room: string) {
  const peer = await connectPeer(async (sdp) => {
    const reply = await fetch(`${room}/offer`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sdp, type: 'offer' }),
    });
    if (!reply.ok) throw new Error(`No answer: ${reply.status} ${await reply.text()}`);
    return ((await reply.json()) as { sdp: string }).sdp;
  });
  const seen = watchStream(peer);
  peer.send('playable');
  return { peer, seen };
}

/** Counts packets that come late or never; the first packet and the quickest ones set the rhythm. */
function watchStream(peer: VoicePeer): () => ReceivedStream {
  let first: number | undefined;
  let highest = 0;
  let packets = 0;
  let late = 0;
  let quickest = Number.POSITIVE_INFINITY;
  for (const { track } of peer.connection.getReceivers())
    track.onReceiveRtp.subscribe(({ header }) => {
      const at = performance.now();
      // From the first packet on; a call of ten minutes does not use up the 65 536 numbers.
      first ??= header.sequenceNumber;
      const number = (header.sequenceNumber - first + 0x10000) % 0x10000;
      highest = Math.max(highest, number);
      packets += 1;
      const transit = at - number * FRAME_MS;
      quickest = Math.min(quickest, transit);
      if (transit - quickest > LATE_MS) late += 1;
    });
  return () => {
    const answers = peer.messages.filter((text) => text.includes('"voice-input"')).length;
    peer.heard.length = 0;
    return { packets, late, lost: Math.max(0, highest + 1 - packets), answers };
  };
}

async function talk(peer: VoicePeer, sentences: readonly Int16Array[], caller: number): Promise<void> {
  await peer.speak(silence(6 + 2 * caller));
  for (let turn = 0; performance.now() < until; turn += 1) {
    await peer.speak(sentences[turn % sentences.length] ?? silence(1));
    await peer.speak(silence(PAUSE_SECONDS));
    // The received sound is not needed here and must not fill this process's memory.
    peer.heard.length = 0;
  }
}
