import { ServiceError } from '@northline/service-error/service-error';
import type { RtpPacket } from 'werift';
import { meanOpinionScore } from './call-quality.ts';
import type { CodecName, SoundCodec } from './codecs/sound-codec.ts';
import { FramePacer, type PaceClock } from './frame-pacing.ts';
import type { PortPair } from './port-pair.ts';
import { RtcpReports } from './rtcp-reports.ts';
import { RtpReceiver } from './rtp-receiver.ts';
import { RtpSender } from './rtp-sender.ts';
import type { AgreedSound } from './sdp-negotiation.ts';
import type { MediaState, MediaStats, SoundSession, SoundUnder } from './sound-session.ts';
import { type Endpoint, SourceLatch } from './source-latch.ts';
import type { SrtpStream } from './srtp-protection.ts';

/** Frames between two reports: 5 s (RFC 3550 §6.2). */
const REPORT_FRAMES = 250;
/** Milliseconds without a packet after which the other side counts as silent. */
const SILENT_MS = 30_000;
/**
 * Frames to an address that never answered: after 10 s only every fiftieth is sent, so that nobody can have a
 * stranger flooded.
 */
const UNANSWERED_FRAMES = 500;
const SELDOM = 50;
/** Largest packet that is read; a larger one cannot be sound. */
const LARGEST_PACKET = 2048;

/** What a session needs. */
export interface RtpSessionParts {
  readonly werift: typeof import('werift');
  readonly pair: PortPair;
  readonly codecs: ReadonlyMap<CodecName, SoundCodec>;
  readonly clock: PaceClock;
  log(line: string): void;
}

/** Both directions of SRTP. */
export interface SrtpPair {
  readonly ours: SrtpStream;
  readonly theirs: SrtpStream;
}

/** One telephone call's sound over its two sockets: see {@link SoundSession}. */
export class RtpSession implements SoundSession {
  readonly #parts: RtpSessionParts;
  readonly #receiver: RtpReceiver;
  readonly #sender: RtpSender;
  readonly #reports: RtcpReports;
  readonly #pcmListeners: ((pcm: Int16Array) => void)[] = [];
  readonly #sentListeners: ((frame: Int16Array, speech: Int16Array) => void)[] = [];
  readonly #stateListeners: ((state: MediaState) => void)[] = [];
  readonly #toneListeners: ((digit: string) => void)[] = [];
  readonly #silenceListeners: (() => void)[] = [];
  #pacer: FramePacer | undefined;
  #agreed: AgreedSound | undefined;
  #latch: SourceLatch | undefined;
  #srtp: SrtpPair | undefined;
  #state: MediaState | undefined;
  #held = false;
  #frames = 0;
  #rejected = 0;
  #heardAt = 0;
  #silent = false;
  #failure: string | undefined;
  #hasFault = false;
  #closing: Promise<void> | undefined;

