import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { type HandClock, handClock } from '../../packages/sip/src/hand-clock.fixture.ts';
import { createSoundCodec } from '../../packages/telephone-audio/src/codecs/sound-codec.ts';
import { freePort, hasProgram, startSipp } from '../support/voice/sip/sipp-run.ts';
import { openTelephone, type Telephone, type TelephoneCall } from '../support/voice/sip-telephone.ts';
import { shareOfTone, tone, until } from '../support/voice/voice-peer.ts';

/**
 * SIPp on the other side of our own user agent, whose clock the test moves, so that minutes take no time and
 * repetitions happen when the test wants. SIPp is in Debian's package sip-tester; a machine without it skips
 * these tests.
 */
const sipp = test.skipIf(!hasProgram('sipp'));
const USER = 'ann';

interface Place extends HandClock {
  readonly telephone: Telephone;
}

async function place(pickUp: Telephone['pickUp'] = 'answer'): Promise<Place> {
  const time = handClock();
  const telephone = await openTelephone(time.clock);
  onTestFinished(() => telephone.close());
  telephone.pickUp = pickUp;
  return { ...time, telephone };
}
/** SIPp calls the telephone. */
async function called(scenario: string, pickUp?: Telephone['pickUp']) {
  const made = await place(pickUp);
  const run = await startSipp(scenario, { calls: { port: made.telephone.port, user: USER } });
  await until('the call came', () => made.telephone.calls.length === 1);
  return { ...made, run, call: made.telephone.calls[0] as TelephoneCall };
}
/** The telephone calls SIPp. */
async function calling(scenario: string, keys: Readonly<Record<string, number>> = {}) {
  const made = await place();
  const run = await startSipp(scenario, { keys });
  const call = await made.telephone.dial(`sip:bob@127.0.0.1:${run.port}`);
  return { ...made, run, call };
}
const saw = (call: TelephoneCall, word: string): Promise<void> =>
  until(`${word}, after ${call.seen.join(', ')}`, () => call.seen.includes(word));
const lineOf = (text: string): string => text.split('\n')[0] ?? '';

sipp(
  'a ring that has to be acknowledged comes again, a wrong PRACK is 481, the right one lets the answer go',
  async () => {
    const { run, call, advance } = await called('reliable-ring', 'early');
    advance(500);
    const messages = await run.over();
    await saw(call, 'ended remote');
    expect(call.seen).toEqual(['established', 'ended remote']);
    const rings = messages.filter(({ text }) => lineOf(text).includes(' 183 '));
    expect(rings).toHaveLength(2);
    expect(rings[0]).toEqual(rings[1]);
  },
);

sipp('sound before the answer is acknowledged and heard, and the call is taken back', async () => {
  const sound = await freePort();
  const { run, call } = await calling('early-sound', { sound });
  await saw(call, 'ringing 183');
  await plays(sound, Number(/^m=audio (\d+)/m.exec(call.leg.offer())?.[1]));
  await until('it is heard', () =>
    call.heard.some((frame) => Math.max(...frame) > 2000 && shareOfTone(frame, 400) > 0.9),
  );
  call.call.hangUp();
  await run.over();
  await saw(call, 'failed 487');
  expect(call.seen).toEqual(['ringing 183', 'failed 487']);
});

sipp('what was agreed on in a reliable ring need not be said again with the answer', async () => {
  const { run, call } = await calling('reliable-answer');
  await saw(call, 'established');
  call.call.hangUp();
  await run.over();
  expect(call.seen).toEqual(['ringing 183', 'ringing 180', 'established', 'ended local']);
});

sipp('a caller that refreshes keeps its call, and one that stops loses it after 60 of 90 s', async () => {
  const { run, call, advance } = await called('session-of-caller');
  await saw(call, 'info 5');
  advance(59_000);
  expect(call.seen).not.toContain('ended timeout');
  advance(1000);
  await run.over();
  expect(call.seen).toEqual(['established', 'info 5', 'ended timeout']);
});

for (const [scenario, key] of [
  ['session-by-update', 6],
  ['session-by-invite', 7],
] as const)
  sipp(`${scenario}: a session that is ours to refresh is refreshed`, async () => {
    const { run, call, advance } = await called(scenario);
    await saw(call, 'established');
    advance(45_000);
    await saw(call, `info ${key}`);
    // Without the refresh it would have ended by now.
    advance(44_000);
    call.call.hangUp();
    await run.over();
    expect(call.seen).toEqual(['established', `info ${key}`, 'ended local']);
  });

sipp('a longer session than ours is asked for, and given', async () => {
  const { run, call } = await calling('longer-session');
  await saw(call, 'established');
  call.call.hangUp();
  await run.over();
  expect(call.seen).toEqual(['established', 'ended local']);
});

sipp('both sides offer at once: both are refused, and ours comes again', async () => {
  const { run, call, advance } = await called('both-offer');
  await saw(call, 'info 1');
  call.leg.hold(true);
  const held = call.call.reoffer(call.leg.offer());
  await saw(call, 'info 2');
  advance(2000);
  await held;
  call.call.hangUp();
  await run.over();
});

sipp('of two answers the first stays, and the second is acknowledged and ended', async () => {
  const { run, call } = await calling('two-answers');
  // The second telephone has hung up.
  await saw(call, 'info 9');
  call.call.hangUp();
  await run.over();
  expect(call.seen).toEqual(['established', 'info 9', 'ended local']);
});

sipp('an answer that crosses our CANCEL is acknowledged, and the call ended', async () => {
  const { run, call } = await calling('answer-crosses-cancel');
  await saw(call, 'ringing 180');
  call.call.hangUp();
  await run.over();
  expect(call.seen).toEqual(['ringing 180', 'ended local']);
});

sipp('an answer comes again until its ACK, and nobody hangs up before', async () => {
  const { run, call, advance } = await called('late-ack');
  call.call.hangUp();
  advance(500);
  const messages = await run.over();
  expect(messages.filter(({ sent, text }) => !sent && lineOf(text).includes(' 200 '))).toHaveLength(2);
  expect(call.seen).toEqual(['ended local']);
});

sipp('a BYE before the ACK ends the call, and the answer does not come again', async () => {
  const { run, call, advance } = await called('bye-before-ack');
  await saw(call, 'ended remote');
  advance(32_000);
  const messages = await run.over();
  const answers = messages.filter(
    ({ text }) => lineOf(text).includes(' 200 ') && text.includes('CSeq: 1 INVITE'),
  );
  expect(answers).toHaveLength(1);
});

sipp('a CANCEL after the answer changes nothing', async () => {
  const { run, call } = await called('late-cancel');
  await run.over();
  await saw(call, 'ended remote');
  expect(call.seen).toEqual(['established', 'ended remote']);
});

/** Plays a tone from one port to another until the end of the test. */
async function plays(from: number, to: number): Promise<void> {
  const socket = createSocket('udp4');
  socket.bind(from, '127.0.0.1');
  await once(socket, 'listening');
  const codec = await createSoundCodec('PCMU');
  const frame = tone(400, 0.02);
  let sequence = 0;
  const timer = setInterval(() => {
    const header = Buffer.alloc(12);
    header.writeUInt16BE(0x8000, 0);
    header.writeUInt16BE(sequence, 2);
    header.writeUInt32BE(sequence * 160, 4);
    header.writeUInt32BE(1, 8);
    sequence += 1;
    socket.send(Buffer.concat([header, codec.encode(frame)]), to, '127.0.0.1');
  }, 20);
  onTestFinished(() => {
    clearInterval(timer);
    socket.close();
  });
}
