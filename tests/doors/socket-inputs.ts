import type { Random } from '../histories/random.ts';
import type { DoorInput } from './door-input.ts';
import { changedBytes, changedJson } from './hostile-values.ts';

const HANDSHAKE = (path: string): string =>
  `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`;

const JOIN = [
  '1',
  '1',
  'realtime:room',
  'phx_join',
  {
    config: {
      broadcast: { self: true },
      presence: { key: 'a' },
      postgres_changes: [{ event: '*', schema: 'public', table: 'user_files', filter: 'id=eq.1' }],
      private: false,
    },
    access_token: 'x',
  },
];
const MESSAGES: readonly unknown[] = [
  JOIN,
  ['1', '2', 'realtime:room', 'broadcast', { type: 'broadcast', event: 'a', payload: { b: 1 } }],
  ['1', '3', 'realtime:room', 'presence', { type: 'presence', event: 'track', payload: {} }],
  ['1', '4', 'realtime:room', 'access_token', { access_token: 'a.b.c' }],
  [null, '5', 'phoenix', 'heartbeat', {}],
  ['1', '6', 'realtime:room', 'phx_leave', {}],
  { topic: 'realtime:room', event: 'phx_join', payload: {}, ref: '1' },
];

/** A frame of RFC 6455 §5.2, masked as clients have to; `odd` breaks one of its rules. */
function frame(payload: Buffer, opcode: number, odd: number): Buffer {
  const mask = Buffer.from([1, 2, 3, 4]);
  const first = (odd === 1 ? 0x70 : odd === 2 ? 0 : 0x80) | opcode;
  const masked = odd === 3 ? 0 : 0x80;
  const said = odd === 4 ? 0xffff_ffff : payload.length;
  const length =
    odd === 5
      ? Buffer.from([masked | 127, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
      : said < 126
        ? Buffer.from([masked | said])
        : said < 65_536
          ? Buffer.from([masked | 126, said >> 8, said & 255])
          : Buffer.concat([Buffer.from([masked | 127, 0, 0, 0, 0]), uint32(said)]);
  const body = masked === 0 ? payload : Buffer.from(payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0)));
  return Buffer.concat([Buffer.from([first]), length, ...(masked === 0 ? [] : [mask]), body]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** A handshake and frames: messages of the channel protocol, changed, in frames that may break the rules. */
export function websocketInput(paths: readonly string[], random: Random): Omit<DoorInput, 'delivery'> {
  const path = random.pick(paths);
  const handshake = Buffer.from(HANDSHAKE(path));
  const frames = Array.from({ length: 1 + random.below(6) }, () => {
    const message = random.chance(0.6) ? changedJson(random.pick(MESSAGES), random) : random.pick(MESSAGES);
    let payload: Buffer = Buffer.from(JSON.stringify(message) ?? '');
    if (random.chance(0.3)) payload = changedBytes(payload, random);
    const opcode = random.chance(0.7) ? 1 : random.below(16);
    return frame(
      payload.subarray(0, opcode > 7 && random.chance(0.7) ? 125 : undefined),
      opcode,
      random.chance(0.3) ? random.below(6) : 0,
    );
  });
  return {
    door: 'websocket',
    bytes: random.chance(0.2) ? changedBytes(handshake, random, 2) : handshake,
    after: random.chance(0.1) ? changedBytes(Buffer.concat(frames), random) : Buffer.concat(frames),
  };
}

const sip = (method: string, more: string, body = ''): string =>
  `${method} sip:+12025550100@127.0.0.1 SIP/2.0\r\nVia: SIP/2.0/UDP 127.0.0.1:5999;branch=z9hG4bK%ID%;rport\r\nMax-Forwards: 70\r\nFrom: "A" <sip:a@127.0.0.1>;tag=%ID%\r\nTo: <sip:b@127.0.0.1>\r\nCall-ID: %ID%@x\r\nCSeq: 1 ${method}\r\nContact: <sip:a@127.0.0.1:5999>\r\n${more}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const SDP =
  'v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 5998 RTP/AVP 0 8 111 101\r\na=rtpmap:111 opus/48000/2\r\na=rtpmap:101 telephone-event/8000\r\na=sendrecv\r\n';
const SIP_SEEDS: readonly string[] = [
  sip('OPTIONS', 'Accept: application/sdp\r\n'),
  sip('INVITE', 'Content-Type: application/sdp\r\nSession-Expires: 1800\r\nSupported: timer,100rel\r\n', SDP),
  sip('ACK', ''),
  sip('BYE', ''),
  sip('CANCEL', ''),
  sip(
    'REGISTER',
    'Expires: 60\r\nAuthorization: Digest username="a", realm="b", nonce="c", response="d"\r\n',
  ),
  sip('INFO', 'Content-Type: application/dtmf-relay\r\n', 'Signal=1\r\nDuration=100\r\n'),
  sip('UPDATE', 'Content-Type: application/sdp\r\n', SDP),
  sip('REFER', 'Refer-To: <sip:c@127.0.0.1>\r\n'),
  sip('NOTIFY', 'Event: refer\r\nSubscription-State: active\r\n'),
  'SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP 127.0.0.1:5999;branch=z9hG4bK%ID%\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:c@d>;tag=2\r\nCall-ID: %ID%@x\r\nCSeq: 1 INVITE\r\nContent-Length: 0\r\n\r\n',
];

/** A SIP message, whole or changed. */
export function sipInput(door: 'sip-udp' | 'sip-tcp', random: Random): Omit<DoorInput, 'delivery'> {
  const text = random.pick(SIP_SEEDS).replaceAll('%ID%', String(random.below(1_000_000)));
  const bytes = Buffer.from(text);
  return { door, bytes: random.chance(0.85) ? changedBytes(bytes, random, 5) : bytes };
}

/** Datagrams for a media port: STUN (RFC 8489 §5), DTLS (RFC 6347 §4.1), RTP and RTCP (RFC 3550 §5, §6), noise. */
export function mediaInput(random: Random): Omit<DoorInput, 'delivery'> {
  const stun = Buffer.concat([
    Buffer.from([0, 1, 0, 12, 0x21, 0x12, 0xa4, 0x42]),
    Buffer.from(Array.from({ length: 12 }, () => random.below(256))),
    Buffer.from([0, 6, 0, 8]),
    Buffer.from('abcd:efg'),
  ]);
  const dtls = Buffer.concat([
    Buffer.from([22, 254, 253, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20, 1, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 8]),
    Buffer.alloc(8, random.below(256)),
  ]);
  const rtp = Buffer.concat([
    Buffer.from([0x90, 111, 0, random.below(256), 0, 0, 0, 1, 0, 0, 0, 9, 0xbe, 0xde, 0, 1, 0x10, 1, 0, 0]),
    Buffer.alloc(40, random.below(256)),
  ]);
  const rtcp = Buffer.from([0x81, 201, 0, 7, ...Array.from({ length: 28 }, () => random.below(256))]);
  const noise = Buffer.from(Array.from({ length: random.below(1500) }, () => random.below(256)));
  const bytes = random.pick([stun, dtls, rtp, rtcp, noise]);
  return { door: 'media', bytes: random.chance(0.8) ? changedBytes(bytes, random, 4) : bytes };
}
