import type { EndedReason } from '../../calls/conversation/conversation-events.server.ts';

/** Statuses for which the published API has a reason of its own. */
const REASONS: Readonly<Record<number, EndedReason>> = {
  403: 'call.in-progress.error-providerfault-outbound-sip-403-forbidden',
  401: 'call.in-progress.error-providerfault-outbound-sip-407-proxy-authentication-required',
  407: 'call.in-progress.error-providerfault-outbound-sip-407-proxy-authentication-required',
  // Nobody answered until we or an exchange gave up, or the person is away (RFC 3261 §21.4.9, §21.4.18).
  408: 'customer-did-not-answer',
  480: 'customer-did-not-answer',
  487: 'customer-did-not-answer',
  // Busy here, busy everywhere, and a person who declines.
  486: 'customer-busy',
  600: 'customer-busy',
  603: 'customer-busy',
  503: 'call.in-progress.error-providerfault-outbound-sip-503-service-unavailable',
};

/**
 * Why an outgoing call never began (docs/contracts/voice.md §3: `endedReason`).
 *
 * @param status the other side's SIP status, or ours
 * @param reached whether the other side reacted at all; a trunk that sends nothing is at fault, not the person
 */
export function reasonOfStatus(status: number, reached: boolean): EndedReason {
  if (status === 408 && !reached)
    return 'call.in-progress.error-providerfault-outbound-sip-408-request-timeout';
  return REASONS[status] ?? 'call.in-progress.error-sip-outbound-call-failed-to-connect';
}
