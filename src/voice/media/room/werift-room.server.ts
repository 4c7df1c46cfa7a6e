import { FramePacer, MACHINE_CLOCK } from '@northline/telephone-audio/frame-pacing';
import { type OpusCodec, TICKS_PER_FRAME } from '@northline/telephone-audio/opus-codec';
import type { MediaStats, SoundUnder } from '@northline/telephone-audio/sound-session';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { loudness } from '../loudness.server.ts';
import type { CameraStream } from '../media-transport.server.ts';
import { ActiveSpeaker } from './active-speaker.server.ts';
import { type SentKind, trackKind } from './media-kind.contract.ts';
import {
  ASSISTANT,
  type MediaPeer,
  type MediaRoom,
  type RoomLayout,
  type RoomSound,
  type RoomStats,
} from './media-room.server.ts';
import type { SlotPacket } from './slot-stream.server.ts';
import { SoundMix } from './sound-mix.server.ts';
import { type PeerParts, type PeerSource, WeriftPeer } from './werift-peer.server.ts';

/** Shortest time between two requests for a keyframe of one source, milliseconds. */
const KEYFRAME_MS = 300;
/** How often sizes of pictures that have stopped are looked for, milliseconds. */
const LAYERS_MS = 500;

/** What a room is made of. */
export interface RoomParts extends Omit<PeerParts, 'listener' | 'layout'> {
  createCodec(): Promise<OpusCodec>;
  closed(): void;
}

interface Receiver {
  readonly peer: WeriftPeer;
  readonly slot: number;
}

/** A room over WebRTC in this process: see {@link MediaRoom}. */
export class WeriftRoom implements MediaRoom {
  readonly layout: RoomLayout;
  readonly #parts: RoomParts;
  readonly #peers = new Map<string, WeriftPeer>();
  readonly #speaker = new ActiveSpeaker();
  readonly #speakerListeners: ((peerId: string) => void)[] = [];
  readonly #voiceListeners: ((peerId: string, pcm: Int16Array) => void)[] = [];
  readonly #keyframes = new Map<string, number>();
  #receivers = new Map<string, Receiver[]>();
  /** The assistant and the guests, who have no connection, with the mix that each of them hears. */
  readonly #voices = new Map<
    string,
    { readonly voice: RoomVoice; readonly heard: SoundMix; isSilent: boolean }
  >();
  /** Nothing announces that a size of a picture has started or stopped. */
  readonly #timer = setInterval(() => this.#indexRoutes(), LAYERS_MS);
  #closed = false;
  readonly #count = { received: 0, forwarded: 0, dropped: 0, keyframes: 0 };

  constructor(parts: RoomParts, layout: RoomLayout) {
    this.#parts = parts;
    this.layout = layout;
  }

