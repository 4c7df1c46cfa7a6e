import type { SipRequest } from '../message/sip-message.ts';

/** Keys of a telephone; A to D exist in the standard, but not on its keypad. */
const KEY = /^[0-9A-D*#]$/;

/**
 * The key in an INFO: `application/dtmf-relay` (Signal=5) or `application/dtmf` (5). Undefined for an INFO
 * without a body, `unknown` for one of another type.
 */
export function readToneBody({ headers, body }: SipRequest): string | undefined {
  if (body.trim() === '') return undefined;
  const type = (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase();
  const [, signal] =
    type === 'application/dtmf-relay'
      ? (/^\s*signal\s*=\s*(\S+)/im.exec(body) ?? [])
      : type === 'application/dtmf'
        ? (/^\s*(\S+)/.exec(body) ?? [])
        : [];
  const key = ({ '10': '*', '11': '#' }[signal ?? ''] ?? signal ?? '').toUpperCase();
  return KEY.test(key) ? key : 'unknown';
}

/**
 * The status of a call that the other side was asked to make, from its report (`message/sipfrag`, RFC 3420).
 */
export function referStatus(body: string): number | undefined {
  const [, digits] = /^SIP\/2\.0 (\d{3})/i.exec(body.trimStart()) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
