import { expect, test } from 'vitest';
import { deviceError } from '../web-rtc/microphone.ts';
import { networkStats } from './network-stats.ts';

test('statistics of the browser become quality, loss and round trip', () => {
  const inbound = { type: 'inbound-rtp', kind: 'audio', packetsReceived: 95, packetsLost: 5, jitter: 0.01 };
  const sound = { totalSamplesReceived: 1000, concealedSamples: 20 };
  const pair = { type: 'candidate-pair', nominated: true, currentRoundTripTime: 0.04 };
  expect(networkStats([{ ...inbound, ...sound }, pair])).toMatchObject({
    quality: 95,
    threshold: 'low',
    stats: { latest: { audioRecvPacketLoss: 0.05, audioRecvConcealed: 0.02, networkRoundTripTime: 0.04 } },
  });
  expect(networkStats([])).toMatchObject({ quality: 100, threshold: 'good' });
  expect(networkStats([{ type: 'remote-inbound-rtp', fractionLost: 0.2 }]).threshold).toBe('very-low');
});

const named = (name: string, message = name): Error => Object.assign(new Error(message), { name });

test.each([
  [named('NotAllowedError', 'Permission denied'), { type: 'permissions', blockedBy: 'user' }],
  [named('NotAllowedError', 'Permission denied by system'), { type: 'permissions', blockedBy: 'browser' }],
  [named('NotFoundError'), { type: 'not-found', missingMedia: ['audio'] }],
  [named('NotReadableError'), { type: 'mic-in-use' }],
  [named('OverconstrainedError'), { type: 'constraints', reason: 'invalid' }],
  [named('SomethingElse'), { type: 'unknown' }],
])('a microphone that is not there is told in the words of the library: %s', (error, told) => {
  expect(deviceError(error)).toMatchObject(told);
});

test.each([
  ['NotAllowedError', { type: 'permissions', blockedMedia: ['video'] }],
  ['NotFoundError', { type: 'not-found', missingMedia: ['video'] }],
  ['NotReadableError', { type: 'cam-in-use' }],
])('a camera that is not there is told in the words of the library: %s', (name, told) => {
  expect(deviceError(named(name), 'video')).toMatchObject(told);
});
