import { SERVICES } from '../../contract/routes.ts';
import { publicConfig } from '../../web/public-config.ts';
import { leadingZeroBits, type WorkChallenge, type WorkProof, workText } from './prove-work.contract.ts';
import { sha256 } from './sha256.web.ts';

/** Milliseconds at work before the page gets its turn. */
const SLICE_MS = 6;
const TRIES_BETWEEN_LOOKS = 64;

/**
 * Fetches a challenge and solves it in slices, so that typing never waits.
 *
 * @throws Error when there is no challenge to be had; the enquiry is sent without a proof then
 */
export async function proveWork(signal: AbortSignal): Promise<WorkProof> {
  const { publicKey } = await publicConfig();
  const reply = await fetch(SERVICES.enquiryChallenge, {
    headers: { authorization: `Bearer ${publicKey}` },
    signal,
  });
  if (!reply.ok) throw new Error(`the challenge answered ${reply.status}`);
  return solve((await reply.json()) as WorkChallenge, signal);
}

/** @throws AbortError when nobody waits any more */
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
