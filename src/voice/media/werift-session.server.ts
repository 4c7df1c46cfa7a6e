import type { RTCDataChannel, RTCPeerConnection } from 'werift';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { sendText } from './channel-text.server.ts';
import { FramePacer, MACHINE_CLOCK } from './frame-pacing.server.ts';
import type {
  MediaSession,
  MediaState,
  MediaStats,
  RoomFault,
  SoundUnder,
} from './media-transport.server.ts';
import { checkOffer } from './offer-check.server.ts';
import { type OpusCodec, TICKS_PER_FRAME } from './opus-codec.server.ts';
import { PacketOrder } from './packet-order.server.ts';
import { answerOffer } from './peer-answer.server.ts';
import { PeerWatch } from './peer-watch.server.ts';

/** Longest app message, characters (docs/specification/platform.md §5). */
const MAX_APP_MESSAGE = 4096;
/** Name of the data channel on which a room speaks for itself (docs/voice-api.md, Rooms). */
const ROOM_CHANNEL = 'room';

type Werift = typeof import('werift');

/** What one session is made of. */
export interface SessionParts {
  readonly werift: Werift;
  readonly codec: OpusCodec;
  /** Opens the connection; `alive` is called for every STUN check of the peer. */
  connect(alive: () => void): RTCPeerConnection;
  /** The answer as the peer may see it (addresses). */
  present(sdp: string): string;
  closed(): void;
}

/** One call over WebRTC: see {@link MediaSession}. */
export class WeriftSession implements MediaSession {
  readonly #parts: SessionParts;
  readonly #connection: RTCPeerConnection;
  readonly #track: InstanceType<Werift['MediaStreamTrack']>;
  readonly #order = new PacketOrder();
  readonly #pcmListeners: ((pcm: Int16Array) => void)[] = [];
  readonly #sentListeners: ((frame: Int16Array, speech: Int16Array) => void)[] = [];
  readonly #messageListeners: ((text: string) => void)[] = [];
  readonly #watch = new PeerWatch();
  #channel: RTCDataChannel | undefined;
  #room: RTCDataChannel | undefined;
  #pacer: FramePacer | undefined;
  #answered = false;
  #received = 0;
  #unusable = 0;
  #sent = 0;
  #sequence = Math.floor(Math.random() * 0x8000);
  #timestamp = Math.floor(Math.random() * 0x7fffffff);

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#connection = parts.connect(() => this.#watch.alive());
    this.#track = new parts.werift.MediaStreamTrack({ kind: 'audio' });
    this.#connection.addTransceiver(this.#track, { direction: 'sendrecv' });
    this.#connection.onTrack.subscribe((track) =>
      track.onReceiveRtp.subscribe(({ header, payload }) => this.#hear(header.sequenceNumber, payload)),
    );
    this.#connection.onDataChannel.subscribe((channel) => this.#open(channel));
    this.#connection.connectionStateChange.subscribe((state) => this.#connectionIs(state));
  }

  async answer(offer: string): Promise<string> {
    const checked = checkOffer(offer);
    if (this.#answered || this.#watch.isClosed)
      throw new ServiceError(409, 'already_answered', 'This call has been joined already.');
    this.#answered = true;
    this.#watch.start();
    return this.#parts.present(await answerOffer(this.#connection, checked, () => this.close()));
  }

  onPcm16k(listener: (pcm: Int16Array) => void): void {
    this.#pcmListeners.push(listener);
  }

  onSent(listener: (frame: Int16Array, speech: Int16Array) => void): void {
    this.#sentListeners.push(listener);
  }

  onAppMessage(listener: (text: string) => void): void {
    this.#messageListeners.push(listener);
  }

  onState(listener: (state: MediaState) => void): void {
    this.#watch.onState(listener);
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

  sendAppMessage(text: string): boolean {
    return sendText(this.#channel, text);
  }

  sendFault(fault: RoomFault): boolean {
    return sendText(this.#room, JSON.stringify({ action: 'error', error: fault }));
  }

  stats(): MediaStats {
    return {
      packetsReceived: this.#received,
      packetsLost: this.#order.lost,
      packetsRejected: this.#order.rejected + this.#unusable,
      packetsSent: this.#sent,
      framesLate: this.#pacer?.late ?? 0,
    };
  }

  async close(): Promise<void> {
    if (this.#watch.isClosed) return;
    this.#pacer?.stop();
    this.#pacer = undefined;
    this.#watch.close();
    this.#parts.closed();
    await this.#connection.close();
  }

  #connectionIs(state: string): void {
    if (this.#watch.isClosed) return;
    if (state === 'connected')
      this.#pacer ??= new FramePacer(MACHINE_CLOCK, (frame, speech) => this.#send(frame, speech));
    if (this.#watch.connection(state)) void this.close();
  }

  #hear(sequence: number, payload: Uint8Array): void {
    this.#watch.alive();
    this.#received += 1;
    for (const packet of this.#order.take(sequence, payload)) {
      const pcm = packet === 'lost' ? this.#parts.codec.conceal() : this.#parts.codec.decode(packet.payload);
      if (pcm === undefined) this.#unusable += 1;
      else for (const listener of this.#pcmListeners) listener(pcm);
    }
  }

  #open(channel: RTCDataChannel): void {
    if (channel.label === ROOM_CHANNEL) {
      this.#room ??= channel;
      return;
    }
    // The first other channel is the call's; a peer that opens more is not listened to there.
    if (this.#channel !== undefined) return;
    this.#channel = channel;
    channel.stateChanged.subscribe((state) => {
      if (state === 'closed') void this.close();
    });
    channel.onMessage.subscribe((data) => {
      const text = data.toString();
      if (text.length > MAX_APP_MESSAGE) return;
      for (const listener of this.#messageListeners) listener(text);
    });
  }

  #send(frame: Int16Array, speech: Int16Array): void {
    const { RtpHeader, RtpPacket } = this.#parts.werift;
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.#timestamp = (this.#timestamp + TICKS_PER_FRAME) >>> 0;
    // Payload type and SSRC are set by the sender, to what was negotiated.
    const header = new RtpHeader({
      sequenceNumber: this.#sequence,
      timestamp: this.#timestamp,
      marker: this.#sent === 0,
    });
    this.#track.writeRtp(new RtpPacket(header, Buffer.from(this.#parts.codec.encode(frame))));
    this.#sent += 1;
    for (const listener of this.#sentListeners) listener(frame, speech);
  }
}
