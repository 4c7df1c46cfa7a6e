import { member } from '../rules/rule.ts';
import type { Handler } from '../web-rtc/link.ts';
import { addSection } from '../web-rtc/offer-section.ts';
import { openChannel } from '../web-rtc/open-channel.ts';
import { SENT_KINDS } from '../web-rtc/track-kinds.ts';
import { qualityOf, type Reading, readingOf } from './test-results.ts';

/** How a test reaches the installation. */
export interface TestPlace {
  /** Base address of the platform's API. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly iceServers: RTCIceServer[];
}

/** Length of a quality test, seconds, unless the page asks for another. */
const USUAL_SECONDS = 15;
const MOST_SECONDS = 30;
const READING_MS = 500;
/** A picture has to come back within this many milliseconds. */
const THROUGH_MS = 10_000;
/** The only region: media and signals of an installation are in one place. */
const REGION = 'installation';

/** A connection to the installation, over which a picture is sent there and back. */
interface Loop {
  readonly connection: RTCPeerConnection;
  close(): void;
}

/** The tests of a connection, by the wire's names; only one of each kind runs at a time. */
export function testHandlers(place: () => TestPlace): Readonly<Record<string, Handler>> {
  const running = new Map<string, AbortController>();
  /** The library waits for a result in any case, so these tests never reject. */
  const run = async (
    name: string,
    test: (signal: AbortSignal) => Promise<object>,
    busy: object,
  ): Promise<{ results: object }> => {
    if (running.has(name)) return { results: busy };
    const abort = new AbortController();
    running.set(name, abort);
    try {
      return { results: await test(abort.signal) };
    } finally {
      running.delete(name);
    }
  };
  const end = (name: string) => async () => void running.get(name)?.abort();
  const quality =
    (name: string, way: 'there' | 'and back'): Handler =>
    async ({ videoTrack, duration }) =>
      run(
        name,
        (signal) => testQuality(place(), { picture: videoTrack, seconds: secondsOf(duration), way }, signal),
        failed(new Error('This test is running already.'), 0),
      );
  return {
    'test-call-quality': quality('call', 'there'),
    'stop-test-call-quality': end('call'),
    'test-p2p-call-quality': quality('loop', 'and back'),
    'stop-test-p2p-call-quality': end('loop'),
    'test-network-connectivity': async ({ videoTrack }) =>
      run('network', (signal) => testNetwork(place(), videoTrack, signal), { result: 'failed' }),
    'abort-test-network-connectivity': end('network'),
    'test-websocket-connectivity': async () =>
      run('socket', (signal) => testSocket(place(), signal), regionsOf('failed')),
    'abort-test-websocket-connectivity': end('socket'),
  };
}

async function testQuality(
  place: TestPlace,
  { picture, seconds, way }: { picture: unknown; seconds: number; way: 'there' | 'and back' },
  signal: AbortSignal,
): Promise<object> {
  const begun = performance.now();
  const passed = (since: number): number => (performance.now() - since) / 1000;
  let loop: Loop | undefined;
  try {
    loop = await openLoop(place, picture, signal);
    const connected = performance.now();
    const readings: Reading[] = [];
    while (passed(connected) < seconds) {
      await pause(signal);
      requireConnected(loop.connection);
      readings.push(readingOf((await loop.connection.getStats()).values()));
    }
    return qualityOf(readings, way, passed(connected));
  } catch (error) {
    const secondsElapsed = passed(begun);
    return signal.aborted ? { result: 'aborted', secondsElapsed } : failed(error, secondsElapsed);
  } finally {
    loop?.close();
  }
}

function failed(error: unknown, secondsElapsed: number): object {
  const errorMsg = error instanceof Error ? error.message : String(error);
  return { result: 'failed', errorMsg, error: { type: 'connection-error', msg: errorMsg }, secondsElapsed };
}

/** Passes where a picture has come back. */
async function testNetwork(place: TestPlace, picture: unknown, signal: AbortSignal): Promise<object> {
  let loop: Loop | undefined;
  try {
    loop = await openLoop(place, picture, signal);
    for (const begun = performance.now(); performance.now() - begun < THROUGH_MS; ) {
      const { receivedBytes } = readingOf((await loop.connection.getStats()).values());
      if (receivedBytes > 0) return { result: 'passed' };
      requireConnected(loop.connection);
      await pause(signal);
    }
    return { result: 'failed' };
  } catch {
    return { result: signal.aborted ? 'aborted' : 'failed' };
  } finally {
    loop?.close();
  }
}

async function testSocket({ baseUrl }: TestPlace, signal: AbortSignal): Promise<object> {
  const address = new URL(`${baseUrl}/connection-test`, location.href);
  address.protocol = address.protocol.replace('http', 'ws');
  const socket = new WebSocket(address);
  try {
    const outcome = await new Promise<'passed' | 'failed' | 'aborted'>((resolve) => {
      socket.onmessage = () => resolve('passed');
      socket.onerror = () => resolve('failed');
      socket.onclose = () => resolve('failed');
      signal.addEventListener('abort', () => resolve('aborted'));
      setTimeout(resolve, THROUGH_MS, 'failed');
    });
    return regionsOf(outcome);
  } finally {
    socket.close();
  }
}

function regionsOf(result: 'passed' | 'failed' | 'aborted'): object {
  const where = (one: string): string[] => (one === result ? [REGION] : []);
  return {
    result,
    passedRegions: where('passed'),
    failedRegions: where('failed'),
    abortedRegions: where('aborted'),
  };
}

/** @throws Error with a sentence where the connection fails, or the signal is aborted */
async function openLoop(
  { baseUrl, fetch, iceServers }: TestPlace,
  picture: unknown,
  signal: AbortSignal,
): Promise<Loop> {
  const shown = picture instanceof MediaStreamTrack ? { track: picture, end: () => {} } : drawnPicture();
  const connection = new RTCPeerConnection({ iceServers, bundlePolicy: 'max-bundle' });
  const close = (): void => {
    connection.close();
    shown.end();
  };
  try {
    const senders = SENT_KINDS.map(
      (kind) => [kind, addSection(connection, kind, 'sendonly').sender] as const,
    );
    addSection(connection, 'video', 'recvonly');
    // Sent as a screen, because a screen has one size; a camera would send three, and one is enough to measure.
    await new Map(senders).get('screenVideo')?.replaceTrack(shown.track);
    const channel = connection.createDataChannel('room');
    await connection.setLocalDescription();
    const reply = await fetch(`${baseUrl}/connection-test/offer`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'offer', sdp: connection.localDescription?.sdp }),
      signal,
    });
    const told: unknown = await reply.json().catch(() => ({}));
    const sdp = member(told, 'sdp');
    if (!reply.ok || typeof sdp !== 'string')
      throw new Error(String(member(told, 'message') ?? `The server answered ${reply.status}.`));
    await connection.setRemoteDescription({ type: 'answer', sdp });
    await Promise.race([openChannel(channel, connection), endOf(signal)]);
    return { connection, close };
  } catch (error) {
    close();
    throw error;
  }
}

