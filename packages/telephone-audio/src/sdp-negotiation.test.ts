import { ServiceError } from '@northline/service-error/service-error';
import { expect, test } from 'vitest';
import { readSound, type Secrecy, writeAnswer, writeOffer } from './sdp-negotiation.ts';
import { newSrtpKey } from './srtp-protection.ts';

const refusal = (what: string): ServiceError => new ServiceError(488, 'not_acceptable', `The offer ${what}.`);
const read = (sdp: string, secure: Secrecy = 'never') =>
  readSound(sdp, { secure, address: '192.0.2.9', refusal });
const KEY = 'WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz';

const HEAD = ['v=0', 'o=- 1 1 IN IP4 192.0.2.1', 's=-', 'c=IN IP4 192.0.2.1', 't=0 0'];
const sdp = (...lines: string[]): string => `${[...HEAD, ...lines].join('\r\n')}\r\n`;
const own = {
  address: '192.0.2.9',
  port: 5000,
  reportPort: 5001,
  direction: 'sendrecv',
  id: 5,
  version: 1,
  keys: [],
} as const;

test('an offer is read: the first codec of ours, tones on its clock, direction, report port', () => {
  const agreed = read(
    sdp(
      'm=video 4002 RTP/AVP 31',
      'm=audio 4000 RTP/AVP 18 96 8 0 13 101 102',
      'a=rtpmap:96 OPUS/48000/2',
      'a=rtpmap:101 telephone-event/8000',
      'a=rtpmap:102 telephone-event/48000',
      'a=sendonly',
      'a=rtcp:4009',
    ),
  );
  expect(agreed.codecs.map(({ name, payloadType }) => [name, payloadType])).toEqual([
    ['opus', 96],
    ['PCMA', 8],
    ['PCMU', 0],
  ]);
  expect(agreed).toMatchObject({
    section: 1,
    tones: { payloadType: 102, clock: 48_000 },
    noise: true,
    address: '192.0.2.1',
    port: 4000,
    reports: { port: 4009 },
    direction: 'sendonly',
    crypto: undefined,
  });
  const answer = writeAnswer({ ...own, direction: 'recvonly' }, agreed);
  expect(answer).toContain('m=video 0 RTP/AVP 31');
  expect(answer).toContain('m=audio 5000 RTP/AVP 96 13 102');
  expect(answer).toContain('a=recvonly');
});

test('our own offer can be read, names every codec, and keeps its session over versions', () => {
  const key = newSrtpKey('AES_CM_128_HMAC_SHA1_32');
  const offer = writeOffer({ ...own, keys: [{ id: 2, key }] }, 'offered');
  expect(offer).toContain('o=- 5 1 IN IP4 192.0.2.9');
  expect(offer).toContain('m=audio 5000 RTP/AVP 107 9 0 8 13 101 110');
  const agreed = read(offer, 'offered');
  expect(agreed.codecs.map(({ name }) => name)).toEqual(['opus', 'G722', 'PCMU', 'PCMA']);
  expect(agreed.crypto).toEqual({ id: 2, key });
  expect(writeOffer({ ...own, keys: [{ id: 2, key }] }, 'required')).toContain('RTP/SAVP ');
});

test('a later offer has every section of what was agreed on, in its order', () => {
  const agreed = read(sdp('m=video 4002 RTP/AVP 31', 'm=audio 4000 RTP/AVP 0', 'm=image 4004 udptl t38'));
  const lines = writeOffer(own, 'never', agreed).match(/^m=.*$/gm);
  expect(lines?.map((line) => line.trim())).toEqual([
    'm=video 0 RTP/AVP 31',
    'm=audio 5000 RTP/AVP 107 9 0 8 13 101 110',
    'm=image 0 udptl t38',
  ]);
});

test('a hold of the old kind names no address', () => {
  const agreed = read(sdp('m=audio 4000 RTP/AVP 0').replaceAll('IP4 192.0.2.1', 'IP4 0.0.0.0'));
  expect(agreed.direction).toBe('inactive');
});

test('keys that need what we do not do are not taken', () => {
  const line = (config: string): string =>
    sdp('m=audio 4000 RTP/SAVP 0', `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${config}`);
  expect(read(line(KEY), 'offered').crypto?.key.material).toHaveLength(30);
  expect(read(line(`${KEY}|2^20`), 'required').crypto).toBeDefined();
  for (const config of [`${KEY}|2^20|1:4`, KEY.slice(4), `${KEY} UNENCRYPTED_SRTP`])
    expect(() => read(line(config), 'offered')).toThrow('without a key that can be used');
});

test.each([
  ['no audio', sdp('m=video 4000 RTP/AVP 31'), 'has no audio'],
  ['audio that is off', sdp('m=audio 0 RTP/AVP 0'), 'has no audio'],
  ['no codec of ours', sdp('m=audio 4000 RTP/AVP 18 3 97'), 'names no codec'],
  [
    'SRTP where it is off',
    sdp('m=audio 4000 RTP/SAVP 0', `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}`),
    'which is off',
  ],
  ['a browser', sdp('m=audio 4000 UDP/TLS/RTP/SAVPF 0'), 'do not speak'],
  ['a group', sdp('m=audio 4000 RTP/AVP 0', 'c=IN IP4 224.0.0.1/127'), 'can be sent to'],
  ['a name', sdp('m=audio 4000 RTP/AVP 0', 'c=IN IP4 pbx.example.com'), 'can be sent to'],
  ['this machine', sdp('m=audio 4000 RTP/AVP 0', 'c=IN IP4 127.0.0.1'), 'can be sent to'],
  ['another family', sdp('m=audio 4000 RTP/AVP 0', 'c=IN IP6 2001:db8::1'), 'can be sent to'],
  ['a port that is none', sdp('m=audio 70000 RTP/AVP 0'), 'names no port'],
  ['nine sections', sdp(...Array.from({ length: 9 }, () => 'm=audio 4000 RTP/AVP 0')), 'more than eight'],
  ['no SDP', 'INVITE', 'does not begin'],
  ['endless', sdp('m=audio 4000 RTP/AVP 0', ...new Array<string>(1000).fill('a=x')), 'too many lines'],
])('attack 55: an offer of %s is refused', (_what, offer, sentence) => {
  expect(() => read(offer)).toThrow(
    expect.objectContaining({ status: 488, message: expect.stringContaining(sentence) }),
  );
});

test('sound that is not encrypted is refused where it must be', () => {
  expect(() => read(sdp('m=audio 4000 RTP/AVP 0'), 'required')).toThrow('which is required');
});
