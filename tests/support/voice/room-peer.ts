import { Decoder, Encoder } from '@evan/opus';
import {
  MediaStreamTrack,
  RTCPeerConnection,
  RTCRtpCodecParameters,
  type RTCRtpSender,
  type RTCRtpTransceiver,
  RtpHeader,
  RtpPacket,
} from 'werift';
import { SENT_KINDS, type SentKind, trackKind } from '../../../src/voice/media/room/media-kind.contract.ts';
import type { RoomLayout } from '../../../src/voice/media/room/media-room.server.ts';
import { LOOPBACK, until } from './voice-peer.ts';

/** A packet of a picture as received: its frame's number, and whether the frame is a key frame. */
export interface SeenPacket {
  readonly sequenceNumber: number;
  readonly timestamp: number;
  readonly picture: number;
  readonly isKeyframe: boolean;
  /** The number that the sender wrote into the frame. */
  readonly mark: number;
  readonly at: number;
}

/** The kinds of picture that this end can send. */
type Shown = 'video' | 'screenVideo' | 'customVideo1';
type Said = 'audio' | 'screenAudio' | 'customAudio1';

/** The other end of a room's connection, like a browser, on the loopback. */
export interface RoomPeer {
  /** The room's messages in order, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: notices of every shape are read
  readonly notices: any[];
  /** Sound by slot, 16 kHz mono, frame by frame. */
  readonly heard: readonly Int16Array[][];
  /** Pictures by slot, packet by packet. */
  readonly seen: readonly SeenPacket[][];
  /** How often a key frame of each of its pictures was requested. */
  readonly asked: Record<Shown, number>;
  /** Bits a second that the room accepts from this peer, by its last message. */
  allowed(): number;
  send(message: object): void;
  /** Sends a text unchanged. */
  sendText(text: string): void;
  /** Speaks in real time; resolves when everything was sent. */
  speak(pcm: Int16Array, kind?: Said): Promise<void>;
  /** Sends one marked frame of `bytes`; a key frame if one was requested. */
  show(mark: number, bytes: number, kind?: Shown): void;
  /** Sends one frame of the camera unchanged. */
  showFrame(frame: Buffer): void;
  close(): Promise<void>;
}

const FRAME = 320;
const FRAME_MS = 20;
const MTU = 1100;

const codecs = {
  audio: [
    new RTCRtpCodecParameters({ mimeType: 'audio/opus', clockRate: 48_000, channels: 2, payloadType: 109 }),
  ],
  video: [
    new RTCRtpCodecParameters({
      mimeType: 'video/VP8',
      clockRate: 90_000,
      payloadType: 120,
      rtcpFeedback: [{ type: 'nack' }, { type: 'nack', parameter: 'pli' }],
    }),
  ],
};

/** Makes the offer of a room's layout, gets the answer, and resolves when the channel is open. */
export async function connectRoomPeer(
  layout: RoomLayout,
  answer: (offer: string) => Promise<string>,
): Promise<RoomPeer> {
  const connection = new RTCPeerConnection({
    codecs,
    bundlePolicy: 'max-bundle',
    ...LOOPBACK,
  });
  const senders = sendersOf(connection);
  const heard = Array.from({ length: layout.audio }, () => [] as Int16Array[]);
  const seen = Array.from({ length: layout.video }, () => [] as SeenPacket[]);
  for (const frames of heard) listen(connection.addTransceiver('audio', { direction: 'recvonly' }), frames);
  for (const packets of seen) look(connection.addTransceiver('video', { direction: 'recvonly' }), packets);
  // biome-ignore lint/suspicious/noExplicitAny: notices of every shape are read
  const notices: any[] = [];
  const channel = connection.createDataChannel('room');
  channel.onMessage.subscribe((data) => notices.push(JSON.parse(data.toString())));
  await connection.setLocalDescription(await connection.createOffer());
  const sdp = await answer(connection.localDescription?.sdp ?? '');
  await connection.setRemoteDescription({ type: 'answer', sdp });
  await until('the channel of the room is open', () => channel.readyState === 'open');
  return {
    ...{
      notices,
      heard,
      seen,
      asked: senders.asked,
      allowed: senders.allowed,
      speak: senders.speak,
      show: senders.show,
      showFrame: senders.showFrame,
    },
    send: (message) => channel.send(JSON.stringify(message)),
    sendText: (text) => channel.send(text),
    close: () => connection.close(),
  };
}

