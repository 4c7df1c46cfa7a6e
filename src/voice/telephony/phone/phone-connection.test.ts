import { expect, onTestFinished, test } from 'vitest';
import { openRtpLeg, type RtpLeg } from '../../../../packages/telephone-audio/src/rtp-leg.ts';
import { until } from '../../../../tests/support/voice/voice-peer.ts';
import { PhoneConnection } from './phone-connection.server.ts';

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
