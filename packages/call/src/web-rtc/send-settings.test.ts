import { expect, test } from 'vitest';
import { CAMERA_PRESETS, SCREEN_PRESETS, validateSendSettings } from '../rules/send-settings-rules.ts';
import { cappedSizes, putBitrate, putSizes, sentSizes, USUAL_SIZES } from './send-settings.ts';

test.each(CAMERA_PRESETS)('a camera has three sizes with %s, and sends at least two of them', (preset) => {
  validateSendSettings({ video: preset });
  const sizes = sentSizes('video', preset);
  expect(sizes.map(({ scaleResolutionDownBy }) => scaleResolutionDownBy)).toEqual([4, 2, 1]);
  expect(sizes.filter(({ active }) => active).length).toBeGreaterThanOrEqual(2);
  expect(sizes.every(({ active, maxBitrate }) => active === maxBitrate > 0)).toBe(true);
});

test.each(SCREEN_PRESETS)('a screen has one size with %s', (preset) => {
  validateSendSettings({ screenVideo: preset });
  expect(sentSizes('screenVideo', preset)).toMatchObject([{ active: true, scaleResolutionDownBy: 1 }]);
});

test('the presets differ as their names say', () => {
  const most = (preset: string) =>
    Math.max(...sentSizes('video', preset).map(({ maxBitrate }) => maxBitrate));
  const order = ['bandwidth-optimized', 'bandwidth-and-quality-balanced', 'quality-optimized'].map(most);
  expect(order).toEqual([...order].sort((one, other) => one - other));
  const rate = (preset: string) => sentSizes('screenVideo', preset)[0]?.maxFramerate;
  expect([rate('detail-optimized'), rate('motion-and-detail-balanced'), rate('motion-optimized')]).toEqual([
    5, 15, 30,
  ]);
});

test('a highest quality, own encodings and a smaller screen', () => {
  const active = (settings: object) => sentSizes('video', settings).map((size) => size.active);
  expect(active({ maxQuality: 'low' })).toEqual([true, false, false]);
  expect(active({ maxQuality: 'medium' })).toEqual([true, true, false]);
  expect(active({ encodings: { low: { maxBitrate: 90_000 }, medium: { maxFramerate: 15 } } })).toEqual([
    true,
    true,
    false,
  ]);
  expect(
    sentSizes('video', { encodings: { low: { maxBitrate: 90_000 }, medium: { maxFramerate: 15 } } }),
  ).toMatchObject([{ maxBitrate: 90_000 }, { maxFramerate: 15, maxBitrate: USUAL_SIZES[1]?.maxBitrate }, {}]);
  expect(sentSizes('screenVideo', { maxQuality: 'medium' })).toMatchObject([{ scaleResolutionDownBy: 2 }]);
  expect(sentSizes('video', { allowAdaptiveLayers: true })).toEqual(sentSizes('video', 'adaptive-3-layers'));
});

test('a camera that may take less takes less in each of its sizes', () => {
  const bits = (most?: number) => cappedSizes(USUAL_SIZES, most).map(({ maxBitrate }) => maxBitrate);
  expect(bits()).toEqual([100_000, 300_000, 1_200_000]);
  expect(bits(160_000)).toEqual([10_000, 30_000, 120_000]);
  expect(bits(5_000_000)).toEqual(bits());
});

test('other tracks are not sent', () => {
  expect(() => sentSizes('customVideoDefaults', 'default-video')).toThrow('is not supported');
});

test('what a setting leaves open is as usual, whatever was set before', () => {
  const encodings: RTCRtpEncodingParameters[] = USUAL_SIZES.map((size, at) => ({ ...size, rid: String(at) }));
  const usual = structuredClone(encodings);
  putSizes(encodings, sentSizes('video', { encodings: { low: { maxBitrate: 90_000, maxFramerate: 5 } } }));
  expect(encodings[0]).toEqual({ ...usual[0], maxBitrate: 90_000, maxFramerate: 5 });
  expect(encodings[2]).toMatchObject({ rid: '2', active: false });
  putSizes(encodings, sentSizes('video', 'default-video'));
  expect(encodings).toEqual(usual);
});

test('a limit of bits is put in place of the one before, and taken back', () => {
  const encodings: RTCRtpEncodingParameters[] = [{ active: true }];
  putBitrate(encodings, 32_000);
  putBitrate(encodings, 128_000);
  expect(encodings).toEqual([{ active: true, maxBitrate: 128_000 }]);
  putBitrate(encodings, undefined);
  expect(encodings).toEqual([{ active: true }]);
});
