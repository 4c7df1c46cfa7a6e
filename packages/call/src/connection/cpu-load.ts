/**
 * The machine's load by a call, with the members of the library's `getCpuLoadStats` (its own declarations).
 */
export interface CpuLoad {
  readonly cpuLoadState: 'low' | 'high';
  readonly cpuLoadStateReason: 'encode' | 'decode' | 'scheduleDuration' | 'none';
  readonly stats: { readonly latest: Readonly<Record<string, unknown>> };
}

type Entry = Readonly<Record<string, unknown>>;

/** The picture rate that the load is calculated for, pictures a second. */
const TARGET_RATE = 30;
/** A timer is set for this many milliseconds; how much longer it takes shows how busy the page is. */
export const TARGET_SCHEDULE_MS = 50;
/** Share of one core above which encoding or decoding is too much. */
const BUSY = 0.8;
/** A timer that takes this many times as long shows that the page is too busy. */
const LATE = 2;

/**
 * Reads the browser's own statistics (W3C webrtc-stats).
 *
 * @param now the present statistics
 * @param before those of the last reading; empty for the time since the call began
 * @param scheduleDuration milliseconds that a timer of {@link TARGET_SCHEDULE_MS} took
 */
export function cpuLoad(now: Iterable<Entry>, before: Iterable<Entry>, scheduleDuration: number): CpuLoad {
  const earlier = new Map([...before].map((entry) => [entry.id, entry]));
  const since = (entry: Entry, name: string): number =>
    numberOf(entry[name]) - numberOf(earlier.get(entry.id)?.[name]);
  const pictures = [...now].filter(({ kind }) => kind === 'video');
  const sent = pictures.filter(({ type }) => type === 'outbound-rtp');
  const received = pictures
    .filter(({ type }) => type === 'inbound-rtp')
    .map((entry) => inboundOf(entry, (name) => since(entry, name)));
  const frameEncodeTimeSec = shareOf(
    sumOf(sent.map((entry) => since(entry, 'totalEncodeTime'))),
    sumOf(sent.map((entry) => since(entry, 'framesEncoded'))),
  );
  const encode = frameEncodeTimeSec * TARGET_RATE;
  const decode = sumOf(received.map(({ frameDecodeTimeSec, fps }) => frameDecodeTimeSec * fps));
  const count = received.length;
  const reason = reasonOf(encode, decode, scheduleDuration);
  const latest = {
    timestamp: Date.now(),
    scheduleDuration,
    frameEncodeTimeSec,
    targetEncodeFrameRate: TARGET_RATE,
    targetDecodeFrameRate: TARGET_RATE,
    targetScheduleDuration: TARGET_SCHEDULE_MS,
    cpuUsageBasedOnTargetEncode: encode,
    cpuUsageBasedOnGlobalDecode: decode,
    avgFrameDecodeTimeSec: shareOf(sumOf(received.map((one) => one.frameDecodeTimeSec)), count),
    avgInterFrameDelayStandardDeviation: shareOf(
      sumOf(received.map((one) => one.interFrameDelayStandardDeviation)),
      count,
    ),
    totalReceivedVideoTracks: count,
    cpuInboundVideoStats: received,
  };
  return { cpuLoadState: reason === 'none' ? 'low' : 'high', cpuLoadStateReason: reason, stats: { latest } };
}

function reasonOf(encode: number, decode: number, scheduleMs: number): CpuLoad['cpuLoadStateReason'] {
  if (encode > BUSY) return 'encode';
  if (decode > BUSY) return 'decode';
  return scheduleMs > LATE * TARGET_SCHEDULE_MS ? 'scheduleDuration' : 'none';
}

function inboundOf(entry: Entry, since: (name: string) => number) {
  const frames = since('framesDecoded');
  const frameDecodeTimeSec = shareOf(since('totalDecodeTime'), frames);
  const mean = shareOf(since('totalInterFrameDelay'), frames);
  const variance = shareOf(since('totalSquaredInterFrameDelay'), frames) - mean ** 2;
  return {
    trackId: String(entry.trackIdentifier ?? ''),
    ssrc: numberOf(entry.ssrc),
    frameWidth: numberOf(entry.frameWidth),
    frameHeight: numberOf(entry.frameHeight),
    fps: numberOf(entry.framesPerSecond),
    frameDecodeTimeSec,
    interFrameDelayStandardDeviation: Math.sqrt(Math.max(0, variance)),
    cpuUsageBasedOnTargetDecode: frameDecodeTimeSec * TARGET_RATE,
  };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);
const shareOf = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);
const numberOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : 0;

/** The load by one connection; each reading covers the time since the one before. */
export class CpuLoadReader {
  #before:
    | { readonly connection: Pick<RTCPeerConnection, 'getStats'>; readonly entries: readonly Entry[] }
    | undefined;

  async read(connection: Pick<RTCPeerConnection, 'getStats'>): Promise<CpuLoad> {
    const start = performance.now();
    await new Promise((resolve) => setTimeout(resolve, TARGET_SCHEDULE_MS));
    const scheduleDuration = performance.now() - start;
    const entries: Entry[] = [...(await connection.getStats()).values()];
    const before = this.#before?.connection === connection ? this.#before.entries : [];
    this.#before = { connection, entries };
    return cpuLoad(entries, before, scheduleDuration);
  }
}
