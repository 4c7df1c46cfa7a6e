/**
 * The challenge that a form requests when it opens: `GET /functions/v1/enquiry-challenge`. While the visitor
 * types, the browser looks for a number whose SHA-256 together with the challenge begins with `bits` zero
 * bits.
 */
export interface WorkChallenge {
  /** Signed by the server; valid for two hours and for one enquiry. */
  readonly challenge: string;
  /** 16 bits take 65,000 attempts on average: hardly noticeable for one form, expensive for a thousand. */
  readonly bits: number;
}

/** The solution, sent with the enquiry. */
export interface WorkProof {
  readonly challenge: string;
  readonly answer: number;
}

/** The text that is hashed. */
export const workText = ({ challenge, answer }: WorkProof): string => `${challenge}:${answer}`;

/** Number of zero bits that a hash begins with. */
export function leadingZeroBits(hash: ArrayLike<number>): number {
  for (let index = 0; index < hash.length; index += 1) {
    const byte = hash[index] ?? 0;
    if (byte !== 0) return index * 8 + Math.clz32(byte) - 24;
  }
  return hash.length * 8;
}
