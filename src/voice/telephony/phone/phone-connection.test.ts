import { expect, onTestFinished, test } from 'vitest';
import { openRtpLeg, type RtpLeg } from '../../../../packages/telephone-audio/src/rtp-leg.ts';
import { until } from '../../../../tests/support/voice/voice-peer.ts';
import { wireCall } from './call-wiring.server.ts';
import { PhoneConnection } from './phone-connection.server.ts';
import { reasonOfStatus } from './sip-endings.server.ts';

async function leg(): Promise<RtpLeg> {
  const opened = await openRtpLeg({ address: '127.0.0.1', log: () => {} });
  onTestFinished(() => opened.close());
  return opened;
}

test('after the other side’s hold the same answer as before is an answer again: sound goes on', async () => {
  const [own, other] = [await leg(), await leg()];
  const line = new PhoneConnection(own, () => {});
  const answer = other.answer(own.offer());
  line.events.answered(answer);
  const held = other.offer().replace('a=sendrecv', 'a=inactive');
  expect(line.events.offer(held)).toContain('a=inactive');
  const silent = own.session.stats().packetsSent;
  line.events.answered(answer);
  await until('it is sent again', () => own.session.stats().packetsSent > silent);
});

test('the session of a line takes no description: its leg does', async () => {
  const line = new PhoneConnection(await leg(), () => {});
  await expect(line.session.answer()).rejects.toMatchObject({ status: 409, code: 'telephone_leg' });
});

/** The reason with which a line's conversation was ended, and the listener for silence of its sound. */
async function wired() {
  const sound = await leg();
  let silent = (): void => {};
  sound.onSilence = (listener) => {
    silent = listener;
  };
  const line = new PhoneConnection(sound, () => {});
  const ended = Promise.withResolvers<string>();
  const over = new Promise<void>(() => {});
  wireCall(line, { end: ended.resolve, over, assistant: {}, meter: undefined }, reasonOfStatus);
  return { line, fallSilent: () => silent(), reason: ended.promise };
}

test('a telephone that sends no sound is hung up, and the call says so', async () => {
  const { line, fallSilent, reason } = await wired();
  line.events.established?.();
  fallSilent();
  expect([await reason, await line.over]).toEqual(['silence-timed-out', 'silent']);
});

test('a trunk that does not react is a fault of the provider; a person who does not answer is not', async () => {
  const [dead, rang] = [await wired(), await wired()];
  dead.line.events.failed(408, 'Nobody answers', false);
  rang.line.events.failed(408, 'No answer', true);
  expect([await dead.reason, await rang.reason]).toEqual([
    'call.in-progress.error-providerfault-outbound-sip-408-request-timeout',
    'customer-did-not-answer',
  ]);
});
