import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { iceServersFor, mediaAddresses } from './media-addresses.server.ts';
import { checkOffer } from './offer-check.server.ts';

const FINGERPRINT = Array.from({ length: 32 }, () => 'AB').join(':');
const OFFER = [
  'v=0',
  'o=- 1 2 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'a=group:BUNDLE 0 1',
  'm=audio 9 UDP/TLS/RTP/SAVPF 111',
  'c=IN IP4 0.0.0.0',
  'a=ice-ufrag:abcd',
  'a=ice-pwd:abcdefghijklmnopqrstuvwx',
  `a=fingerprint:sha-256 ${FINGERPRINT}`,
  'a=setup:actpass',
  'a=mid:0',
  'a=rtpmap:111 opus/48000/2',
  'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
  'a=mid:1',
];
const without = (start: string): string => OFFER.filter((line) => !line.startsWith(start)).join('\r\n');

test('attack 43: candidates of an offer are taken out, so that none of them is ever sent a packet', () => {
  const offered = [
    ...OFFER,
    'a=candidate:1 1 udp 2113937151 169.254.169.254 80 typ host',
    'a=candidate:2 1 udp 2113937151 intranet.local 5432 typ host',
    'a=candidate:3 1 tcp 2113937151 10.0.0.5 22 typ host tcptype passive',
    'a=end-of-candidates',
  ].join('\r\n');
  expect(checkOffer(offered)).toBe(`${OFFER.join('\r\n')}\r\n`);
});

test.each([
  ['empty', ''],
  ['no SDP', 'hello'],
  ['no audio', without('m=audio')],
  ['no Opus', without('a=rtpmap')],
  ['no fingerprint', without('a=fingerprint')],
  ['no password', without('a=ice-pwd')],
  ['a short password', OFFER.join('\n').replace(/ice-pwd:\S+/, 'ice-pwd:short')],
  ['a weak fingerprint', OFFER.join('\n').replace(/sha-256 \S+/, 'sha-256 AB:CD')],
  ['two audio sections', [...OFFER, OFFER[5]].join('\n')],
  [
    'five sections',
    [...OFFER, ...Array.from({ length: 5 }, () => 'm=video 9 UDP/TLS/RTP/SAVPF 96')].join('\n'),
  ],
  ['unsecured sound', OFFER.join('\n').replace('UDP/TLS/RTP/SAVPF', 'RTP/AVP')],
  ['a line without a type', [...OFFER, 'nonsense'].join('\n')],
  ['a NUL', `${OFFER.join('\n')}\na=x\0y`],
  ['a long line', [...OFFER, `a=x:${'y'.repeat(3000)}`].join('\n')],
  ['too many lines', [...OFFER, ...Array.from({ length: 1000 }, () => 'a=x')].join('\n')],
  ['too long', `${OFFER.join('\n')}\n${'a=x\n'.repeat(20_000)}`],
])('an offer is refused: %s', (_what, offer) => {
  expect(() => checkOffer(offer)).toThrow(ServiceError);
});

test('whatever is offered, the check answers or refuses', () => {
  const line = fc.oneof(fc.constantFrom(...OFFER), fc.string({ maxLength: 40 }));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      try {
        expect(checkOffer(lines.join('\n'))).not.toContain('a=candidate');
      } catch (error) {
        expect(error).toMatchObject({ status: 400, code: 'bad_offer' });
      }
    }),
    { numRuns: 300 },
  );
});

test('media stays on the loopback unless the site is open to others', () => {
  const settings = { HOST: '127.0.0.1', VOICE_PUBLIC_ADDRESS: '', VOICE_UDP_PORTS: '' };
  const own = ['192.0.2.7'];
  expect(mediaAddresses(settings, own)).toMatchObject({ bind: '127.0.0.1', announce: '127.0.0.1' });
  expect(mediaAddresses({ ...settings, HOST: '0.0.0.0' }, own)).toMatchObject({
    bind: '192.0.2.7',
    announce: '192.0.2.7',
  });
  const routed = { ...settings, HOST: '0.0.0.0', VOICE_PUBLIC_ADDRESS: '203.0.113.9' };
  expect(mediaAddresses(routed, own)).toMatchObject({ bind: '192.0.2.7', announce: '203.0.113.9' });
  const proxied = { ...settings, VOICE_PUBLIC_ADDRESS: '192.0.2.7' };
  expect(mediaAddresses(proxied, own)).toMatchObject({ bind: '192.0.2.7', announce: '192.0.2.7' });
});

test('a TURN password is made for one call and expires', () => {
  const settings = {
    VOICE_ICE_SERVERS: ['stun:stun.example.com:3478', 'turn:turn.example.com:3478'],
    VOICE_TURN_SECRET: 'north',
  };
  const [stun, turn] = iceServersFor('call-1', settings, 1_700_000_000);
  expect(stun).toEqual({ urls: 'stun:stun.example.com:3478' });
  // printf '1700007200:call-1' | openssl dgst -sha1 -hmac north -binary | base64
  expect(turn).toEqual({
    urls: 'turn:turn.example.com:3478',
    username: '1700007200:call-1',
    credential: 'Jpv0NiFZqx5UG2i5ZcJ8Bnj5bZI=',
  });
  expect(iceServersFor('call-1', { ...settings, VOICE_TURN_SECRET: '' })[1]).toEqual({
    urls: 'turn:turn.example.com:3478',
  });
});
