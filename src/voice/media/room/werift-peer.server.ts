import type { OpusCodec } from '@northline/telephone-audio/opus-codec';
import type { MediaState } from '@northline/telephone-audio/sound-session';
import type {
  MediaStreamTrack,
  RTCDataChannel,
  RTCPeerConnection,
  RTCRtpTransceiver,
  RtpPacket,
} from 'werift';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { guardedListener } from '../../../kernel/resources/guarded-listener.ts';
import { announceBandwidth, BANDWIDTH_MS, withoutMeasuring } from '../bandwidth-announcement.server.ts';
import { sendText } from '../channel-text.server.ts';
import type { RoomFault } from '../media-transport.server.ts';
import { checkOffer } from '../offer-check.server.ts';
import { PacketOrder } from '../packet-order.server.ts';
import { answerOffer } from '../peer-answer.server.ts';
import { PeerWatch } from '../peer-watch.server.ts';
import { SecondCount } from '../per-second-count.server.ts';
import { LiveLayers } from './live-layers.server.ts';
import { SENT_KINDS, type SentKind, sectionsOf, trackKind } from './media-kind.contract.ts';
import type { MediaPeer, RoomLayout, Route } from './media-room.server.ts';
import { RoomCamera } from './room-camera.server.ts';
import { type SlotPacket, SlotStream } from './slot-stream.server.ts';

type Werift = typeof import('werift');

/** One stream that a peer sends; a picture may come in several sizes, each a stream. */
export interface PeerSource {
  readonly kind: SentKind;
  readonly layer: number;
}

/** What a peer reports to its room. */
export interface PeerListener {
  packet(source: PeerSource, packet: SlotPacket): void;
  /** Sound in order, lost packets filled. */
  pcm(pcm: Int16Array): void;
  routed(): void;
  /** The receiver lost the picture in this slot. */
  needsKeyframe(slot: number): void;
  closed(): void;
}

/** What one peer is made of. */
export interface PeerParts {
  readonly werift: Werift;
  readonly layout: RoomLayout;
  readonly listener: PeerListener;
  /** Opens the connection; `alive` is called for every STUN check of the peer. */
  connect(alive: () => void): RTCPeerConnection;
  /** Rewrites the answer's addresses to those that the peer may see. */
  present(sdp: string): string;
  /**
   * Called with an error in our own code that a peer's packet or text caused; that packet or text is dropped.
   */
  report(fault: unknown): void;
}

/** Name of a room's one data channel (docs/voice-api.md, Rooms). */
const CHANNEL = 'room';
/** Longest text on the channel: browsers receive that much in one message. */
const MAX_TEXT = 64 * 1024;
/** How long the last message before closing has to be sent, milliseconds. */
const FAREWELL_MS = 150;

/** Bits a second that one person is told they may send: three sizes of a camera, and a screen. */
const MOST_BITRATE = 4_000_000;
/** Bytes in one second beyond which a peer's packets are dropped: twice the announced bandwidth. */
const MOST_BYTES = (2 * MOST_BITRATE) / 8;
/** Which size of a camera a recording uses where there are several: the middle one of three. */
const RECORDED_LAYER = 1;
/**
 * Bytes that each packet counts for besides its payload: many small packets are as much work as a few large
 * ones.
 */
const PACKET_BYTES = 60;

interface Slot {
  readonly transceiver: RTCRtpTransceiver;
  readonly stream: SlotStream;
}

