/** How well a call is carried, with the members of the library's `getNetworkStats`. */
export interface NetworkStats {
  readonly quality: number;
  readonly threshold: 'good' | 'low' | 'very-low';
  readonly stats: { readonly latest: Readonly<Record<string, number>> };
}

const LOSS = { low: 0.03, veryLow: 0.1 } as const;

type Entry = Readonly<Record<string, unknown>>;

/** Reads the browser's own statistics (W3C webrtc-stats). */
export function networkStats(report: Iterable<Entry>): NetworkStats {
  const latest: Record<string, number> = { timestamp: Date.now() };
  for (const entry of report) Object.assign(latest, READERS.get(entry.type)?.(entry));
  const loss = Math.max(latest.audioRecvPacketLoss ?? 0, latest.audioSendPacketLoss ?? 0);
  const threshold = loss >= LOSS.veryLow ? 'very-low' : loss >= LOSS.low ? 'low' : 'good';
  return { quality: Math.round(100 * (1 - Math.min(1, loss))), threshold, stats: { latest } };
}

/** The figures of each type of entry. */
const READERS = new Map<unknown, (entry: Entry) => Readonly<Record<string, number>>>([
  ['inbound-rtp', (entry) => (entry.kind === 'audio' ? receivedAudio(entry) : {})],
  ['remote-inbound-rtp', ({ fractionLost }) => ({ audioSendPacketLoss: numberOf(fractionLost) })],
  ['candidate-pair', (entry) => (entry.nominated === true ? roundTrip(entry) : {})],
]);

const roundTrip = ({ currentRoundTripTime }: Entry): Readonly<Record<string, number>> => ({
  networkRoundTripTime: numberOf(currentRoundTripTime),
});

function receivedAudio(entry: Entry): Readonly<Record<string, number>> {
  const received = numberOf(entry.packetsReceived);
  const lost = numberOf(entry.packetsLost);
  return {
    audioRecvPacketsReceived: received,
    audioRecvPacketsLost: lost,
    audioRecvPacketLoss: shareOf(lost, received + lost),
    audioRecvJitter: numberOf(entry.jitter),
    audioRecvConcealed: shareOf(numberOf(entry.concealedSamples), numberOf(entry.totalSamplesReceived)),
  };
}

const shareOf = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
const numberOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : 0;
