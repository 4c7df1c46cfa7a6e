import { beforeAll, describe, expect, test } from 'vitest';
import { CUSTOM_TRACK_RULES, RESERVED_TRACK_NAMES } from './custom-track.ts';
import { DIAL_OUT_RULES, DTMF_RULES } from './dial-out.ts';
import { expectAccepted, testEachLine } from './each-rule.fixture.ts';
import { APP_MESSAGE_RULES, LEVEL_INTERVAL_RULES, USER_DATA_RULES } from './messages-and-levels.ts';
import { enforce } from './rule.ts';

/** Node has no media; the rules recognise a track by its class only. */
class Track {}
beforeAll(() => {
  Object.assign(globalThis, { MediaStreamTrack: globalThis.MediaStreamTrack ?? Track });
});

const track = (): unknown => Object.create(Track.prototype);
const sip = { sipUri: 'sip:desk@example.org' };
const phone = { phoneNumber: '+441632960123' };
const dial = (text: string): string => `Error starting dial out: ${text}`;

describe('custom track', () => {
  testEachLine(CUSTOM_TRACK_RULES, {
    'name too long': [
      { track: track(), trackName: 'n'.repeat(51) },
      'Custom track `trackName` must not be more than 50 characters',
    ],
    'unknown mode': [
      { track: track(), mode: 'loud' },
      'Custom track `mode` must be either `music` | `speech` | `DailyMicAudioModeSettings` or `undefined`',
    ],
    'reserved name': [
      { track: track(), trackName: 'cam-audio' },
      'Custom track `trackName` must not match a track name already used by daily: cam-audio, cam-video, customVideoDefaults, screen-video, screen-audio, rmpAudio, rmpVideo',
    ],
    'not a track': [{ track: {} }, 'Custom tracks provided must be instances of MediaStreamTrack'],
  });
  test.each(RESERVED_TRACK_NAMES)('%s is reserved', (trackName) => {
    expect(() => enforce(CUSTOM_TRACK_RULES, { track: track(), trackName })).toThrow('must not match');
  });
  test('a good one passes', () =>
    expectAccepted(CUSTOM_TRACK_RULES, [
      { track: track() },
      { track: track(), trackName: 'n'.repeat(50), mode: 'music' },
      { track: track(), mode: 'speech' },
      { track: track(), mode: { bitrate: 64_000 } },
    ]));
});

describe('app message', () => {
  testEachLine(APP_MESSAGE_RULES, {
    'too large': ['m'.repeat(4095), 'Message data too large. Max size is 4096'],
  });
  test('4096 characters pass, the quotes of the text among them', () =>
    expectAccepted<unknown>(APP_MESSAGE_RULES, ['m'.repeat(4094), { say: 'hello' }, undefined]));
});

describe('user data', () => {
  testEachLine(USER_DATA_RULES, {
    'not serialisable': [
      10n,
      'userData must be serializable to JSON: TypeError: Do not know how to serialize a BigInt',
    ],
    'too large': [
      'u'.repeat(4097),
      'userData is too large (4097 characters). Maximum size suppported is 4096.',
    ],
  });
  test('4096 characters pass, and none', () =>
    expectAccepted<unknown>(USER_DATA_RULES, ['u'.repeat(4096), undefined, { seat: 4 }]));
});

describe('interval of a level observer', () => {
  testEachLine(LEVEL_INTERVAL_RULES, {
    'too short or no number': [
      99,
      'The interval must be a number greater than or equal to 100 milliseconds.',
    ],
  });
  test.each(['100', {}, -1])('%s is refused', (interval) => {
    expect(() => enforce<unknown>(LEVEL_INTERVAL_RULES, interval)).toThrow('The interval must be');
  });
  test('100 ms passes; 0 and undefined mean the default', () =>
    expectAccepted<unknown>(LEVEL_INTERVAL_RULES, [100, 2500, 0, undefined]));
});

describe('dial-out', () => {
  testEachLine(DIAL_OUT_RULES, {
    'no destination': [{}, dial('either a sip uri or phone number must be provided')],
    'two destinations': [{ ...sip, ...phone }, dial('only one of sip uri or phone number must be provided')],
    'SIP address is no text': [{ sipUri: 7 }, dial('sipUri must be a string')],
    'SIP address without its scheme': [
      { sipUri: 'desk@example.org' },
      dial("Invalid SIP URI, must start with 'sip:'"),
    ],
    'video flag is no boolean': [{ ...sip, video: 'yes' }, dial('video must be a boolean value')],
    'phone number is no text': [{ phoneNumber: 44 }, dial('phoneNumber must be a string')],
    'phone number not in E.164': [
      { phoneNumber: '01632 960123' },
      dial('Invalid phone number, must be valid phone number as per E.164'),
    ],
    'audio codecs are no list': [{ ...sip, codecs: { audio: 'OPUS' } }, dial('audio codec must be an array')],
    'audio codecs are empty': [
      { ...phone, codecs: { audio: [] } },
      dial('audio codec array specified but empty'),
    ],
    'audio codec is no text': [{ ...sip, codecs: { audio: [1] } }, dial('audio codec must be a string')],
    'audio codec is unknown': [
      { ...sip, codecs: { audio: ['OPUS', 'GSM'] } },
      dial('audio codec must be one of OPUS, PCMU, PCMA, G722'),
    ],
    'video codecs are no list': [{ ...sip, codecs: { video: 'VP8' } }, dial('video codec must be an array')],
    'video codecs are empty': [
      { ...sip, codecs: { video: [] } },
      dial('video codec array specified but empty'),
    ],
    'video codec is no text': [{ ...sip, codecs: { video: [1] } }, dial('video codec must be a string')],
    'video codec is unknown': [
      { ...sip, codecs: { video: ['AV1'] } },
      dial('video codec must be H264 or VP8'),
    ],
    'caller id is no text': [{ ...phone, callerId: 5 }, dial('callerId must be a string')],
    'caller id with a SIP address': [{ ...sip, callerId: 'desk' }, dial('callerId not allowed with sipUri')],
    'display name is no text': [{ ...phone, displayName: 5 }, dial('displayName must be a string')],
    'display name too long': [
      { ...phone, displayName: 'd'.repeat(200) },
      dial('displayName length must be less than 200'),
    ],
  });
  test('good ones pass', () =>
    expectAccepted(DIAL_OUT_RULES, [
      { ...sip, video: true, codecs: { audio: ['OPUS', 'PCMU', 'PCMA', 'G722'], video: ['H264', 'VP8'] } },
      {
        ...phone,
        callerId: 'desk',
        displayName: 'd'.repeat(199),
        codecs: { video: ['none of its business'] },
      },
    ]));
});

describe('tones', () => {
  testEachLine(DTMF_RULES, {
    'session or tones missing': [{ tones: '1' }, 'sessionId and tones are mandatory parameter'],
    'session or tones are no text': [
      { sessionId: 's', tones: 12 },
      'sessionId and tones should be of string type',
    ],
    'too many tones': [{ sessionId: 's', tones: '1'.repeat(21) }, 'tones string must be upto 20 characters'],
    'tone that no key has': [{ sessionId: 's', tones: '12ab' }, 'a is not valid DTMF tone'],
  });
  test('every key passes', () =>
    expectAccepted(DTMF_RULES, [
      { sessionId: 's', tones: '0123456789ABCD*#' },
      { sessionId: 's', tones: '5'.repeat(20) },
    ]));
});
