import type { PhoneConnection } from './phone-connection.server.ts';

/** Sound that would wait longer is dropped, since two clocks are never the same. */
const MOST_QUEUED_MS = 240;

/**
 * Connects two telephones: each hears the other, keys are passed on, and when one hangs up the other is hung
 * up. Resolves when both are over.
 */
export async function bridgeLines(one: PhoneConnection, other: PhoneConnection): Promise<void> {
  const pass = (from: PhoneConnection, to: PhoneConnection): void => {
    from.leg.session.onPcm16k((pcm) => {
      if (to.leg.session.queuedMs() > MOST_QUEUED_MS) to.leg.session.flush();
      to.leg.session.writePcm(pcm);
    });
    from.onTone((digit) => void to.leg.sendTones(digit).catch(() => {}));
    void from.over.then(() => to.hangUp());
  };
  pass(one, other);
  pass(other, one);
  await Promise.all([one.over, other.over]);
}
