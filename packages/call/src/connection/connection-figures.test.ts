import { expect, test } from 'vitest';
import { cpuLoad, TARGET_SCHEDULE_MS } from './cpu-load.ts';
import { withIceConfig } from './ice-config.ts';
import { qualityOf, type Reading, readingOf } from './test-results.ts';

const sent = { id: 'o', type: 'outbound-rtp', kind: 'video', totalEncodeTime: 2, framesEncoded: 100 };
const received = {
  ...{ id: 'i', type: 'inbound-rtp', kind: 'video', trackIdentifier: 't', ssrc: 7, framesPerSecond: 25 },
  ...{ totalDecodeTime: 1, framesDecoded: 100, totalInterFrameDelay: 4, totalSquaredInterFrameDelay: 0.25 },
};

test('the load of a machine is of the time since the last reading', () => {
  const later = { ...sent, totalEncodeTime: 2.5, framesEncoded: 150 };
  const shown = {
    ...received,
    ...{ totalDecodeTime: 2, framesDecoded: 200, totalInterFrameDelay: 8, totalSquaredInterFrameDelay: 0.41 },
  };
  const { cpuLoadState, cpuLoadStateReason, stats } = cpuLoad([later, shown], [sent, received], 50);
  expect([cpuLoadState, cpuLoadStateReason]).toEqual(['low', 'none']);
  const inbound = { trackId: 't', ssrc: 7, fps: 25, frameDecodeTimeSec: 0.01 };
  expect(stats.latest).toMatchObject({
    frameEncodeTimeSec: 0.01,
    cpuUsageBasedOnTargetEncode: 0.3,
    cpuUsageBasedOnGlobalDecode: 0.25,
    totalReceivedVideoTracks: 1,
    cpuInboundVideoStats: [inbound],
  });
});

test.each([
  ['encode', [{ ...sent, totalEncodeTime: 5 }], 50],
  ['decode', [{ ...received, totalDecodeTime: 5 }], 50],
  ['scheduleDuration', [sent], 3 * TARGET_SCHEDULE_MS],
])('a machine is too busy with %s', (reason, entries, scheduled) => {
  expect(cpuLoad(entries, [], scheduled)).toMatchObject({ cpuLoadState: 'high', cpuLoadStateReason: reason });
});

test('without pictures there is nothing to be busy with', () => {
  expect(cpuLoad([], [], 50).stats.latest).toMatchObject({ frameEncodeTimeSec: 0, cpuInboundVideoStats: [] });
});

const reading = (more: Partial<Reading> = {}): Reading => ({
  ...{ roundTrip: 0.05, sendLoss: 0, recvLoss: 0, available: 900_000, sentBytes: 500, receivedBytes: 250 },
  ...more,
});

test('a reading is what the browser says of one picture there and back', () => {
  const report = [
    { type: 'candidate-pair', nominated: true, currentRoundTripTime: 0.04, availableOutgoingBitrate: 8e5 },
    { type: 'outbound-rtp', bytesSent: 1000 },
    { type: 'remote-inbound-rtp', fractionLost: 0.02 },
    { type: 'inbound-rtp', kind: 'video', packetsReceived: 90, packetsLost: 10, bytesReceived: 800 },
  ];
  expect(readingOf(report)).toEqual({
    ...{ roundTrip: 0.04, sendLoss: 0.02, recvLoss: 0.1 },
    ...{ available: 8e5, sentBytes: 1000, receivedBytes: 800 },
  });
  expect(readingOf([])).toMatchObject({ roundTrip: null, sendLoss: null, recvLoss: null, available: null });
});

test('a test has the members of the library, each way its own', () => {
  const readings = [reading(), reading({ roundTrip: 0.15, sentBytes: 1000, receivedBytes: 500 })];
  expect(qualityOf(readings, 'there', 2)).toEqual({
    result: 'good',
    data: {
      ...{ maxRoundTripTime: 0.15, avgRoundTripTime: 0.1, avgSendPacketLoss: 0 },
      ...{ avgAvailableOutgoingBitrate: 900_000, avgSendBitsPerSecond: 4000 },
    },
    secondsElapsed: 2,
  });
  expect(qualityOf(readings, 'and back', 2).data).toMatchObject({
    avgRecvPacketLoss: 0,
    avgRecvBitsPerSecond: 2000,
  });
});

test.each([
  ['warning', { sendLoss: 0.05 }],
  ['warning', { roundTrip: 0.4 }],
  ['bad', { sendLoss: 0.2 }],
  ['bad', { roundTrip: 0.7 }],
  ['good', { roundTrip: null, sendLoss: null }],
] as const)('a test is %s with %j', (result, more) => {
  expect(qualityOf([reading(more)], 'there', 1).result).toBe(result);
});

const [own, rooms] = [{ urls: 'stun:own.example' }, { urls: 'stun:room.example' }];

test.each([
  [undefined, { iceServers: [rooms] }],
  [{ iceServers: [own] }, { iceServers: [own, rooms] }],
  [{ iceServers: [own], placement: 'back' }, { iceServers: [rooms, own] }],
  [{ iceServers: [], placement: 'replace' }, { iceServers: [] }],
  [{ iceTransportPolicy: 'relay' }, { iceServers: [rooms], iceTransportPolicy: 'relay' }],
])('with the iceConfig %j a connection is looked for by %j', (config, way) => {
  expect(withIceConfig([rooms], config)).toEqual(way);
});

test.each([
  [[], 'must be an object'],
  [{ iceServers: ['stun:own.example'] }, 'a list of servers with urls'],
  [{ placement: 'middle' }, "'front', 'back' or 'replace'"],
  [{ iceTransportPolicy: 'public' }, "'all' or 'relay'"],
])('an iceConfig of %j is refused in words', (config, words) => {
  expect(() => withIceConfig([], config)).toThrow(words);
});
