import { describe, expect, test } from 'vitest';
import { expectAccepted, testEachLine } from './each-rule.fixture.ts';
import { configComplaint, INPUT_SETTINGS_RULES, SHOW_NAMES_RULES } from './input-settings.ts';
import { PLAYER_RULES } from './remote-player.ts';
import { enforce } from './rule.ts';
import {
  CAMERA_PRESETS,
  PLAYER_SIMULCAST_RULES,
  SCREEN_PRESETS,
  SEND_SETTINGS_RULES,
  SEND_TRACKS_RULES,
  SIMULCAST_RULES,
} from './send-settings-rules.ts';

const KEYS = 'maxBitrate,maxFramerate,scaleResolutionDownBy';
const EMPTY = `Empty encoding is not allowed. At least one of these valid keys should be specified:${KEYS}`;
const layer = { maxBitrate: 200_000 };
const simulcast = {
  'no list': [{}, 'encodings must be an Array'],
  'not 1 to 3 layers': [
    [layer, layer, layer, layer],
    'encodings must be an Array with between 1 to 3 layers',
  ],
  'empty layer': [[{}], EMPTY],
  'unknown key': [[{ ...layer, colour: 1 }], `Invalid key colour, valid keys are:${KEYS}`],
  'value is no number': [[{ maxFramerate: '30' }], 'maxFramerate must be a number'],
} as const;

describe('simulcast', () => {
  testEachLine(SIMULCAST_RULES, simulcast);
  test('1 to 3 layers pass, none does not', () => {
    expectAccepted<unknown>(SIMULCAST_RULES, [
      [layer],
      [layer, { active: true, maxFramerate: 99 }],
      [layer, layer, layer],
    ]);
    expect(SIMULCAST_RULES.find(({ broken }) => broken([]))?.name).toBe('not 1 to 3 layers');
  });
});

describe('simulcast of the remote player', () => {
  testEachLine(PLAYER_SIMULCAST_RULES, {
    ...simulcast,
    'value out of range': [
      [{ maxBitrate: 99_999 }],
      'maxBitrate value not in range. valid range: 100000 to 2500000',
    ],
    'bit rate missing': [[{ maxFramerate: 30 }], 'maxBitrate is not specified'],
  });
  test.each([
    [{ ...layer, maxFramerate: 31 }, 'maxFramerate value not in range. valid range: 1 to 30'],
    [{ ...layer, scaleResolutionDownBy: 9 }, 'scaleResolutionDownBy value not in range. valid range: 1 to 8'],
  ])('%j is out of range', (wrong, text) => {
    const broken = PLAYER_SIMULCAST_RULES.find((rule) => rule.broken([wrong]));
    expect(typeof broken?.text === 'function' ? broken.text([wrong]) : broken?.text).toBe(text);
  });
});

describe('send settings', () => {
  const video = (settings: unknown) => ({ track: 'video', settings });
  testEachLine(SEND_SETTINGS_RULES, {
    'neither object nor preset': [
      video('detail-optimized'),
      'Video send settings should be either an object or one of the supported presets: default-video,bandwidth-optimized,bandwidth-and-quality-balanced,quality-optimized,adaptive-2-layers,adaptive-3-layers',
    ],
    'says nothing': [
      video({}),
      'Video send settings must contain at least maxQuality, allowAdaptiveLayers or encodings attribute',
    ],
    'unknown quality': [video({ maxQuality: 'best' }), 'maxQuality must be either low, medium or high'],
    'qualities missing': [
      video({ encodings: { low: layer, high: layer } }),
      'Encodings must be defined as: low, low and medium, or low, medium and high.',
    ],
    'empty layer': [video({ encodings: { low: {} } }), EMPTY],
  });
  test('a camera preset is none of a screen', () => {
    const text = SEND_SETTINGS_RULES[0].text({ track: 'screenVideo', settings: 'default-video' });
    expect(SEND_SETTINGS_RULES[0].broken({ track: 'screenVideo', settings: 'default-video' })).toBe(true);
    expect(text).toBe(
      'Video send settings should be either an object or one of the supported presets: default-screen-video,detail-optimized,motion-optimized,motion-and-detail-balanced',
    );
  });
  test.each(CAMERA_PRESETS)('camera preset %s', (preset) =>
    expectAccepted(SEND_SETTINGS_RULES, [video(preset)]),
  );
  test.each(SCREEN_PRESETS)('screen preset %s', (settings) =>
    expectAccepted(SEND_SETTINGS_RULES, [{ track: 'screenVideo', settings }]),
  );
  test('all three forms of layers pass', () =>
    expectAccepted(SEND_SETTINGS_RULES, [
      video({ encodings: { low: layer } }),
      video({ encodings: { low: layer, medium: layer } }),
      video({ encodings: { low: layer, medium: layer, high: layer }, maxQuality: 'high' }),
      video({ allowAdaptiveLayers: false }),
    ]));
  testEachLine(SEND_TRACKS_RULES, {
    'no track': [{}, 'Send settings must contain at least information for one track!'],
  });
});

