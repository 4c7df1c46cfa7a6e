import type { SERVICES } from '../../../kernel/contract/routes.ts';
import { CallRefused, callServer } from '../../../ui/session/server-call.ts';
import { asWebsite, type EnquiryReceipt } from '../enquiry.contract.ts';
import type { WorkProof } from '../proof-of-work/proof-of-work.contract.ts';

/** Why an enquiry was refused; `detail` is the server's own sentence, if it has one for people. */
export class EnquiryRefused extends Error {
  readonly detail: string | undefined;

  constructor(detail?: string, options?: ErrorOptions) {
    super('The enquiry was not taken.', options);
    this.detail = detail;
  }
}

/**
 * Sends a form's values to one of the two enquiry functions; empty fields are left out.
 *
 * @throws EnquiryRefused when the server cannot be reached or refuses it
 */
export async function postEnquiry(
  path: typeof SERVICES.enquiry | typeof SERVICES.courseInquiry,
  values: Record<string, string>,
  { elapsedMs, proof }: { elapsedMs: number; proof: WorkProof | undefined },
): Promise<EnquiryReceipt> {
  const filled = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
  const website = asWebsite(values.website ?? '');
  const body = {
    ...filled,
    ...(website === undefined ? {} : { website }),
    elapsed_ms: Math.round(elapsedMs),
    ...(proof === undefined ? {} : { proof }),
  };
  const answer = await callServer(path, { as: 'visitor', body })
    .then((reply) => reply.json())
    .catch((cause: unknown) => {
      throw new EnquiryRefused(sentenceFor(cause), { cause });
    });
  if (typeof answer?.id === 'string') return answer;
  throw new EnquiryRefused();
}

/** A sentence that the visitor can act on: only some refusals concern what was typed. */
function sentenceFor(cause: unknown): string | undefined {
  if (!navigator.onLine) return 'You seem to be offline.';
  if (!(cause instanceof CallRefused)) return undefined;
  return [400, 422, 429].includes(cause.status) ? cause.sentence : undefined;
}
