import type { SERVICES } from '../../contract/routes.ts';
import { publicConfig } from '../../web/public-config.ts';
import { readStoredSession } from '../../web/stored-session.ts';
import type { WorkProof } from './prove-work.contract.ts';
import { asWebsite, type EnquiryReceipt } from './send-enquiry.contract.ts';

/** Why an enquiry was not taken; `detail` is the server's own sentence when it has one for people. */
export class EnquiryRefused extends Error {
  readonly detail: string | undefined;

  constructor(detail?: string) {
    super('The enquiry was not taken.');
    this.detail = detail;
  }
}

/**
 * Sends a form's values to one of the two enquiry functions; empty fields are left out.
 *
 * @throws EnquiryRefused when the server cannot be reached or does not take it
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
  const reply = await send(path, body).catch(() => {
    throw new EnquiryRefused(navigator.onLine ? undefined : 'You seem to be offline.');
  });
  const answer = await reply.json().catch(() => undefined);
  if (reply.ok && typeof answer?.id === 'string') return answer;
  const isForPeople = reply.status === 429 || reply.status === 400 || reply.status === 422;
  throw new EnquiryRefused(isForPeople ? answer?.error : undefined);
}

async function send(path: string, body: object): Promise<Response> {
  const session = readStoredSession();
  const isGood = session !== undefined && session.expiresAt * 1000 > Date.now();
  const bearer = isGood ? session.accessToken : (await publicConfig()).publicKey;
  return fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
    body: JSON.stringify(body),
  });
}