function sendersOf(connection: RTCPeerConnection) {
  const tracks = new Map<SentKind, MediaStreamTrack>();
  const asked = { video: 0, screenVideo: 0, customVideo1: 0 };
  const wanted = { video: true, screenVideo: true, customVideo1: true };
  let camera: RTCRtpSender | undefined;
  for (const kind of SENT_KINDS) {
    const track = new MediaStreamTrack({ kind: trackKind(kind) });
    const { sender } = connection.addTransceiver(track, { direction: 'sendonly' });
    tracks.set(kind, track);
    if (kind === 'video') camera = sender;
    if (kind === 'video' || kind === 'screenVideo' || kind === 'customVideo1')
      sender.onPictureLossIndication.subscribe(() => {
        asked[kind] += 1;
        wanted[kind] = true;
      });
  }
  const next = {
    ...{ audio: 1000, video: 2000, screenAudio: 3000, screenVideo: 4000 },
    ...{ customAudio1: 5000, customVideo1: 6000 },
  };
  const pictures = { video: 100, screenVideo: 30_000, customVideo1: 20_000 };
  const send = (kind: Said | Shown, payload: Uint8Array, timestamp: number, marker = false): void => {
    const sequenceNumber = next[kind]++ & 0xffff;
    const header = new RtpHeader({ sequenceNumber, timestamp: timestamp >>> 0, marker });
    tracks.get(kind)?.writeRtp(new RtpPacket(header, Buffer.from(payload)));
  };
  return {
    asked,
    allowed: () => Number(camera?.receiverEstimatedMaxBitrate ?? 0),
    async speak(pcm: Int16Array, kind: Said = 'audio') {
      const encoder = new Encoder({ channels: 1, sample_rate: 16_000, application: 'voip' });
      const start = performance.now();
      for (let at = 0; at < pcm.length; at += FRAME) {
        const frame = new Int16Array(FRAME);
        frame.set(pcm.subarray(at, at + FRAME));
        send(kind, encoder.encode(frame), next[kind] * 960);
        const due = start + (at / FRAME + 1) * FRAME_MS;
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
      }
    },
    showFrame(frame: Buffer) {
      const picture = pictures.video++ & 0x7fff;
      const timestamp = Math.round(performance.now() * 90);
      for (let at = 0; at < frame.length; at += MTU) {
        const head = Buffer.from([0x80 | (at === 0 ? 0x10 : 0), 0x80, 0, 0]);
        head.writeUInt16BE(0x8000 | picture, 2);
        send(
          'video',
          Buffer.concat([head, frame.subarray(at, at + MTU)]),
          timestamp,
          at + MTU >= frame.length,
        );
      }
    },
    show(mark: number, bytes: number, kind: Shown = 'video') {
      const picture = pictures[kind]++ & 0x7fff;
      const timestamp = Math.round(performance.now() * 90);
      const isKeyframe = wanted[kind];
      wanted[kind] = false;
      for (let at = 0; at < bytes; at += MTU) {
        const piece = Buffer.alloc(Math.min(MTU, bytes - at) + 4);
        // RFC 7741 §4.2: X, S on the first packet; I with 15 bits; then the frame, whose first bit says P.
        piece[0] = 0x80 | (at === 0 ? 0x10 : 0);
        piece[1] = 0x80;
        piece.writeUInt16BE(0x8000 | picture, 2);
        piece[4] = at === 0 && isKeyframe ? 0 : 1;
        if (piece.length > 9) piece.writeUInt32BE(mark, 5);
        send(kind, piece, timestamp, at + MTU >= bytes);
      }
    },
  };
}

function listen(transceiver: RTCRtpTransceiver, frames: Int16Array[]): void {
  const decoder = new Decoder({ channels: 1, sample_rate: 16_000 });
  transceiver.onTrack.subscribe((track) =>
    track.onReceiveRtp.subscribe(({ payload }) =>
      frames.push(new Int16Array(decoder.decode(payload).slice().buffer)),
    ),
  );
}

function look(transceiver: RTCRtpTransceiver, packets: SeenPacket[]): void {
  transceiver.onTrack.subscribe((track) =>
    track.onReceiveRtp.subscribe(({ header, payload }) => {
      const { sequenceNumber, timestamp } = header;
      packets.push({
        sequenceNumber,
        timestamp,
        picture: payload.readUInt16BE(2) & 0x7fff,
        isKeyframe: (payload[0] ?? 0) === 0x90 && payload[4] === 0,
        mark: payload.length > 9 ? payload.readUInt32BE(5) : 0,
        at: performance.now(),
      });
    }),
  );
}
