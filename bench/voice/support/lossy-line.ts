import type { Socket } from 'node:dgram';
import { openPortPair } from '@northline/telephone-audio/port-pair';
import type { RtpLeg } from '@northline/telephone-audio/rtp-leg';
import type { Random } from '../../../tests/histories/random.ts';

const LOOPBACK = '127.0.0.1';
const SOUND_PORT = /^(m=audio )(\d+)/m;
const REPORT_PORT = /^(a=rtcp:)(\d+)/m;

/**
 * The leg behind a line that loses sound packets in both directions. Its descriptions name the line's ports,
 * and the line forwards what arrives to the other end. Reports are never lost, because only the sound is
 * measured.
 *
 * @param lossPercent how many of a hundred packets are lost
 */
export async function lossyLine(leg: RtpLeg, lossPercent: number, random: Random): Promise<RtpLeg> {
  const [near, far] = [await openPortPair(LOOPBACK), await openPortPair(LOOPBACK)];
  let [ours, theirs] = [0, 0];
  const passes = (): boolean => !random.chance(lossPercent / 100);
  const carry = (from: Socket, to: Socket, port: () => number, passing: () => boolean): void => {
    from.on('message', (packet) => {
      if (port() !== 0 && passing()) to.send(packet, port(), LOOPBACK);
    });
  };
  carry(near.sound, far.sound, () => theirs, passes);
  carry(far.sound, near.sound, () => ours, passes);
  carry(near.reports, far.reports, () => theirs + 1, always);
  carry(far.reports, near.reports, () => ours + 1, always);
  /** Outgoing descriptions name the far end of the line, incoming ones its near end. */
  const outwards = (sdp: string): string => {
    ours = portOf(sdp);
    return named(sdp, far.port);
  };
  const inwards = (sdp: string): string => {
    theirs = portOf(sdp);
    return named(sdp, near.port);
  };
  return {
    session: leg.session,
    offer: () => outwards(leg.offer()),
    accept: (answer) => leg.accept(inwards(answer)),
    answer: (offer) => outwards(leg.answer(inwards(offer))),
    hold: (held) => leg.hold(held),
    sendTones: (digits) => leg.sendTones(digits),
    onTone: (listener) => leg.onTone(listener),
    onSilence: (listener) => leg.onSilence(listener),
    async close() {
      await leg.close();
      for (const socket of [near.sound, near.reports, far.sound, far.reports]) socket.close();
    },
  };
}

const always = (): boolean => true;

function portOf(sdp: string): number {
  return Number(SOUND_PORT.exec(sdp)?.[2] ?? 0);
}

function named(sdp: string, port: number): string {
  return sdp.replace(SOUND_PORT, `$1${port}`).replace(REPORT_PORT, `$1${port + 1}`);
}
