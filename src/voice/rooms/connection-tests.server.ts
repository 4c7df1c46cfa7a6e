import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { MediaTransport } from '../media/media-transport.server.ts';
import { checkOffer } from '../media/offer-check.server.ts';
import { sectionsOf } from '../media/room/media-kind.contract.ts';

/** Most tests that run at once in this process: each costs as much as a person in a room. */
const MOST_AT_ONCE = 4;
/** A test of the call library takes half a minute at most; one that runs longer is ended. */
const LONGEST_MS = 60_000;
/** What the peer receives: one picture. */
const LAYOUT = { audio: 0, video: 1 } as const;
/** The id of the peer that is tested, which is alone in its room. */
const TESTED = 'tested';

/**
 * Tests of visitors' connections: what a peer sends comes back to it, and reaches nobody else (decision
 * 0468).
 */
export interface ConnectionTests {
  /**
   * Answers the offer of a test. Its sections are those of a room without other people, with one picture to
   * receive.
   *
   * @throws ServiceError 400 `bad_offer`, 503 `too_many_tests`
   */
  answer(offer: string): Promise<string>;
}

/** Opens the connection tests of this process; they end with its media. */
export function openConnectionTests(
  transport: Pick<MediaTransport, 'createRoom'>,
  longestMs = LONGEST_MS,
): ConnectionTests {
  let going = 0;
  return {
    async answer(offer) {
      if (going >= MOST_AT_ONCE)
        throw new ServiceError(
          503,
          'too_many_tests',
          'Too many connections are tested now. Please try again in a minute.',
        );
      going += 1;
      try {
        const { answer, over } = await answerTest(transport, offer, longestMs);
        void over.finally(() => {
          going -= 1;
        });
        return answer;
      } catch (error) {
        going -= 1;
        throw error;
      }
    },
  };
}

async function answerTest(
  transport: Pick<MediaTransport, 'createRoom'>,
  offer: string,
  longestMs: number,
): Promise<{ answer: string; over: Promise<void> }> {
  // Checked before a room is created, since anybody may send an offer.
  checkOffer(offer, sectionsOf(LAYOUT));
  const room = await transport.createRoom(LAYOUT);
  try {
    const peer = await room.enter(TESTED);
    const gone = new Promise<void>((resolve) =>
      peer.onState((state) => {
        if (state === 'closed' || state === 'failed' || state === 'disconnected') resolve();
      }),
    );
    // Received as a screen, because a screen has one size; a camera would send three, and one is enough to measure.
    peer.allow(new Set(['screenVideo']));
    peer.route([{ from: TESTED, kind: 'screenVideo', slot: 0 }]);
    const timer = setTimeout(() => void room.close(), longestMs);
    void gone.then(() => clearTimeout(timer));
    const answer = await peer.answer(offer);
    return { answer, over: gone.then(() => room.close()) };
  } catch (error) {
    await room.close();
    throw error;
  }
}
