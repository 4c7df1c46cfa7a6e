/** How well a call is carried, in the members that the library's `getNetworkStats` has. */
export interface NetworkStats {
  readonly quality: number;
  readonly threshold: 'good' | 'low' | 'very-low';
  readonly stats: { readonly latest: Readonly<Record<string, number>> };
}

const LOSS = { low: 0.03, veryLow: 0.1 } as const;

/** Reads the browser's own statistics (W3C webrtc-stats). */
export function networkStats(report: Iterable<Readonly<Record<string, unknown>>>): NetworkStats {
  const latest: Record<string, number> = { timestamp: Date.now() };
  for (const entry of report) {
    if (entry.type === 'inbound-rtp' && entry.kind === 'audio') {
      const received = numberOf(entry.packetsReceived);
      const lost = numberOf(entry.packetsLost);
      latest.audioRecvPacketsReceived = received;
      latest.audioRecvPacketsLost = lost;
      latest.audioRecvPacketLoss = received + lost === 0 ? 0 : lost / (received + lost);
      latest.audioRecvJitter = numberOf(entry.jitter);
      const samples = numberOf(entry.totalSamplesReceived);
      latest.audioRecvConcealed = samples === 0 ? 0 : numberOf(entry.concealedSamples) / samples;
    }
    if (entry.type === 'remote-inbound-rtp') latest.audioSendPacketLoss = numberOf(entry.fractionLost);
    if (entry.type === 'candidate-pair' && entry.nominated === true)
      latest.networkRoundTripTime = numberOf(entry.currentRoundTripTime);
  }
  const loss = Math.max(latest.audioRecvPacketLoss ?? 0, latest.audioSendPacketLoss ?? 0);
  const threshold = loss >= LOSS.veryLow ? 'very-low' : loss >= LOSS.low ? 'low' : 'good';
  return { quality: Math.round(100 * (1 - Math.min(1, loss))), threshold, stats: { latest } };
}

const numberOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : 0;
