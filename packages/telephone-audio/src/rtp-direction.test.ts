import { expect, onTestFinished, test } from 'vitest';
import * as werift from 'werift';
import { CODECS, createSoundCodec } from './codecs/sound-codec.ts';
import { openPortPair } from './port-pair.ts';
import { RtcpReports } from './rtcp-reports.ts';
import { RtpReceiver } from './rtp-receiver.ts';
import { RtpSender } from './rtp-sender.ts';
import { RtpSession } from './rtp-session.ts';
import type { AgreedSound } from './sdp-negotiation.ts';
import { shareOfTone, tone } from './sounds.fixture.ts';

async function line(name: 'PCMA' | 'PCMU' | 'G722', tones?: AgreedSound['tones']) {
  const codecs = new Map([[name, await createSoundCodec(name)]] as const);
  const agreed = {
    codecs: CODECS.filter((codec) => codec.name === name),
    tones,
    noise: true,
  } as unknown as AgreedSound;
  const keys: string[] = [];
  const sender = new RtpSender(werift, codecs);
  const receiver = new RtpReceiver(codecs, (key) => keys.push(key));
  sender.agree(agreed);
  receiver.agree(agreed);
  let now = 0;
  /** Passes 20 ms through; `loses` says which packets never arrive. */
  const pass = (frame: Int16Array, loses: (n: number) => boolean = () => false): Int16Array => {
    for (const packet of sender.packets(frame))
      if (!loses(now / 20)) receiver.take(werift.RtpPacket.deSerialize(packet), now);
    now += 20;
    return receiver.frame();
  };
  return { sender, receiver, keys, pass };
}
const SILENCE = new Int16Array(320);

test('keys go as tones where they cannot be named, and are heard', async () => {
  const { sender, keys, pass } = await line('PCMA');
  const dialled = sender.dial('4w#0');
  for (let n = 0; n < 100; n += 1) pass(SILENCE);
  await dialled;
  expect(keys.join('')).toBe('4#0');
});

test('named keys are heard once each though packets of them are lost, and no tone sounds', async () => {
  const { sender, keys, pass } = await line('PCMU', { payloadType: 101, clock: 8000 });
  const dialled = sender.dial('4455*');
  let loudest = 0;
  for (let n = 0; n < 80; n += 1) loudest = Math.max(loudest, ...pass(SILENCE, (at) => at % 3 === 0));
  await dialled;
  expect(keys.join('')).toBe('4455*');
  expect(loudest).toBeLessThan(100);
});

test('5 % of lost packets leave a tone a tone, and are counted and scored', async () => {
  const { sender, receiver, pass } = await line('G722');
  const sound = tone(400, 20);
  const frames: Int16Array[] = [];
  for (let at = 0; at < sound.length; at += 320)
    frames.push(pass(sound.slice(at, at + 320), (n) => (Math.imul(n, 2_654_435_761) >>> 16) % 20 === 0));
  const good = frames.slice(10).filter((frame) => shareOfTone(frame, 400) > 0.9);
  expect(good.length / (frames.length - 10)).toBeGreaterThan(0.97);
  const soFar = receiver.soFar();
  expect(soFar).toMatchObject({ ssrc: sender.ssrc, clock: 8000 });
  const lost = (soFar?.expected ?? 0) - (soFar?.received ?? 0);
  expect(lost).toBeGreaterThan(30);
  expect(lost).toBeLessThan(75);
  expect(receiver.lost).toBe(lost);
});

test('a sender that pauses is heard as its comfort noise, as loud as it says and no louder', async () => {
  const { sender, receiver, pass } = await line('PCMU');
  for (let n = 0; n < 10; n += 1) pass(SILENCE);
  const [noise] = sender.packets(SILENCE);
  const packet = werift.RtpPacket.deSerialize(noise ?? Buffer.alloc(0));
  packet.header.payloadType = 13;
  packet.payload = Buffer.from([50]);
  receiver.take(packet, 400);
  for (let n = 0; n < 12; n += 1) receiver.frame();
  const frame = receiver.frame();
  const level = Math.sqrt(frame.reduce((sum, one) => sum + one * one, 0) / frame.length);
  expect(20 * Math.log10(level / 32_768)).toBeGreaterThan(-54);
  expect(20 * Math.log10(level / 32_768)).toBeLessThan(-46);
});

test('reports say what was lost and how long the way is; what is no report is not read', async () => {
  const [one, other] = [new RtcpReports(werift, 1), new RtcpReports(werift, 2)];
  const sent = { packets: 100, bytes: 16_000, timestamp: 5 };
  const received = { ssrc: 1, received: 75, expected: 100, highest: 65_636, jitterMs: 5, clock: 8000 };
  expect(other.read(one.write(sent, undefined, 1000), 1040)).toBe(true);
  const back = other.write(sent, received, 2040);
  expect(one.read(back, 2080)).toBe(true);
  expect(one.roundTripMs).toBeGreaterThan(78);
  expect(one.roundTripMs).toBeLessThan(82);
  const [report] = werift.RtcpPacketConverter.deSerialize(back);
  expect(report).toMatchObject({
    type: 200,
    reports: [{ ssrc: 1, fractionLost: 64, packetsLost: 25, highestSequence: 65_636, jitter: 40 }],
  });
  expect(one.writeGoodbye(sent, undefined, 3000).subarray(-8).toString('hex')).toBe('81cb000100000001');
  for (const wrong of ['', '80c8', '80c80009cafe', 'ffffffffffff'])
    expect(one.read(Buffer.from(wrong, 'hex'), 0)).toBe(false);
});

test('who holds us need not play anything; a line on which both talk and nothing comes is dead', async () => {
  let now = 0;
  let tick = (): void => {};
  const clock = {
    now: () => now,
    every(_ms: number, run: () => void) {
      tick = run;
      return () => {};
    },
  };
  const pair = await openPortPair('127.0.0.1');
  const codecs = new Map([['PCMU', await createSoundCodec('PCMU')]] as const);
  const session = new RtpSession({ werift, pair, codecs, clock, log: () => {} });
  onTestFinished(() => session.close());
  let dead = 0;
  session.onSilence(() => {
    dead += 1;
  });
  const { port } = pair;
  const agreed = {
    codecs: CODECS.filter(({ name }) => name === 'PCMU'),
    address: '127.0.0.1',
    port,
    reports: { address: '127.0.0.1', port },
  } as unknown as AgreedSound;
  const quiet = (direction: AgreedSound['direction']): number => {
    session.agree({ ...agreed, direction }, undefined);
    now += 31_000;
    tick();
    now += 100;
    tick();
    return dead;
  };
  expect((['sendonly', 'inactive', 'recvonly', 'sendrecv'] as const).map(quiet)).toEqual([0, 0, 0, 1]);
});
