import { SERVICES } from '../../../kernel/contract/routes.ts';
import { callServer } from '../../../ui/session/server-call.ts';
import { leadingZeroBits, type WorkChallenge, type WorkProof, workText } from './proof-of-work.contract.ts';
import { sha256 } from './sha256.web.ts';

/** Milliseconds of work before the page gets its turn. */
const SLICE_MS = 6;
const TRIES_BETWEEN_LOOKS = 64;

/**
 * Fetches a challenge and solves it in slices, so that typing never waits.
 *
 * @throws Error when no challenge can be fetched; the enquiry is then sent without a proof
 */
export async function proveWork(signal: AbortSignal): Promise<WorkProof> {
  const reply = await callServer(SERVICES.enquiryChallenge, { as: 'anyone', signal });
  return solve((await reply.json()) as WorkChallenge, signal);
}

/** @throws AbortError when the caller gave up */
export async function solve({ challenge, bits }: WorkChallenge, signal: AbortSignal): Promise<WorkProof> {
  for (let answer = 0; ; ) {
    signal.throwIfAborted();
    const until = performance.now() + SLICE_MS;
    while (performance.now() < until) {
      for (let tries = 0; tries < TRIES_BETWEEN_LOOKS; tries += 1, answer += 1) {
        const proof = { challenge, answer };
        if (leadingZeroBits(sha256(workText(proof))) >= bits) return proof;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