function requireConnected({ connectionState }: RTCPeerConnection): void {
  if (connectionState === 'failed' || connectionState === 'closed')
    throw new Error('The connection was lost.');
}

/** Never resolves. @throws Error as soon as the signal is aborted */
function endOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = (): void => reject(new Error('The test was ended.'));
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

async function pause(signal: AbortSignal): Promise<void> {
  await Promise.race([new Promise((resolve) => setTimeout(resolve, READING_MS)), endOf(signal)]);
}

const secondsOf = (duration: unknown): number =>
  typeof duration === 'number' && duration > 0 ? Math.min(MOST_SECONDS, duration) : USUAL_SECONDS;

/** A picture that changes all the time, for pages that give none. */
function drawnPicture(): { track: MediaStreamTrack; end(): void } {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: 640, height: 360 });
  const pencil = canvas.getContext('2d');
  const draw = (): void => {
    if (pencil === null) return;
    pencil.fillStyle = `hsl(${Math.random() * 360} 80% 50%)`;
    pencil.fillRect(Math.random() * 500, Math.random() * 240, 140, 120);
  };
  draw();
  const timer = setInterval(draw, 66);
  const [track] = canvas.captureStream(15).getVideoTracks();
  if (track === undefined) throw new Error('This browser shows no picture of its own.');
  return {
    track,
    end: () => {
      clearInterval(timer);
      track.stop();
    },
  };
}
