import { newTag } from './dialog/sip-dialog.ts';
import { type DigestCredentials, proofFor } from './digest-challenge.ts';
import { SipHeaders } from './message/sip-headers.ts';
import type { SipPlace } from './transport/sip-transport.ts';
import type { SipUserAgent } from './user-agent.ts';

/** A question to a trunk that changes nothing there. */
export interface TrunkQuestion {
  /** `REGISTER` asks which addresses are registered (RFC 3261 §10.2.3), `OPTIONS` whether the trunk is there (§11). */
  readonly method: 'REGISTER' | 'OPTIONS';
  /** The trunk, as `sip:provider.example`. */
  readonly uri: string;
  /** The account or the caller, as `sip:user@provider.example`. */
  readonly address: string;
  readonly credentials: DigestCredentials | undefined;
  readonly place: SipPlace;
}

/** The trunk's last answer. */
export interface TrunkAnswer {
  /** Its status; 408 if nobody answered, 503 if the question could not be sent. */
  readonly status: number;
  readonly reason: string;
  /** Whether it asked for a proof, and got one. */
  readonly proven: boolean;
  /** The registered addresses in the answer to REGISTER. */
  readonly contacts: readonly string[];
}

/** Asks a trunk, and proves who we are if it wants that. Resolves also where nobody answers, after some 32 seconds. */
export function askTrunk(agent: SipUserAgent, question: TrunkQuestion): Promise<TrunkAnswer> {
  const { method, uri, address, credentials, place } = question;
  const callId = `${newTag()}@northline`;
  const tag = newTag();
  return new Promise((resolve) => {
    const send = (sequence: number, proof: Record<string, string>): void => {
      const proven = sequence > 1;
      const headers = new SipHeaders({
        'max-forwards': '70',
        from: `<${address}>;tag=${tag}`,
        to: `<${method === 'REGISTER' ? address : uri}>`,
        'call-id': callId,
        cseq: `${sequence} ${method}`,
        ...(method === 'OPTIONS' ? { accept: 'application/sdp' } : {}),
        ...proof,
      });
      agent.layer.request({ kind: 'request', method, uri, headers, body: '' }, place, {
        response(response) {
          const { status, reason } = response;
          if (status < 200) return;
          const next = proven ? undefined : proofFor(response, { method, uri }, credentials);
          if (next === undefined)
            resolve({ status, reason, proven, contacts: response.headers.all('contact') });
          else send(2, next);
        },
        failed: (status) => resolve({ status, reason: '', proven, contacts: [] }),
      });
    };
    send(1, {});
  });
}
