import { FramePacer, MACHINE_CLOCK } from '@northline/telephone-audio/frame-pacing';
import { type OpusCodec, TICKS_PER_FRAME } from '@northline/telephone-audio/opus-codec';
import type { MediaState, MediaStats, SoundUnder } from '@northline/telephone-audio/sound-session';
import type { RTCDataChannel, RTCPeerConnection, RTCRtpTransceiver, RtpPacket } from 'werift';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { guardedListener } from '../../kernel/resources/guarded-listener.ts';
import { announceBandwidth, BANDWIDTH_MS, withoutMeasuring } from './bandwidth-announcement.server.ts';
import { CAMERA_BITRATE, CameraReceiver } from './camera-receiver.server.ts';
import { MAX_APP_MESSAGE, ROOM_CHANNEL, ROOM_TEXTS_PER_SECOND, sendText } from './channel-text.server.ts';
import type { MediaSession, RecordingNotice, RoomFault } from './media-transport.server.ts';
import { checkOffer } from './offer-check.server.ts';
import { PacketOrder } from './packet-order.server.ts';
import { answerOffer } from './peer-answer.server.ts';
import { PeerWatch } from './peer-watch.server.ts';
import { SecondCount } from './per-second-count.server.ts';

type Werift = typeof import('werift');

/** What one session is made of. */
export interface SessionParts {
  readonly werift: Werift;
  readonly codec: OpusCodec;
  /** Opens the connection; `alive` is called for every STUN check of the peer. */
  connect(alive: () => void): RTCPeerConnection;
  /** Rewrites the answer's addresses to those that the peer may see. */
  present(sdp: string): string;
  /**
   * Called with an error in our own code that a peer's packet or text caused; that packet or text is dropped.
   */
  report(fault: unknown): void;
  closed(): void;
  /** Whether an offered camera is accepted. */
  readonly camera: boolean;
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
  readonly #roomListeners: ((text: string) => void)[] = [];
  readonly #roomTexts = new SecondCount();
  readonly #watch = new PeerWatch();
  readonly camera: CameraReceiver | undefined;
  #picture: RTCRtpTransceiver | undefined;
  #pictureSource: number | undefined;
  #bandwidth: NodeJS.Timeout | undefined;
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
    this.#connection.onTrack.subscribe((track) => {
      if (track.kind === 'audio')
        track.onReceiveRtp.subscribe(
          guardedListener(parts.report, ({ header, payload }: RtpPacket) =>
            this.#hear(header.sequenceNumber, payload),
          ),
        );
    });
    if (parts.camera) this.camera = new CameraReceiver(() => this.#requestKeyframe());
    this.#connection.onDataChannel.subscribe((channel) => this.#open(channel));
    this.#connection.connectionStateChange.subscribe((state) => this.#connectionIs(state));
  }

  async answer(offer: string): Promise<string> {
    const checked = checkOffer(offer);
    if (this.#answered || this.#watch.isClosed)
      throw new ServiceError(409, 'already_answered', 'This call has been joined already.');
    this.#answered = true;
    this.#watch.start();
    if (this.camera !== undefined && /^m=video /m.test(checked)) this.#see(this.camera);
    const sdp = this.#picture === undefined ? checked : withoutMeasuring(checked);
    return this.#parts.present(await answerOffer(this.#connection, sdp, () => this.close()));
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

  onRoomText(listener: (text: string) => void): void {
    this.#roomListeners.push(listener);
  }

  sendNotice(notice: RecordingNotice): boolean {
    return sendText(this.#room, JSON.stringify(notice));
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
    clearInterval(this.#bandwidth);
    this.#pacer?.stop();
    this.#pacer = undefined;
    this.#watch.close();
    this.#parts.closed();
    await this.#connection.close();
  }

  #connectionIs(state: string): void {
    if (this.#watch.isClosed) return;
    if (state === 'connected') {
      this.#pacer ??= new FramePacer(MACHINE_CLOCK, (frame, speech) => this.#send(frame, speech));
      if (this.#picture !== undefined)
        this.#bandwidth ??= setInterval(() => this.#announceBandwidth(), BANDWIDTH_MS);
    }
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

  /** Accepts the offered picture. Without an offer of one this changes nothing. */
  #see(camera: CameraReceiver): void {
    this.#picture = this.#connection.addTransceiver('video', { direction: 'recvonly' });
    this.#picture.onTrack.subscribe((track) =>
      track.onReceiveRtp.subscribe(
        guardedListener(this.#parts.report, ({ header, payload }: RtpPacket) => {
          this.#watch.alive();
          const { ssrc, sequenceNumber, timestamp, marker } = header;
          this.#pictureSource = ssrc;
          camera.take({ sequenceNumber, timestamp, marker, payload });
        }),
      ),
    );
  }

  #requestKeyframe(): void {
    // A failure needs no handling: the next request follows soon.
    if (this.#pictureSource !== undefined) void this.#picture?.receiver.sendRtcpPLI(this.#pictureSource);
  }

  #announceBandwidth(): void {
    announceBandwidth(this.#parts.werift, this.#picture?.receiver, CAMERA_BITRATE);
  }

  #open(channel: RTCDataChannel): void {
    if (channel.label === ROOM_CHANNEL) {
      this.#openRoom(channel);
      return;
    }
    // The first other channel carries the call's app messages; further channels of the peer are ignored.
    if (this.#channel !== undefined) return;
    this.#channel = channel;
    channel.stateChanged.subscribe((state) => {
      if (state === 'closed') void this.close();
    });
    channel.onMessage.subscribe(
      guardedListener(this.#parts.report, (data: string | Buffer) => {
        const text = data.toString();
        if (text.length > MAX_APP_MESSAGE) return;
        for (const listener of this.#messageListeners) listener(text);
      }),
    );
  }

  /**
   * On this channel the room sends its own texts; what the peer sends there is about the call, not for the
   * assistant.
   */
  #openRoom(channel: RTCDataChannel): void {
    if (this.#room !== undefined) return;
    this.#room = channel;
    channel.onMessage.subscribe(
      guardedListener(this.#parts.report, (data: string | Buffer) => {
        const text = data.toString();
        if (text.length > MAX_APP_MESSAGE || this.#roomTexts.add() > ROOM_TEXTS_PER_SECOND) return;
        for (const listener of this.#roomListeners) listener(text);
      }),
    );
  }

  #send(frame: Int16Array, speech: Int16Array): void {
    const { RtpHeader, RtpPacket } = this.#parts.werift;
    this.#sequence = (this.#sequence + 1) & 0xffff;
    this.#timestamp = (this.#timestamp + TICKS_PER_FRAME) >>> 0;
    // The sender sets payload type and SSRC to the negotiated values.
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
