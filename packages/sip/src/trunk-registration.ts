import { newTag } from './dialog/sip-dialog.ts';
import { type DigestCredentials, proofFor } from './digest-challenge.ts';
import { parseNameAddress } from './message/sip-addresses.ts';
import { SipHeaders } from './message/sip-headers.ts';
import type { SipResponse } from './message/sip-message.ts';
import type { SipClock } from './transaction/sip-clock.ts';
import type { SipPlace } from './transport/sip-transport.ts';
import type { SipUserAgent } from './user-agent.ts';

/** The registration of our address with a trunk. */
export interface RegistrationOptions {
  /** The registrar, as `sip:provider.example`. */
  readonly registrar: string;
  /** The address that is registered, as `sip:user@provider.example`. */
  readonly address: string;
  readonly credentials: DigestCredentials;
  /** Where requests are sent; called before each one, so that a changed name takes effect. */
  place(): Promise<SipPlace>;
  readonly clock: SipClock;
  readonly log: (line: string) => void;
}

/** A registration that is renewed until it is closed. */
export interface Registration {
  /** The registrar's last status: 200 while registered, 0 before its first answer. */
  status(): number;
  /** Ends the registration. */
  close(): void;
}

const EXPIRES_SECONDS = 600;
/** Pause after a failure: the first value, then twice as long each time, up to the second. */
const RETRY_SECONDS = 30;
const MOST_RETRY_SECONDS = 600;

/** Registers, and renews the registration before it expires (RFC 3261 §10). */
export function keepRegistered(agent: SipUserAgent, options: RegistrationOptions): Registration {
  const callId = `${newTag()}@northline`;
  const tag = newTag();
  const { registrar, address, credentials, clock, log } = options;
  let sequence = 0;
  let status = 0;
  let failures = 0;
  let closed = false;
  let cancel = (): void => {};

  function send(place: SipPlace, expires: number, proof: Record<string, string>): void {
    sequence += 1;
    const user = credentials.username;
    const headers = new SipHeaders({
      'max-forwards': '70',
      from: `<${address}>;tag=${tag}`,
      to: `<${address}>`,
      'call-id': callId,
      cseq: `${sequence} REGISTER`,
      contact: agent.contactFor(place, user),
      expires: String(expires),
      ...proof,
    });
    const tried = Object.keys(proof).length > 0;
    agent.layer.request({ kind: 'request', method: 'REGISTER', uri: registrar, headers, body: '' }, place, {
      response: (response) => answered(response, { place, expires, tried }),
      failed: (code) => refused(code),
    });
  }

  function answered(
    response: SipResponse,
    { place, expires, tried }: { place: SipPlace; expires: number; tried: boolean },
  ): void {
    if (response.status < 200) return;
    const proof = tried ? undefined : proofFor(response, { method: 'REGISTER', uri: registrar }, credentials);
    if (proof !== undefined) send(place, expires, proof);
    else if (response.status >= 300) refused(response.status);
    else {
      status = 200;
      failures = 0;
      again(grantedSeconds(response) * 0.8);
    }
  }

  function refused(code: number): void {
    status = code;
    if (closed) return;
    failures += 1;
    log(`the trunk ${registrar} refuses our registration (${code})`);
    again(Math.min(MOST_RETRY_SECONDS, RETRY_SECONDS * 2 ** (failures - 1)));
  }

  function again(seconds: number): void {
    if (!closed) cancel = clock.after(seconds * 1000, () => begin(EXPIRES_SECONDS));
  }

  function begin(expires: number): void {
    options.place().then(
      (place) => send(place, expires, {}),
      () => refused(503),
    );
  }

  begin(EXPIRES_SECONDS);
  return {
    status: () => status,
    close() {
      closed = true;
      cancel();
      if (status === 200) begin(0);
    },
  };
}

function grantedSeconds({ headers }: SipResponse): number {
  const own = headers.all('contact').map((one) => Number(parseNameAddress(one)?.parameters.expires));
  const granted = own.find((seconds) => seconds > 0) ?? Number(headers.get('expires'));
  return granted > 0 ? Math.max(30, granted) : EXPIRES_SECONDS;
}
