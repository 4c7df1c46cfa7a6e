import { WebSocket } from 'ws';
import { joined } from '../../../packages/telephone-audio/src/sounds.fixture.ts';
import { askConsole, type TestAccount } from '../customers/operator-client.ts';
import { shareOfTone, until } from './voice-peer.ts';

/**
 * An operator's headset in a test: the sound that it receives, and a microphone that always sends, with
 * silence in the pauses.
 */
export interface OperatorHeadset {
  /** Identifies it at the server. */
  readonly id: string;
  readonly socket: WebSocket;
  /** Sound of the caller, and of the side that speaks to the caller, piece by piece. */
  readonly caller: Int16Array[];
  readonly assistant: Int16Array[];
  /** Messages of the socket, parsed. */
  readonly told: { type: string }[];
  /** The code with which the socket was closed; undefined while it is open. */
  closed(): number | undefined;
  /** From now on the microphone repeats this sound; undefined: silence. */
  speak(sound: Int16Array | undefined): void;
  close(): void;
}

const FRAME = 320;
const FRAME_MS = 20;
/** Pieces of 20 ms that are searched, and pieces that are measured together. */
const LATEST = 500;
const WINDOW = 5;

/** Whether the last ten seconds, in pieces of 20 ms, contain a tenth of a second of that tone. */
export function hasTone(pieces: readonly Int16Array[], hertz: number): boolean {
  const latest = pieces.slice(-LATEST);
  for (let at = 0; at + WINDOW <= latest.length; at += WINDOW)
    if (shareOfTone(joined(latest.slice(at, at + WINDOW)), hertz) > 0.5) return true;
  return false;
}

/** The address of a call's headset as a WebSocket. */
export const headsetAddress = (url: string, path: string): string => `${url.replace(/^http/, 'ws')}${path}`;

/** Opens a headset at the call, as the console does. */
export async function openHeadset(
  url: string,
  account: Pick<TestAccount, 'client'>,
  callId: string,
): Promise<OperatorHeadset> {
  const { headset, path } = await askConsole<{ headset: string; path: string }>('call-headset', account, {
    id: callId,
  });
  const socket = new WebSocket(headsetAddress(url, path));
  const told: { type: string }[] = [];
  const caller: Int16Array[] = [];
  const assistant: Int16Array[] = [];
  let closed: number | undefined;
  let sound: Int16Array | undefined;
  let at = 0;
  socket.on('message', (data: Buffer, isSound) => {
    if (!isSound) return void told.push(JSON.parse(String(data)));
    for (const [side, pieces] of [caller, assistant].entries())
      pieces.push(Int16Array.from({ length: data.length / 4 }, (_, n) => data.readInt16LE(n * 4 + side * 2)));
  });
  socket.on('error', () => {});
  const microphone = setInterval(() => {
    if (socket.readyState !== WebSocket.OPEN) return;
    const frame = new Int16Array(FRAME);
    if (sound !== undefined) {
      frame.set(sound.subarray(at, at + FRAME));
      at = (at + FRAME) % sound.length;
    }
    socket.send(Buffer.from(frame.buffer));
  }, FRAME_MS);
  socket.on('close', (code) => {
    closed = code;
    clearInterval(microphone);
  });
  await until('the headset is open', () => told.length > 0);
  return {
    id: headset,
    socket,
    told,
    caller,
    assistant,
    closed: () => closed,
    speak(next) {
      sound = next;
      at = 0;
    },
    close: () => socket.terminate(),
  };
}
