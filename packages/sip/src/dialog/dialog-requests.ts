import { ServiceError } from '@northline/service-error/service-error';
import { type DigestCredentials, proofFor } from '../digest-challenge.ts';
import type { SipRequest, SipResponse } from '../message/sip-message.ts';
import type { SipPlace } from '../transport/sip-transport.ts';
import { ALLOW, type CallContextOfAgent, EXTENSIONS } from './sip-call.ts';
import type { SipDialog } from './sip-dialog.ts';

/** Further headers of a request in a dialog, and its body. */
export interface RequestParts {
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

/** The owner of the dialog. */
export interface AskingParts {
  readonly credentials?: DigestCredentials | undefined;
  /** The other side does not know the dialog, or does not answer: the dialog is over (RFC 3261 §12.2.1.2). */
  lost(): void;
}

/**
 * Requests whose failure does not end the call: its own end, and reports about another call (RFC 5057 §5.2).
 */
const OF_THEIR_OWN = ['BYE', 'NOTIFY', 'PRACK'];
const LOST = [408, 481];

/**
 * Sends requests in a dialog, with credentials where they are demanded, and acknowledges answers to INVITE.
 */
export class DialogRequests {
  readonly #agent: CallContextOfAgent;
  readonly #dialog: SipDialog;
  readonly #parts: AskingParts;
  #offering = 0;

  constructor(agent: CallContextOfAgent, dialog: SipDialog, parts: AskingParts) {
    this.#agent = agent;
    this.#dialog = dialog;
    this.#parts = parts;
  }

  /** Whether one of our INVITEs has no final answer yet. */
  get offering(): boolean {
    return this.#offering > 0;
  }

  /**
   * Sends a request and resolves with the final answer. @throws ServiceError 502 `session_refused` where none
   * comes
   */
  async ask(method: string, parts: RequestParts = {}): Promise<SipResponse> {
    const invites = method === 'INVITE' ? 1 : 0;
    this.#offering += invites;
    try {
      const { response, uri } = await this.#send(method, parts);
      const proof = proofFor(response, { method, uri }, this.#parts.credentials);
      const last = proof === undefined ? response : await this.#prove(method, parts, proof);
      if (LOST.includes(last.status) && !OF_THEIR_OWN.includes(method)) this.#parts.lost();
      return last;
    } finally {
      this.#offering -= invites;
    }
  }

  async #prove(method: string, parts: RequestParts, proof: Record<string, string>): Promise<SipResponse> {
    const { response } = await this.#send(
      method,
      { ...parts, headers: { ...parts.headers, ...proof } },
      proof,
    );
    return response;
  }

  #send(
    method: string,
    { headers, body }: RequestParts,
    proof: Record<string, string> = {},
  ): Promise<{ response: SipResponse; uri: string }> {
    const common = { allow: ALLOW, supported: EXTENSIONS.join(', ') };
    const request = this.#dialog.request(method, {
      headers: { ...common, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const number = this.#dialog.sequence;
    return new Promise((resolve, reject) => {
      const failed = (status: number): void => {
        reject(new ServiceError(502, 'session_refused', `The telephone did not answer (${status}).`));
        if (!OF_THEIR_OWN.includes(method)) this.#parts.lost();
      };
      const response = (answer: SipResponse): void => {
        if (answer.status < 200) return;
        // The sender of an INVITE acknowledges its 2xx each time it arrives (RFC 3261 §13.2.2.4).
        if (method === 'INVITE' && answer.status < 300) this.acknowledge(number, proof);
        resolve({ response: answer, uri: request.uri });
      };
      this.toPlace((place) => this.#agent.layer.request(request, place, { response, failed }), failed);
    });
  }

  /** Acknowledges the 2xx to our INVITE with that number, with the credentials that the INVITE had. */
  acknowledge(number: number, proof: Readonly<Record<string, string>> = {}): void {
    const ack: SipRequest = this.#dialog.request('ACK', { number, headers: proof });
    this.toPlace((place) => this.#agent.layer.send(ack, place));
  }

  /** Sends something to the place of the dialog's other side. */
  toPlace(send: (place: SipPlace) => unknown, failed: (status: number) => void = () => {}): void {
    this.#dialog.place().then(send, (error: unknown) => {
      this.#agent.log(`the other side is unknown: ${String(error)}`);
      failed(503);
    });
  }
}