/** One person's connection over WebRTC: see {@link MediaPeer}. */
export class WeriftPeer implements MediaPeer {
  readonly #parts: PeerParts;
  readonly #codec: OpusCodec;
  readonly #connection: RTCPeerConnection;
  readonly #sources = new Map<SentKind, RTCRtpTransceiver>();
  readonly #slots: Readonly<Record<'audio' | 'video', readonly Slot[]>>;
  readonly #order = new PacketOrder();
  readonly #watch: PeerWatch;
  readonly #textListeners: ((text: string) => void)[] = [];
  readonly #openListeners: (() => void)[] = [];
  #channel: RTCDataChannel | undefined;
  #allowed: ReadonlySet<SentKind> = new Set();
  #routes: readonly Route[] = [];
  readonly #layers = new Map<SentKind, LiveLayers>(SENT_KINDS.map((kind) => [kind, new LiveLayers()]));
  readonly #bytes = new SecondCount();
  /** The camera for a recording. */
  readonly camera = new RoomCamera({
    layer: () => this.bestLayer('video', RECORDED_LAYER, performance.now()),
    requestKeyframe: (layer) => this.requestKeyframe({ kind: 'video', layer }),
  });
  #bandwidth: NodeJS.Timeout | undefined;
  #answered = false;

  constructor(parts: PeerParts, codec: OpusCodec) {
    this.#parts = parts;
    this.#codec = codec;
    this.#watch = new PeerWatch();
    this.#watch.onState((state) => {
      if (state !== 'closed') return;
      clearInterval(this.#bandwidth);
      parts.listener.closed();
    });
    this.#connection = parts.connect(() => this.#watch.alive());
    for (const kind of SENT_KINDS) this.#sources.set(kind, this.#receive(kind));
    const { layout } = parts;
    this.#slots = {
      audio: Array.from({ length: layout.audio }, () => this.#slot('audio')),
      video: Array.from({ length: layout.video }, (_, slot) => this.#slot('video', slot)),
    };
    this.#connection.onDataChannel.subscribe((channel) => this.#open(channel));
    this.#connection.connectionStateChange.subscribe((state) => {
      if (state === 'connected')
        this.#bandwidth ??= setInterval(() => this.#announceBandwidth(), BANDWIDTH_MS);
      if (this.#watch.connection(state)) void this.close();
    });
  }

  get routes(): readonly Route[] {
    return this.#routes;
  }

  async answer(offer: string): Promise<string> {
    const checked = checkOffer(offer, sectionsOf(this.#parts.layout));
    if (this.#answered || this.#watch.isClosed)
      throw new ServiceError(409, 'already_answered', 'This room has been entered already.');
    this.#answered = true;
    this.#watch.start();
    const sdp = withoutMeasuring(checked);
    return this.#parts.present(await answerOffer(this.#connection, sdp, () => this.close()));
  }

  onText(listener: (text: string) => void): void {
    this.#textListeners.push(listener);
  }

  onOpen(listener: () => void): void {
    this.#openListeners.push(listener);
  }

  onState(listener: (state: MediaState) => void): void {
    this.#watch.onState(listener);
  }

  send(text: string): boolean {
    const sent = sendText(this.#channel, text);
    // A peer that misses a text would see another room than the others do, so it is closed, after everybody
    // was sent the text.
    if (!sent && this.#channel?.readyState === 'open') queueMicrotask(() => void this.close());
    return sent;
  }

  allow(kinds: ReadonlySet<SentKind>): void {
    this.#allowed = kinds;
  }

  route(routes: readonly Route[]): void {
    this.#routes = routes;
    for (const kind of ['audio', 'video'] as const)
      this.#slots[kind].forEach(({ stream }, at) => {
        if (!routes.some((one) => one.slot === at && trackKind(one.kind) === kind)) stream.take(undefined);
      });
    this.#parts.listener.routed();
  }

  /** The slot that carries this kind to the peer. */
  stream(kind: SentKind, at: number): SlotStream | undefined {
    return this.#slots[trackKind(kind)][at]?.stream;
  }

  /** The size of a picture that is nearest to the wished one, among those that arrive. */
  bestLayer(kind: SentKind, wished: number | undefined, now: number): number {
    return this.#layers.get(kind)?.best(wished, now) ?? 0;
  }

  /** Sends a packet on a slot. */
  pass(kind: SentKind, at: number, passed: SlotPacket): void {
    const slot = this.#slots[trackKind(kind)][at];
    if (slot === undefined || this.#watch.isClosed) return;
    const { RtpHeader, RtpPacket } = this.#parts.werift;
    const { payload, ...numbers } = passed;
    // The sender sets payload type and SSRC to the negotiated values. A packet that cannot be sent counts as
    // lost.
    slot.transceiver.sender.sendRtp(new RtpPacket(new RtpHeader(numbers), payload)).catch(() => {});
  }

  /** @param layer the size of the picture */
  requestKeyframe({ kind, layer }: PeerSource): void {
    const receiver = this.#sources.get(kind)?.receiver;
    const track = receiver?.tracks.find(({ rid }) => layerOf(rid) === layer);
    if (receiver !== undefined && track?.ssrc !== undefined) void receiver.sendRtcpPLI(track.ssrc);
  }

  async close(fault?: RoomFault): Promise<void> {
    if (this.#watch.isClosed) return;
    const told = fault !== undefined && this.send(JSON.stringify({ action: 'error', error: fault }));
    this.#watch.close();
    if (told) await new Promise((resolve) => setTimeout(resolve, FAREWELL_MS));
    await this.#connection.close();
  }

  #announceBandwidth(): void {
    announceBandwidth(this.#parts.werift, this.#sources.get('video')?.receiver, MOST_BITRATE);
  }

  #receive(kind: SentKind): RTCRtpTransceiver {
    const transceiver = this.#connection.addTransceiver(trackKind(kind), { direction: 'recvonly' });
    transceiver.onTrack.subscribe((track) => {
      const source = { kind, layer: layerOf(track.rid) };
      track.onReceiveRtp.subscribe(
        guardedListener(this.#parts.report, (packet: RtpPacket) => this.#take(source, track, packet)),
      );
    });
    return transceiver;
  }

  #slot(kind: 'audio' | 'video', at = 0): Slot {
    const transceiver = this.#connection.addTransceiver(kind, { direction: 'sendonly' });
    if (kind === 'video')
      transceiver.sender.onPictureLossIndication.subscribe(() => this.#parts.listener.needsKeyframe(at));
    return { transceiver, stream: new SlotStream(kind) };
  }

  #take(source: PeerSource, track: MediaStreamTrack, { header, payload }: RtpPacket): void {
    this.#watch.alive();
    const { kind, layer } = source;
    if (!this.#allowed.has(kind) || this.#bytes.add(payload.length + PACKET_BYTES) > MOST_BYTES) return;
    // A size that is known by its name only gets its SSRC from its first packet.
    track.ssrc ??= header.ssrc;
    const { sequenceNumber, timestamp, marker } = header;
    if (this.#layers.get(kind)?.hear(layer, performance.now())) this.#parts.listener.routed();
    this.#parts.listener.packet(source, { sequenceNumber, timestamp, marker, payload });
    if (kind === 'video') this.camera.take(layer, { sequenceNumber, timestamp, marker, payload });
    if (kind !== 'audio') return;
    for (const packet of this.#order.take(sequenceNumber, payload)) {
      const pcm = packet === 'lost' ? this.#codec.conceal() : this.#codec.decode(packet.payload);
      if (pcm !== undefined) this.#parts.listener.pcm(pcm);
    }
  }

  #open(channel: RTCDataChannel): void {
    if (channel.label !== CHANNEL || this.#channel !== undefined) return;
    this.#channel = channel;
    const opened = (): void => {
      for (const listener of this.#openListeners) listener();
    };
    channel.stateChanged.subscribe((state) => {
      if (state === 'open') opened();
      if (state === 'closed') void this.close();
    });
    channel.onMessage.subscribe(
      guardedListener(this.#parts.report, (data: string | Buffer) => {
        const text = data.toString();
        if (text.length > MAX_TEXT) return;
        for (const listener of this.#textListeners) listener(text);
      }),
    );
    if (channel.readyState === 'open') opened();
  }
}

/** Sizes are named by number, 0 the smallest; a picture of one size has no name. */
const layerOf = (rid: string | undefined): number => Number(rid ?? 0) || 0;
