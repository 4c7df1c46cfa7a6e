import type { RtcpReceiverInfo } from 'werift';
import type { ReceivedSoFar } from './rtp-receiver.ts';
import type { SentSoFar } from './rtp-sender.ts';

type Werift = typeof import('werift');

/** Seconds between the epochs 1900 and 1970. */
const ERA = 2_208_988_800;
const GOODBYE = 203;

/** The sender's and receiver's reports of one call (RFC 3550 §6), and the other side's reports. */
export class RtcpReports {
  readonly #werift: Werift;
  readonly #ssrc: number;
  /** The CNAME of RFC 7022 §5, which tells nothing about this machine. */
  readonly #name = crypto.randomUUID().slice(0, 16);
  #before = { received: 0, expected: 0 };
  #lastReport: { readonly middle: number; readonly at: number } | undefined;
  #roundTripMs: number | undefined;

  constructor(werift: Werift, ssrc: number) {
    this.#werift = werift;
    this.#ssrc = ssrc;
  }

  /** Round trip of a packet by the last report; undefined before one. */
  get roundTripMs(): number | undefined {
    return this.#roundTripMs;
  }

  /** Writes a report at `now`, milliseconds since 1970. */
  write(sent: SentSoFar, received: ReceivedSoFar | undefined, now: number): Buffer {
    const { RtcpSrPacket, RtcpSenderInfo, RtcpSourceDescriptionPacket } = this.#werift;
    const { SourceDescriptionChunk, SourceDescriptionItem } = this.#werift;
    const report = new RtcpSrPacket({
      ssrc: this.#ssrc,
      senderInfo: new RtcpSenderInfo({
        ntpTimestamp: ntpTime(now),
        rtpTimestamp: sent.timestamp,
        packetCount: sent.packets >>> 0,
        octetCount: sent.bytes >>> 0,
      }),
      reports: received === undefined ? [] : [this.#about(received, now)],
    });
    const items = [new SourceDescriptionItem({ type: 1, text: this.#name })];
    const name = new RtcpSourceDescriptionPacket({
      chunks: [new SourceDescriptionChunk({ source: this.#ssrc, items })],
    });
    return Buffer.concat([report.serialize(), name.serialize()]);
  }

  /** Writes the last report of a call, with its goodbye (§6.6). */
  writeGoodbye(sent: SentSoFar, received: ReceivedSoFar | undefined, now: number): Buffer {
    const goodbye = Buffer.from([0x81, GOODBYE, 0, 1, 0, 0, 0, 0]);
    goodbye.writeUInt32BE(this.#ssrc, 4);
    return Buffer.concat([this.write(sent, received, now), goodbye]);
  }

  /** Reads a packet of the other side; false where it is not a report. */
  read(packet: Buffer, now: number): boolean {
    try {
      if (!isReport(packet)) return false;
      for (const report of this.#werift.RtcpPacketConverter.deSerialize(packet)) {
        if (report.type === 200) {
          const middle = Number((report.senderInfo.ntpTimestamp >> 16n) & 0xffffffffn);
          this.#lastReport = { middle, at: now };
        }
        if (report.type === 200 || report.type === 201)
          for (const one of report.reports) this.#readAbout(one, now);
      }
      return true;
    } catch {
      // The report is truncated or invalid; a call does not need it.
      return false;
    }
  }

  #about(
    { ssrc, received, expected, highest, jitterMs, clock }: ReceivedSoFar,
    now: number,
  ): RtcpReceiverInfo {
    const lately = { received: received - this.#before.received, expected: expected - this.#before.expected };
    this.#before = { received, expected };
    const missing = Math.max(0, lately.expected - lately.received);
    return new this.#werift.RtcpReceiverInfo({
      ssrc,
      fractionLost: lately.expected <= 0 ? 0 : Math.min(255, Math.floor((missing * 256) / lately.expected)),
      packetsLost: Math.max(0, Math.min(0x7fffff, expected - received)),
      highestSequence: highest >>> 0,
      jitter: Math.round((jitterMs * clock) / 1000),
      lsr: this.#lastReport?.middle ?? 0,
      dlsr:
        this.#lastReport === undefined ? 0 : Math.round(((now - this.#lastReport.at) / 1000) * 65_536) >>> 0,
    });
  }

  #readAbout({ ssrc, lsr, dlsr }: RtcpReceiverInfo, now: number): void {
    if (ssrc !== this.#ssrc || lsr === 0) return;
    const middle = Number((ntpTime(now) >> 16n) & 0xffffffffn);
    const trip = (((middle - lsr - dlsr) | 0) * 1000) / 65_536;
    if (trip >= 0 && trip < 10_000) this.#roundTripMs = trip;
  }
}

/** Whether it has version 2, a type between 200 and 207, and the length that it states. */
function isReport(packet: Buffer): boolean {
  const [head = 0, type = 0] = packet;
  if (packet.length < 8 || head >> 6 !== 2 || type < 200 || type > 207) return false;
  return packet.length >= (packet.readUInt16BE(2) + 1) * 4;
}

/** Seconds since 1900 and their fraction, 32 bits each. */
function ntpTime(now: number): bigint {
  const seconds = Math.floor(now / 1000);
  return (BigInt(seconds + ERA) << 32n) | BigInt(Math.floor(((now - seconds * 1000) / 1000) * 2 ** 32));
}