  constructor(parts: RtpSessionParts) {
    this.#parts = parts;
    this.#receiver = new RtpReceiver(parts.codecs, (key) => {
      for (const listener of this.#toneListeners) listener(key);
    });
    this.#sender = new RtpSender(parts.werift, parts.codecs);
    this.#reports = new RtcpReports(parts.werift, this.#sender.ssrc);
    const { sound, reports } = parts.pair;
    sound.on('message', (packet, from) => this.#guard(() => this.#take(packet, from)));
    reports.on('message', (packet, from) => this.#guard(() => this.#takeReport(packet, from.address)));
    for (const socket of [sound, reports]) socket.on('error', (error) => this.#failed(error));
  }

  /**
   * Runs `take` for a packet. If our code throws, the packet is dropped, and the first error of a call is
   * logged.
   */
  #guard(take: () => void): void {
    try {
      take();
    } catch (fault) {
      if (!this.#hasFault) this.#parts.log(`A packet could not be handled: ${String(fault)}`);
      this.#hasFault = true;
    }
  }

  /** Applies a new agreement; with `srtp` nothing unencrypted is sent or accepted. */
  agree(agreed: AgreedSound, srtp: SrtpPair | undefined): void {
    if (this.#closing !== undefined) return;
    const moved = agreed.address !== this.#agreed?.address || agreed.port !== this.#agreed.port;
    // A hold of the old kind states no address: sound continues to come from the same place.
    if (this.#latch === undefined || (moved && agreed.address !== '0.0.0.0' && agreed.address !== '::'))
      this.#latch = new SourceLatch(agreed);
    this.#agreed = agreed;
    this.#srtp = srtp;
    this.#receiver.agree(agreed);
    this.#sender.agree(agreed);
    this.#heardAt = this.#parts.clock.now();
    this.#pacer ??= new FramePacer(this.#parts.clock, (frame, speech) => this.#tick(frame, speech));
    this.#tell('connected');
  }

  /** Ignores what the other side sends while it is on hold. */
  holdOther(held: boolean): void {
    this.#held = held;
    this.#heardAt = this.#parts.clock.now();
  }

  async dial(digits: string): Promise<void> {
    if (this.#state !== 'connected')
      throw new ServiceError(409, 'call_over', 'Tones can be sent only while a call is connected.');
    await this.#sender.dial(digits);
  }

  onTone(listener: (digit: string) => void): void {
    this.#toneListeners.push(listener);
  }

  onSilence(listener: () => void): void {
    this.#silenceListeners.push(listener);
  }

  onPcm16k(listener: (pcm: Int16Array) => void): void {
    this.#pcmListeners.push(listener);
  }

  onSent(listener: (frame: Int16Array, speech: Int16Array) => void): void {
    this.#sentListeners.push(listener);
  }

  /** A listener that is added after the connection is called at once. */
  onState(listener: (state: MediaState) => void): void {
    this.#stateListeners.push(listener);
    const known = this.#state;
    if (known !== undefined) queueMicrotask(() => this.#state === known && listener(known));
  }

  writePcm(pcm: Int16Array): void {
    this.#pacer?.write(pcm);
  }

  queuedMs(): number {
    return this.#pacer?.queuedMs ?? 0;
  }

  hold(held: boolean): void {
    this.#pacer?.hold(held);
  }

  flush(): number {
    return this.#pacer?.flush() ?? 0;
  }

  playUnder(sound: SoundUnder | undefined): void {
    this.#pacer?.playUnder(sound);
  }

  stats(): MediaStats {
    const sofar = this.#receiver.soFar();
    const missing = sofar === undefined ? 0 : Math.max(0, sofar.expected - sofar.received);
    // Packets that came too late were not heard either.
    const unheard = Math.max(missing, this.#receiver.lost);
    const lossPercent = sofar === undefined ? 0 : Math.min(100, (100 * unheard) / sofar.expected);
    const delayMs = (this.#reports.roundTripMs ?? 0) / 2 + this.#receiver.delayMs + 20;
    return {
      packetsReceived: sofar?.received ?? 0,
      packetsLost: unheard,
      packetsRejected: this.#rejected + (this.#latch?.refused ?? 0) + this.#receiver.rejected,
      packetsSent: this.#sender.soFar().packets,
      framesLate: this.#pacer?.late ?? 0,
      quality: {
        lossPercent: Math.round(lossPercent * 100) / 100,
        jitterMs: Math.round((sofar?.jitterMs ?? 0) * 10) / 10,
        delayMs: Math.round(delayMs),
        mos: meanOpinionScore(lossPercent, delayMs),
      },
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { sound, reports } = this.#parts.pair;
    this.#pacer?.stop();
    this.#pacer = undefined;
    this.#sender.close();
    await this.#report('goodbye');
    this.#tell('closed');
    await Promise.all([sound, reports].map((socket) => new Promise<void>((done) => void socket.close(done))));
  }

  /**
   * A packet that cannot be sent does not end the call; the silence that follows is reported. Only one line
   * is logged, not fifty a second.
   */
  #failed(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error.message;
    this.#parts.log(`Sound cannot be sent: ${error.message}`);
  }

  #tell(state: MediaState): void {
    if (this.#state === state) return;
    this.#state = state;
    for (const listener of this.#stateListeners) listener(state);
  }

  /** Every 20 ms one frame is sent and one is received. */
  #tick(frame: Int16Array, speech: Int16Array): void {
    const heard = this.#receiver.frame();
    this.#sendFrame(frame);
    for (const listener of this.#sentListeners) listener(frame, speech);
    if (!this.#held) for (const listener of this.#pcmListeners) listener(heard);
    this.#frames += 1;
    if (this.#frames % REPORT_FRAMES === 0) void this.#report('report');
    this.#watch();
  }

  #sendFrame(frame: Int16Array): void {
    const [agreed, latch] = [this.#agreed, this.#latch];
    const mayHear = agreed?.direction === 'sendrecv' || agreed?.direction === 'recvonly';
    const seldom = latch?.latched === false && this.#frames > UNANSWERED_FRAMES;
    if (latch === undefined || !mayHear || (seldom && this.#frames % SELDOM !== 0)) {
      this.#sender.skip();
      return;
    }
    const { address, port } = latch.target;
    for (const packet of this.#sender.packets(frame))
      this.#parts.pair.sound.send(this.#srtp?.ours.protect(packet) ?? packet, port, address);
  }

  #watch(): void {
    // A side that has put us on hold may send music, but usually sends nothing.
    const talking = !this.#held && this.#agreed?.direction === 'sendrecv';
    const silent = talking && this.#parts.clock.now() - this.#heardAt > SILENT_MS;
    if (silent && !this.#silent) for (const listener of this.#silenceListeners) listener();
    this.#silent = silent;
  }

  #take(packet: Buffer, from: Endpoint): void {
    // Sound and reports may share a port (RFC 5761 §4).
    const kind = (packet[1] ?? 0) & 0x7f;
    if (kind >= 64 && kind <= 95) {
      this.#takeReport(packet, from.address);
      return;
    }
    const read = this.#read(packet);
    const latch = this.#latch;
    if (read === undefined || latch === undefined) {
      this.#rejected += 1;
      return;
    }
    const { ssrc, sequenceNumber: sequence } = read.header;
    if (
      !latch.accepts(
        { address: from.address, port: from.port },
        { ssrc, sequence, proven: this.#srtp !== undefined },
      )
    )
      return;
    this.#heardAt = this.#parts.clock.now();
    this.#receiver.take(read, this.#heardAt);
  }

  /**
   * An RTP packet of this call, decrypted; undefined for anything else, and for a packet of ours that came
   * back.
   */
  #read(packet: Buffer): RtpPacket | undefined {
    if (packet.length < 12 || packet.length > LARGEST_PACKET || (packet[0] ?? 0) >> 6 !== 2) return undefined;
    if (!this.#receiver.knows((packet[1] ?? 0) & 0x7f)) return undefined;
    const plain = this.#srtp === undefined ? packet : this.#srtp.theirs.unprotect(packet);
    if (plain === undefined) return undefined;
    try {
      const read = this.#parts.werift.RtpPacket.deSerialize(plain);
      return read.header.ssrc === this.#sender.ssrc ? undefined : read;
    } catch {
      return undefined;
    }
  }

  #takeReport(packet: Buffer, from: string): void {
    if (this.#latch?.knows(from) !== true || packet.length > LARGEST_PACKET) return;
    const plain = this.#srtp === undefined ? packet : this.#srtp.theirs.unprotectReport(packet);
    if (plain === undefined || !this.#reports.read(plain, Date.now())) this.#rejected += 1;
    else this.#heardAt = this.#parts.clock.now();
  }

  async #report(kind: 'report' | 'goodbye'): Promise<void> {
    const [agreed, latch] = [this.#agreed, this.#latch];
    if (agreed === undefined || latch === undefined || this.#state !== 'connected') return;
    const [sent, received, now] = [this.#sender.soFar(), this.#receiver.soFar(), Date.now()];
    const plain =
      kind === 'report'
        ? this.#reports.write(sent, received, now)
        : this.#reports.writeGoodbye(sent, received, now);
    const packet = this.#srtp?.ours.protectReport(plain) ?? plain;
    // Behind a router only the port that sound comes from is known to be open.
    const there = latch.target;
    const port = agreed.mux || there.address !== agreed.reports.address ? there.port : agreed.reports.port;
    const socket = agreed.mux ? this.#parts.pair.sound : this.#parts.pair.reports;
    await new Promise<void>((done) => {
      socket.send(packet, port, there.address, () => done());
    });
  }
}