describe('remote media player', () => {
  const url = 'https://media.example.org/welcome.mp4';
  testEachLine(PLAYER_RULES, {
    'address is no text': [{ url: 5 }, 'url parameter must be "string" type'],
    'settings are no object': [{ url, settings: 'play' }, 'RemoteMediaPlayerSettings: must be "object" type'],
    'unknown state': [
      { url, settings: { state: 'stop' } },
      'Invalid value for RemoteMediaPlayerSettings.state, valid values are: {"PLAY":"play","PAUSE":"pause"}',
    ],
    'volume is no number': [
      { url, settings: { volume: '1' } },
      'RemoteMediaPlayerSettings.volume: must be "number" type',
    ],
    'volume out of range': [
      { url, settings: { volume: 2.1 } },
      'RemoteMediaPlayerSettings.volume: must be between 0.0 - 2.0',
    ],
    'unknown setting': [
      { url, settings: { loop: true } },
      'Invalid key loop, valid keys are: state,volume,simulcastEncodings',
    ],
  });
  test('volumes 0 and 2 pass, and both states', () =>
    expectAccepted(PLAYER_RULES, [
      { url },
      { url, settings: { state: 'pause', volume: 0 } },
      { url, settings: { state: 'play', volume: 2 } },
    ]));
});

describe('input settings', () => {
  const form =
    'inputSettings must be of the form: { video?: { processor: { type: [ none | background-blur | background-image | face-detection ], config?: {} } }, audio?: { processor: {type: [ none | noise-cancellation ] } } }';
  const blur = (strength: unknown) => ({
    video: { processor: { type: 'background-blur', config: { strength } } },
  });
  testEachLine(INPUT_SETTINGS_RULES, {
    'no object': [null, form],
    'neither sound nor picture': [{}, form],
    'unknown audio processor': [{ audio: { processor: { type: 'echo' } } }, form],
    'unknown video processor': [{ video: { processor: { type: 'sparkle' } } }, form],
    'wrong configuration': [blur(0), form],
  });
  test.each([0, -1, 1.01, Number.NaN, '1', undefined])('blur %s is told on the console', (strength) => {
    expect(configComplaint(blur(strength))).toBe(
      `invalid object in inputSettings -> video -> processor -> config; expected: {0 < strength <= 1}, got: ${strength}`,
    );
  });
  test('a blur is told nothing else', () => {
    const config = { strength: 1, colour: 'red' };
    expect(configComplaint({ video: { processor: { type: 'background-blur', config } } })).toBe(
      'invalid object in inputSettings -> video -> processor -> config',
    );
  });
  const picture = (source: unknown) => ({
    video: { processor: { type: 'background-image', config: { source } } },
  });
  const unknownType = 'invalid image type; supported types: [jpg, png, jpeg]';
  const unknownChoice = 'invalid image selection; must be an int, > 0, <= 10';
  test.each([
    ['https://agency.example/office.gif', unknownType],
    ['https://agency.example/office', unknownType],
    ['data:image/webp;base64,AA==', unknownType],
    ['data:,', unknownType],
    ['office.png', unknownChoice],
    [0, unknownChoice],
    [11, unknownChoice],
    [1.5, unknownChoice],
    [null, unknownChoice],
  ])('the picture %s is told on the console, and refused', (source, complaint) => {
    expect(configComplaint(picture(source))).toBe(complaint);
    expect(() => enforce<unknown>(INPUT_SETTINGS_RULES, picture(source))).toThrow(form);
  });
  test('a configuration is an object', () => {
    const settings = { video: { processor: { type: 'background-image', config: 'office.png' } } };
    expect(() => enforce<unknown>(INPUT_SETTINGS_RULES, settings)).toThrow(form);
  });
  test('good ones pass', () =>
    expectAccepted<unknown>(INPUT_SETTINGS_RULES, [
      { audio: { processor: { type: 'noise-cancellation' } } },
      { audio: { processor: { type: 'none' } }, video: { processor: { type: 'none' } } },
      blur(0.001),
      blur(1),
      { video: { processor: { type: 'background-blur' } } },
      { video: { processor: { type: 'background-blur', config: {} } } },
      { video: { processor: { type: 'background-image' } } },
      ...['https://agency.example/office.JPG?size=2', 'data:image/png;base64,AA==', 'default', 1, '10'].map(
        picture,
      ),
      picture(new ArrayBuffer(8)),
    ]));
});

describe('show names', () => {
  testEachLine(SHOW_NAMES_RULES, {
    'unknown mode': ['sometimes', 'setShowNamesMode argument should be "always", "never", or false'],
  });
  test('always, never and false pass', () =>
    expectAccepted<unknown>(SHOW_NAMES_RULES, ['always', 'never', false, undefined]));
});