  async enter(peerId: string): Promise<MediaPeer> {
    const codec = await this.#parts.createCodec();
    if (this.#closed) throw new ServiceError(503, 'room_closed', 'This room has closed. Please try again.');
    const peer: WeriftPeer = new WeriftPeer(
      {
        ...this.#parts,
        layout: this.layout,
        listener: {
          packet: (source, packet) => this.#forward(peerId, source, packet),
          pcm: (pcm) => this.#hear(peerId, pcm),
          routed: () => this.#indexRoutes(),
          needsKeyframe: (slot) => this.#requestKeyframe(peer, slot),
          closed: () => this.#left(peerId),
        },
      },
      codec,
    );
    this.#peers.set(peerId, peer);
    return peer;
  }

  async assistant(): Promise<RoomSound> {
    if (this.#voices.has(ASSISTANT)) throw new Error('This room has an assistant already.');
    return this.#voice(ASSISTANT, 'audio');
  }

  guest(guestId: string, kind: SentKind = 'audio'): Promise<RoomSound> {
    return this.#voice(guestId, kind);
  }

  silence(guestId: string, isSilent: boolean): void {
    const guest = this.#voices.get(guestId);
    if (guest === undefined || guest.isSilent === isSilent) return;
    guest.isSilent = isSilent;
    if (isSilent) this.#forget(guestId);
  }

  camera(peerId: string): CameraStream | undefined {
    return this.#peers.get(peerId)?.camera;
  }

  onVoice(listener: (peerId: string, pcm: Int16Array) => void): void {
    this.#voiceListeners.push(listener);
  }

  onActiveSpeaker(listener: (peerId: string) => void): void {
    this.#speakerListeners.push(listener);
  }

  stats(): RoomStats {
    const { received, forwarded, dropped, keyframes } = this.#count;
    return {
      packetsReceived: received,
      packetsForwarded: forwarded,
      packetsDropped: dropped,
      keyframesRequested: keyframes,
    };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#timer);
    for (const { voice } of [...this.#voices.values()]) voice.close();
    await Promise.all([...this.#peers.values()].map((peer) => peer.close()));
    this.#parts.closed();
  }

  #left(peerId: string): void {
    this.#peers.delete(peerId);
    this.#forget(peerId);
    for (const key of [...this.#keyframes.keys()])
      if (key.startsWith(`${peerId} `)) this.#keyframes.delete(key);
    this.#indexRoutes();
  }

  /** Indexes the routes by source, since they are looked up for every packet. */
  #indexRoutes(): void {
    const now = performance.now();
    const receivers = new Map<string, Receiver[]>();
    for (const peer of this.#peers.values())
      for (const { from, kind, slot, layer } of peer.routes) {
        const key = `${from} ${kind}`;
        receivers.set(key, [...(receivers.get(key) ?? []), { peer, slot }]);
        const best = this.#peers.get(from)?.bestLayer(kind, layer, now) ?? 0;
        const stream = peer.stream(kind, slot);
        const source = `${key} ${best}`;
        stream?.take(source, stream.wanted?.startsWith(`${key} `) ?? false);
      }
    this.#receivers = receivers;
  }

  #forward(from: string, source: PeerSource, packet: SlotPacket): void {
    this.#count.received += 1;
    const now = performance.now();
    const { kind, layer } = source;
    const stream = `${from} ${kind}`;
    const key = `${stream} ${layer}`;
    const receivers = this.#receivers.get(stream) ?? [];
    if (receivers.length === 0) this.#count.dropped += 1;
    for (const { peer, slot } of receivers) {
      const carried = peer.stream(kind, slot);
      const passed = carried?.pass(key, packet, now);
      if (passed === undefined) this.#count.dropped += 1;
      else {
        peer.pass(kind, slot, passed);
        this.#count.forwarded += 1;
      }
      if (carried?.waitsFor(key)) this.#requestFrom(from, source);
    }
  }

  #hear(peerId: string, pcm: Int16Array): void {
    this.#spread(peerId, pcm);
    for (const listener of this.#voiceListeners) listener(peerId, pcm);
    this.#weigh(peerId, pcm);
  }

  async #voice(id: string, kind: SentKind): Promise<RoomSound> {
    const codec = await this.#parts.createCodec();
    if (this.#closed) throw new ServiceError(503, 'room_closed', 'This room has closed. Please try again.');
    const heard = new SoundMix();
    const isSilent = (): boolean => this.#voices.get(id)?.isSilent === true;
    const voice = new RoomVoice(codec, {
      send: (packet) => {
        if (!isSilent()) this.#forward(id, { kind, layer: 0 }, packet);
      },
      said: (frame) => {
        if (isSilent()) return;
        this.#spread(id, frame, kind !== 'audio');
        if (id !== ASSISTANT && kind === 'audio') this.#weigh(id, frame);
      },
      heard: () => heard.next(),
      closed: () => this.#fallenSilent(id),
    });
    this.#voices.set(id, { voice, heard, isSilent: false });
    return voice;
  }

  #fallenSilent(id: string): void {
    this.#voices.delete(id);
    this.#forget(id);
  }

  /** Somebody is not heard any more: they cannot be the speaker, and their waiting sound is dropped. */
  #forget(id: string): void {
    this.#speaker.leave(id);
    for (const { heard } of this.#voices.values()) heard.leave(id);
  }

  /** Adds somebody's sound to the mixes. Nobody hears themselves, and the assistant hears voices only. */
  #spread(from: string, pcm: Int16Array, isMedia = false): void {
    for (const [id, { heard }] of this.#voices)
      if (id !== from && !(isMedia && id === ASSISTANT)) heard.push(from, pcm);
  }

  /** Updates who is speaking. */
  #weigh(peerId: string, pcm: Int16Array): void {
    if (this.#speaker.hear(peerId, loudness(pcm), performance.now()))
      for (const listener of this.#speakerListeners) listener(peerId);
  }

  /** Requests a keyframe: without one a receiver cannot continue. */
  #requestKeyframe(receiver: WeriftPeer, slot: number): void {
    const route = receiver.routes.find((one) => trackKind(one.kind) === 'video' && one.slot === slot);
    if (route === undefined) return;
    const { from, kind } = route;
    const layer = Number(receiver.stream(kind, slot)?.wanted?.split(' ').at(-1) ?? 0);
    this.#requestFrom(from, { kind, layer });
  }

  #requestFrom(from: string, source: PeerSource): void {
    const now = performance.now();
    const key = `${from} ${source.kind} ${source.layer}`;
    if (now - (this.#keyframes.get(key) ?? Number.NEGATIVE_INFINITY) < KEYFRAME_MS) return;
    this.#keyframes.set(key, now);
    this.#count.keyframes += 1;
    this.#peers.get(from)?.requestKeyframe(source);
  }
}

/** What a voice needs from its room. */
interface VoiceLinks {
  send(packet: SlotPacket): void;
  /** Takes 20 ms of what the others are to hear. */
  said(frame: Int16Array): void;
  heard(): Int16Array;
  closed(): void;
}

/** The sound of the assistant or of a guest. One pacer drives both directions, so that they share a clock. */
class RoomVoice implements RoomSound {
  readonly #codec: OpusCodec;
  readonly #links: VoiceLinks;
  readonly #pacer: FramePacer;
  readonly #pcmListeners: ((pcm: Int16Array) => void)[] = [];
  readonly #sentListeners: ((frame: Int16Array, speech: Int16Array) => void)[] = [];
  #sent = 0;

  constructor(codec: OpusCodec, links: VoiceLinks) {
    this.#codec = codec;
    this.#links = links;
    this.#pacer = new FramePacer(MACHINE_CLOCK, (frame, speech) => this.#tick(frame, speech));
  }

  onPcm16k(listener: (pcm: Int16Array) => void): void {
    this.#pcmListeners.push(listener);
  }

  onSent(listener: (frame: Int16Array, speech: Int16Array) => void): void {
    this.#sentListeners.push(listener);
  }

  writePcm(pcm: Int16Array): void {
    this.#pacer.write(pcm);
  }

  queuedMs(): number {
    return this.#pacer.queuedMs;
  }

  hold(held: boolean): void {
    this.#pacer.hold(held);
  }

  flush(): number {
    return this.#pacer.flush();
  }

  playUnder(sound: SoundUnder | undefined): void {
    this.#pacer.playUnder(sound);
  }

  stats(): MediaStats {
    return {
      packetsReceived: this.#sent,
      packetsLost: 0,
      packetsRejected: 0,
      packetsSent: this.#sent,
      framesLate: this.#pacer.late,
    };
  }

  close(): void {
    this.#pacer.stop();
    this.#links.closed();
  }

  #tick(frame: Int16Array, speech: Int16Array): void {
    this.#links.send({
      sequenceNumber: this.#sent & 0xffff,
      timestamp: (this.#sent * TICKS_PER_FRAME) >>> 0,
      marker: this.#sent === 0,
      payload: Buffer.from(this.#codec.encode(frame)),
    });
    this.#sent += 1;
    this.#links.said(frame);
    for (const listener of this.#sentListeners) listener(frame, speech);
    const heard = this.#links.heard();
    for (const listener of this.#pcmListeners) listener(heard);
  }
}
