import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { openRtpLeg, type RtpLeg, type RtpLegOptions } from './rtp-leg.ts';
import { shareOfTone, tone } from './sounds.fixture.ts';

async function leg(
  more: Partial<RtpLegOptions> = {},
): Promise<RtpLeg & { heard: Int16Array[]; tones: string[] }> {
  const opened = await openRtpLeg({ address: '127.0.0.1', log: () => undefined, ...more });
  onTestFinished(() => opened.close());
  const heard: Int16Array[] = [];
  const tones: string[] = [];
  opened.session.onPcm16k((pcm) => heard.push(pcm));
  opened.onTone((digit) => tones.push(digit));
  return Object.assign(opened, { heard, tones });
}

const portOf = (sdp: string): number => Number(/^m=audio (\d+)/m.exec(sdp)?.[1]);
/** An offer with only these payload types. */
const only = (offer: string, payloadTypes: string): string =>
  offer.replace(/^(m=audio \d+ \S+ ).*$/m, `$1${payloadTypes}`);
/** Frames that consist of this tone: a stalling machine may interrupt the tone, but not change it. */
const framesOf = (heard: Int16Array[], hertz: number): number =>
  heard.filter((frame) => Math.max(...frame) > 2000 && shareOfTone(frame, hertz) > 0.9).length;
const loudest = (heard: Int16Array[]): number => heard.reduce((most, frame) => Math.max(most, ...frame), 0);

test.each([
  ['opus', '107 110', 'offered'],
  ['G.722', '9 101', 'required'],
  ['PCMU', '0 13 101', 'never'],
] as const)('two legs talk by %s: sound and tones both ways', async (_name, payloadTypes, secure) => {
  const [one, other] = await Promise.all([leg({ secure }), leg({ secure })]);
  const states: string[] = [];
  one.session.onState((state) => states.push(state));
  one.accept(other.answer(only(one.offer(), payloadTypes)));
  other.session.onState((state) => states.push(`late ${state}`));
  await until('both are connected', () => states.length === 2);
  expect(states).toEqual(['connected', 'late connected']);

  one.session.writePcm(tone(700, 0.4));
  other.session.writePcm(tone(1000, 0.4));
  await until('both were heard', () => framesOf(one.heard, 1000) > 8 && framesOf(other.heard, 700) > 8);
  expect(framesOf(one.heard, 700) + framesOf(other.heard, 1000)).toBe(0);
  await one.sendTones('19#');
  await until('the keys were heard', () => other.tones.length === 3);
  expect(other.tones.join('')).toBe('19#');
  expect(one.session.stats()).toMatchObject({ packetsLost: 0, quality: { lossPercent: 0 } });
  expect(one.session.stats().quality?.mos).toBeGreaterThan(3);
});

test('on hold nothing is heard, after it everything is, and the session keeps its ports', async () => {
  const [one, other] = await Promise.all([leg(), leg()]);
  const offer = one.offer();
  one.accept(other.answer(offer));
  one.hold(true);
  const held = one.offer();
  expect(held).toContain('a=sendonly');
  expect(portOf(held)).toBe(portOf(offer));
  const answered = other.answer(held);
  expect(answered).toContain('a=recvonly');
  one.accept(answered);
  const sent = other.session.stats().packetsSent;
  const before = other.heard.length;
  await until('the other one hears on', () => other.heard.length > before + 5);
  expect(other.session.stats().packetsSent).toBe(sent);
  const silent = one.heard.length;
  one.hold(false);
  one.accept(other.answer(one.offer()));
  other.session.writePcm(tone(600, 0.3));
  await until('it is heard again', () => framesOf(one.heard, 600) > 5);
  expect(one.heard.length).toBeGreaterThan(silent);
  const old = other.answer(one.offer().replaceAll(/IN IP4 127.0.0.1\r\nt=/g, 'IN IP4 0.0.0.0\r\nt='));
  expect(old).toContain('a=inactive');
});

test('attack 55: what others send to the port of a call is not heard, encrypted or not', async () => {
  for (const secure of ['never', 'required'] as const) {
    const [one, other] = await Promise.all([leg({ secure }), leg({ secure })]);
    one.accept(other.answer(only(one.offer(), '0 101')));
    await until('sound flows', () => other.session.stats().packetsReceived > 2);
    const port = portOf(other.offer());
    const stranger = createSocket('udp4');
    onTestFinished(() => void stranger.close());
    stranger.bind(0, '127.0.0.1');
    await once(stranger, 'listening');
    const packet = Buffer.concat([Buffer.from('80000001000000000badcafe', 'hex'), Buffer.alloc(160, 0x10)]);
    const before = other.session.stats().packetsRejected;
    for (let n = 0; n < 20; n += 1) {
      packet.writeUInt16BE(n, 2);
      stranger.send(packet, port, '127.0.0.1');
      stranger.send(Buffer.from([0x80, 0xff, 1]), port, '127.0.0.1');
      stranger.send(Buffer.from('80c80001', 'hex'), port + 1, '127.0.0.1');
    }
    await until('they were refused', () => other.session.stats().packetsRejected >= before + 40);
    expect(loudest(other.heard)).toBeLessThan(100);
  }
});

test('a range of ports is kept to, and when it is used up that is said', async () => {
  const first = await leg();
  const port = portOf(first.offer());
  await expect(leg({ portRange: [port, port + 1] })).rejects.toMatchObject({
    status: 503,
    code: 'no_media_port',
  });
  const other = await leg({ portRange: [port - 1, port + 60] });
  expect(portOf(other.offer())).toBeGreaterThan(port);
  expect(portOf(other.offer())).toBeLessThan(port + 60);
  await first.close();
  await first.close();
  await expect(first.sendTones('1')).rejects.toMatchObject({ status: 409, code: 'call_over' });
});

test('answers and offers that do not fit are refused with what they are', async () => {
  const one = await leg({ secure: 'required' });
  expect(() => one.accept(one.offer().replace(/m=audio \d+/, 'm=audio 0'))).toThrow(
    expect.objectContaining({ status: 400, code: 'bad_answer' }),
  );
  expect(() =>
    one.accept(
      one
        .offer()
        .replaceAll('a=crypto:1', 'a=crypto:7')
        .replace(/a=crypto:2.*\r\n/, ''),
    ),
  ).toThrow('answers none');
  expect(() => one.answer(one.offer().replace(/a=crypto:.*\r\n/g, ''))).toThrow(
    expect.objectContaining({ status: 488, code: 'not_acceptable' }),
  );
});

/** Waits until `condition` holds. */
function until(what: string, condition: () => boolean): Promise<void> {
  return expect.poll(condition, { message: what, interval: 20 }).toBe(true);
}
