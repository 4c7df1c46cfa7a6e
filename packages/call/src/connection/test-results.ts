/** The state of a connection at one moment; null where the browser did not say. */
export interface Reading {
  /** Seconds. */
  readonly roundTrip: number | null;
  /** Shares of packets, 0 to 1. */
  readonly sendLoss: number | null;
  readonly recvLoss: number | null;
  /** Bits a second. */
  readonly available: number | null;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

type Entry = Readonly<Record<string, unknown>>;
type Average = number | null;

/** Limits for a warning and for a bad connection; a loss is a share, a round trip is in seconds. */
const WARNING = { loss: 0.03, roundTrip: 0.3 } as const;
const BAD = { loss: 0.1, roundTrip: 0.6 } as const;

/**
 * Reads the browser's own statistics (W3C webrtc-stats) of a connection with one picture in each direction.
 */
export function readingOf(report: Iterable<Entry>): Reading {
  const entries = [...report];
  const of = (type: string): Entry[] => entries.filter((entry) => entry.type === type);
  const pair = of('candidate-pair').find(({ nominated }) => nominated === true);
  const inbound = of('inbound-rtp').filter(({ kind }) => kind === 'video');
  const lost = sumOf(inbound, 'packetsLost');
  const received = sumOf(inbound, 'packetsReceived');
  return {
    roundTrip: numberOrNull(pair?.currentRoundTripTime),
    sendLoss: largest(of('remote-inbound-rtp').map(({ fractionLost }) => numberOrNull(fractionLost))),
    recvLoss: lost + received > 0 ? Math.max(0, lost) / (lost + received) : null,
    available: numberOrNull(pair?.availableOutgoingBitrate),
    sentBytes: sumOf(of('outbound-rtp'), 'bytesSent'),
    receivedBytes: sumOf(inbound, 'bytesReceived'),
  };
}

/** The result of a test of a call's quality, with the library's own members. */
export interface QualityResult {
  readonly result: 'good' | 'warning' | 'bad';
  readonly data: Readonly<Record<string, Average>>;
  readonly secondsElapsed: number;
}

/**
 * The result of the readings of a test.
 *
 * @param way `there` for what the page sends, `and back` where what it receives counts too
 * @param seconds length of the test
 */
export function qualityOf(
  readings: readonly Reading[],
  way: 'there' | 'and back',
  seconds: number,
): QualityResult {
  const all = (name: 'roundTrip' | 'sendLoss' | 'recvLoss' | 'available'): Average[] =>
    readings.map((reading) => reading[name]);
  const maxRoundTripTime = largest(all('roundTrip'));
  const loss = way === 'there' ? average(all('sendLoss')) : average(all('recvLoss'));
  const rate = (name: 'sentBytes' | 'receivedBytes'): Average => {
    const last = readings.at(-1)?.[name] ?? 0;
    return seconds > 0 ? (8 * last) / seconds : null;
  };
  const common = {
    maxRoundTripTime,
    avgRoundTripTime: average(all('roundTrip')),
    avgAvailableOutgoingBitrate: average(all('available')),
    avgSendBitsPerSecond: rate('sentBytes'),
  };
  const isAbove = (limit: typeof WARNING | typeof BAD): boolean =>
    (loss ?? 0) >= limit.loss || (maxRoundTripTime ?? 0) >= limit.roundTrip;
  return {
    result: isAbove(BAD) ? 'bad' : isAbove(WARNING) ? 'warning' : 'good',
    data:
      way === 'there'
        ? { ...common, avgSendPacketLoss: loss }
        : { ...common, avgRecvPacketLoss: loss, avgRecvBitsPerSecond: rate('receivedBytes') },
    secondsElapsed: seconds,
  };
}

function largest(values: readonly Average[]): Average {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function average(values: readonly Average[]): Average {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

const numberOrNull = (value: unknown): Average =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
const sumOf = (entries: readonly Entry[], name: string): number =>
  entries.reduce((sum, entry) => sum + (numberOrNull(entry[name]) ?? 0), 0);
