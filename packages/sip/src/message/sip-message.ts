import type { SipHeaders } from './sip-headers.ts';

/** A request of SIP (RFC 3261 §7.1). */
export interface SipRequest {
  readonly kind: 'request';
  /** As it was received: methods are case-sensitive. */
  readonly method: string;
  readonly uri: string;
  readonly headers: SipHeaders;
  readonly body: string;
}

/** A response of SIP (RFC 3261 §7.2). */
export interface SipResponse {
  readonly kind: 'response';
  /** 100 to 699. */
  readonly status: number;
  readonly reason: string;
  readonly headers: SipHeaders;
  readonly body: string;
}

export type SipMessage = SipRequest | SipResponse;

/** The contents of `CSeq`. */
export interface CommandSequence {
  readonly number: number;
  readonly method: string;
}

/** The `CSeq` of a parsed message, which always has one. */
export function commandSequence({ headers }: SipMessage): CommandSequence {
  const [number = '0', method = ''] = (headers.get('cseq') ?? '').split(/\s+/);
  return { number: Number(number), method };
}

/** The reason phrases of statuses (RFC 3261 §21); a status without one gets the phrase of its class. */
const REASONS: Readonly<Record<number, string>> = {
  100: 'Trying',
  180: 'Ringing',
  181: 'Call Is Being Forwarded',
  183: 'Session Progress',
  200: 'OK',
  202: 'Accepted',
  302: 'Moved Temporarily',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  413: 'Request Entity Too Large',
  415: 'Unsupported Media Type',
  416: 'Unsupported URI Scheme',
  420: 'Bad Extension',
  422: 'Session Interval Too Small',
  480: 'Temporarily Unavailable',
  481: 'Call/Transaction Does Not Exist',
  482: 'Loop Detected',
  483: 'Too Many Hops',
  486: 'Busy Here',
  487: 'Request Terminated',
  488: 'Not Acceptable Here',
  489: 'Bad Event',
  491: 'Request Pending',
  500: 'Server Internal Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
  505: 'Version Not Supported',
  603: 'Decline',
};
const CLASSES = ['Progress', 'OK', 'Redirection', 'Request Failure', 'Server Failure', 'Global Failure'];

/** The reason phrase of a status. */
export function reasonOf(status: number): string {
  return REASONS[status] ?? CLASSES[Math.floor(status / 100) - 1] ?? 'Unknown';
}

/** The bytes of a message; `Content-Length` is set to the length of its body. */
export function printMessage(message: SipMessage): Buffer {
  const first =
    message.kind === 'request'
      ? `${message.method} ${message.uri} SIP/2.0`
      : `SIP/2.0 ${message.status} ${message.reason}`;
  message.headers.set('content-length', String(Buffer.byteLength(message.body)));
  return Buffer.from(`${[first, ...message.headers.lines()].join('\r\n')}\r\n\r\n${message.body}`);
}
