import type { EndedReason } from '../../calls/conversation/conversation-events.server.ts';

/** Statuses for which the published API has a reason of its own. */
const REASONS: Readonly<Record<number, EndedReason>> = {
  403: 'call.in-progress.error-providerfault-outbound-sip-403-forbidden',
  401: 'call.in-progress.error-providerfault-outbound-sip-407-proxy-authentication-required',
  407: 'call.in-progress.error-providerfault-outbound-sip-407-proxy-authentication-required',
  408: 'call.in-progress.error-providerfault-outbound-sip-408-request-timeout',
  480: 'call.in-progress.error-providerfault-outbound-sip-480-temporarily-unavailable',
  // Busy here, busy everywhere, and a person who declines.
  486: 'customer-busy',
  600: 'customer-busy',
  603: 'customer-busy',
  // Nobody answered until we gave up.
  487: 'customer-did-not-answer',
  503: 'call.in-progress.error-providerfault-outbound-sip-503-service-unavailable',
};

/** Why an outgoing call never began (docs/contracts/voice.md §3: `endedReason`). */
export function reasonOfStatus(status: number): EndedReason {
  return REASONS[status] ?? 'call.in-progress.error-sip-outbound-call-failed-to-connect';
}
