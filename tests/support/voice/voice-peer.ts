import { Decoder, Encoder } from '@evan/opus';
import {
  MediaStreamTrack,
  type RTCDataChannel,
  RTCPeerConnection,
  RTCRtpCodecParameters,
  RtpHeader,
  RtpPacket,
} from 'werift';

export { shareOfTone, tone } from '../../../packages/telephone-audio/src/sounds.fixture.ts';

/** The other end of a call, like a browser, on the loopback. */
export interface VoicePeer {
  /** Texts on the data channel, in order. */
  readonly messages: string[];
  /** The room's own messages in order, parsed. */
  readonly notices: { action: string; error?: { type: string; msg: string } }[];
  /** Received sound: 16 kHz mono, frame by frame. */
  readonly heard: Int16Array[];
  readonly connection: RTCPeerConnection;
  send(text: string): void;
  /** Sends a message about the call itself, on the room's channel. */
  tell(message: object): void;
  /** Sends one VP8 frame, if the peer has a camera. */
  show(frame: Buffer): void;
  /** How often a key frame was requested. */
  keyframesAsked(): number;
  /** Speaks in real time; resolves when everything was sent. */
  speak(pcm: Int16Array): Promise<void>;
  /** Sends one RTP packet unchanged. */
  sendRaw(payload: Uint8Array, sequence?: number): void;
  close(): Promise<void>;
}

const FRAME = 320;
const FRAME_MS = 20;

/** A connection over 127.0.0.1 only. */
export const LOOPBACK = {
  iceServers: [],
  iceUseTcp: false,
  iceUseIpv4: false,
  iceUseIpv6: false,
  iceAdditionalHostAddresses: ['127.0.0.1'],
  iceInterfaceAddresses: { udp4: '127.0.0.1' },
};

/** A 640×360 VP8 key frame by its header alone: its content cannot be decoded. */
export const PICTURE = Buffer.alloc(3000, 7);
PICTURE.set([0x10, 0x02, 0x00, 0x9d, 0x01, 0x2a, 0x80, 0x02, 0x68, 0x01]);

const VP8 = new RTCRtpCodecParameters({
  mimeType: 'video/VP8',
  clockRate: 90_000,
  payloadType: 120,
  rtcpFeedback: [{ type: 'nack' }, { type: 'nack', parameter: 'pli' }],
});

/**
 * Makes an offer, gets an answer by `answer`, and resolves when media and data channel are open.
 *
 * @param hasCamera whether to offer a picture too
 */
export async function connectPeer(
  answer: (offer: string) => Promise<string>,
  hasCamera = false,
): Promise<VoicePeer> {
  const connection = new RTCPeerConnection({
    ...(hasCamera ? { bundlePolicy: 'max-bundle' as const } : {}),
    codecs: {
      ...(hasCamera ? { video: [VP8] } : {}),
      audio: [
        new RTCRtpCodecParameters({
          mimeType: 'audio/opus',
          clockRate: 48_000,
          channels: 2,
          payloadType: 109,
          parameters: 'minptime=10;useinbandfec=1',
        }),
      ],
    },
    ...LOOPBACK,
  });
  const track = new MediaStreamTrack({ kind: 'audio' });
  connection.addTransceiver(track, { direction: 'sendrecv' });
  const camera = hasCamera ? cameraOf(connection) : { show: () => {}, keyframesAsked: () => 0 };
  const messages: string[] = [];
  const heard: Int16Array[] = [];
  const decoder = new Decoder({ channels: 1, sample_rate: 16_000 });
  connection.onTrack.subscribe((remote) =>
    remote.onReceiveRtp.subscribe(({ payload }) =>
      heard.push(new Int16Array(decoder.decode(payload).slice().buffer)),
    ),
  );
  const channel = connection.createDataChannel('app');
  channel.onMessage.subscribe((data) => messages.push(data.toString()));
  const notices: VoicePeer['notices'] = [];
  const room = connection.createDataChannel('room');
  room.onMessage.subscribe((data) => notices.push(JSON.parse(data.toString())));
  const offer = await connection.createOffer();
  await connection.setLocalDescription(offer);
  const sdp = await answer(connection.localDescription?.sdp ?? '');
  await connection.setRemoteDescription({ type: 'answer', sdp });
  await opened(channel);
  await opened(room);
  return {
    messages,
    notices,
    heard,
    connection,
    ...speaker(track, channel),
    ...camera,
    tell: (message) => room.send(JSON.stringify(message)),
    close: () => connection.close(),
  };
}

/** Bytes of a frame that fit into one packet. */
const MTU = 1100;

function cameraOf(connection: RTCPeerConnection) {
  const track = new MediaStreamTrack({ kind: 'video' });
  const { sender } = connection.addTransceiver(track, { direction: 'sendonly' });
  let asked = 0;
  sender.onPictureLossIndication.subscribe(() => {
    asked += 1;
  });
  let next = 2000;
  let timestamp = 90_000;
  return {
    keyframesAsked: () => asked,
    show(frame: Buffer) {
      timestamp += 3000;
      for (let at = 0; at < frame.length; at += MTU) {
        const marker = at + MTU >= frame.length;
        const header = new RtpHeader({ sequenceNumber: next++ & 0xffff, timestamp, marker });
        // The descriptor says only whether the packet begins the frame (RFC 7741 §4.2).
        const payload = Buffer.concat([Buffer.from([at === 0 ? 0x10 : 0]), frame.subarray(at, at + MTU)]);
        track.writeRtp(new RtpPacket(header, payload));
      }
    },
  };
}

function speaker(track: MediaStreamTrack, channel: RTCDataChannel) {
  const encoder = new Encoder({ channels: 1, sample_rate: 16_000, application: 'voip' });
  let next = 1000;
  const sendRaw = (payload: Uint8Array, sequence = next++ & 0xffff): void => {
    const header = new RtpHeader({ sequenceNumber: sequence, timestamp: (sequence * 960) >>> 0 });
    track.writeRtp(new RtpPacket(header, Buffer.from(payload)));
  };
  return {
    send: (text: string) => channel.send(text),
    sendRaw,
    async speak(pcm: Int16Array) {
      const start = performance.now();
      for (let at = 0; at < pcm.length; at += FRAME) {
        const frame = new Int16Array(FRAME);
        frame.set(pcm.subarray(at, at + FRAME));
        sendRaw(encoder.encode(frame));
        const due = start + (at / FRAME + 1) * FRAME_MS;
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
      }
    },
  };
}

function opened(channel: RTCDataChannel): Promise<void> {
  if (channel.readyState === 'open') return Promise.resolve();
  return new Promise((resolve) => {
    channel.stateChanged.subscribe((state) => {
      if (state === 'open') resolve();
    });
  });
}

/** Waits until `condition` holds; fails after `seconds` with `what`. */
export async function until(what: string, condition: () => boolean, seconds = 20): Promise<void> {
  const end = performance.now() + seconds * 1000 * Number(process.env.TEST_PATIENCE ?? 1);
  while (!condition()) {
    if (performance.now() > end) throw new Error(`It never came to this: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
