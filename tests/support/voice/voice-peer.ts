import { Decoder, Encoder } from '@evan/opus';
import {
  MediaStreamTrack,
  type RTCDataChannel,
  RTCPeerConnection,
  RTCRtpCodecParameters,
  RtpHeader,
  RtpPacket,
} from 'werift';

/** The other end of a call, as a browser would be, on the loopback. */
export interface VoicePeer {
  /** Texts of the data channel, in order. */
  readonly messages: string[];
  /** What the room said for itself, parsed, in order. */
  readonly notices: { action: string; error?: { type: string; msg: string } }[];
  /** What was heard: 16 kHz mono, frame by frame. */
  readonly heard: Int16Array[];
  readonly connection: RTCPeerConnection;
  send(text: string): void;
  /** Speaks at the pace of the clock; resolves when all of it was sent. */
  speak(pcm: Int16Array): Promise<void>;
  /** Sends one RTP packet as it is. */
  sendRaw(payload: Uint8Array, sequence?: number): void;
  close(): Promise<void>;
}

const FRAME = 320;
const FRAME_MS = 20;

/** A connection that goes over 127.0.0.1 and nowhere else. */
export const LOOPBACK = {
  iceServers: [],
  iceUseTcp: false,
  iceUseIpv4: false,
  iceUseIpv6: false,
  iceAdditionalHostAddresses: ['127.0.0.1'],
  iceInterfaceAddresses: { udp4: '127.0.0.1' },
};

/** Makes an offer, has it answered by `answer`, and resolves when media and data channel are open. */
export async function connectPeer(answer: (offer: string) => Promise<string>): Promise<VoicePeer> {
  const connection = new RTCPeerConnection({
    codecs: {
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
    close: () => connection.close(),
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

/** A tone of `seconds`, 16 kHz. */
export function tone(hertz: number, seconds: number, amplitude = 8000): Int16Array {
  return Int16Array.from({ length: Math.round(16_000 * seconds) }, (_, n) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * hertz * n) / 16_000)),
  );
}

/** Share of the energy of `pcm` that lies at `hertz` (Goertzel): 1 for a pure tone, about 0 otherwise. */
export function shareOfTone(pcm: Int16Array, hertz: number): number {
  const energy = pcm.reduce((sum, sample) => sum + sample * sample, 0);
  if (energy === 0) return 0;
  let real = 0;
  let imaginary = 0;
  pcm.forEach((sample, n) => {
    real += sample * Math.cos((2 * Math.PI * hertz * n) / 16_000);
    imaginary += sample * Math.sin((2 * Math.PI * hertz * n) / 16_000);
  });
  return (2 * (real ** 2 + imaginary ** 2)) / (pcm.length * energy);
}

/** Waits until `condition` holds; fails after `seconds` with `what`. */
export async function until(what: string, condition: () => boolean, seconds = 20): Promise<void> {
  const end = performance.now() + seconds * 1000 * Number(process.env.TEST_PATIENCE ?? 1);
  while (!condition()) {
    if (performance.now() > end) throw new Error(`It never came to this: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
