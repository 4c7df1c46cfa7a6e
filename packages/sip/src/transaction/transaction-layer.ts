import { randomBytes } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { parseNameAddress, parseVia } from '../message/sip-addresses.ts';
import { SipHeaders } from '../message/sip-headers.ts';
import {
  commandSequence,
  printMessage,
  reasonOf,
  type SipRequest,
  type SipResponse,
} from '../message/sip-message.ts';
import type { SipListener, SipPlace, SipSource, SipTransport } from '../transport/sip-transport.ts';
import { ClientTransaction } from './client-transaction.ts';
import { ServerTransaction } from './server-transaction.ts';
import type { SipClock } from './sip-clock.ts';

/** Begins the branches of RFC 3261; other branches come from older clients (§8.1.1.7). */
const COOKIE = 'z9hG4bK';
/** Most transactions that others can have at once; further requests are not answered. */
const MOST_OF_OTHERS = 5000;

/** An incoming request, and the way to answer it. */
export interface IncomingRequest {
  readonly request: SipRequest;
  readonly from: SipSource;
  /** Whether a final answer was sent. */
  answered(): boolean;
  /** Answers with the headers that the request requires, and with `more`. */
  respond(status: number, more?: ResponseParts): SipResponse;
}

/** The parts of an answer besides its status. */
export interface ResponseParts {
  readonly reason?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: string;
  /** Our side's tag, if the request has none yet. */
  readonly tag?: string;
}

/** Receives the result of a request of ours. */
export interface RequestListener {
  /** Called with each provisional answer and the final one; for an INVITE with every 2xx. */
  response(response: SipResponse): void;
  /** Nobody answered, or the request could not be sent; treated as a 408 or 503 (RFC 3261 §8.1.3.1). */
  failed(status: 408 | 503): void;
}

/** Receives the requests of others. */
export interface TransactionUser {
  request(incoming: IncomingRequest): void;
  /** The ACK of a 2xx, which does not belong to a transaction. */
  acknowledged(request: SipRequest, from: SipSource): void;
  /** Somebody cancels an INVITE that has no final answer. */
  cancelled(invite: IncomingRequest): void;
}

/** What the layer needs. */
interface LayerParts {
  readonly clock: SipClock;
  readonly transport: () => SipTransport;
  readonly user: TransactionUser;
  log(line: string): void;
}

interface Server {
  readonly transaction: ServerTransaction;
  readonly incoming: IncomingRequest;
}

/** Matches messages to transactions (RFC 3261 §17.1.3, §17.2.3), and begins our own transactions. */
export class TransactionLayer {
  readonly #parts: LayerParts;
  readonly #clients = new Map<string, ClientTransaction>();
  readonly #servers = new Map<string, Server>();
  /** INVITEs by the parts that stay the same when a fork delivers them twice (RFC 3261 §8.2.2.2). */
  readonly #invites = new Map<string, string>();

  constructor(parts: LayerParts) {
    this.#parts = parts;
  }

  /** Sends a request of ours, with its `Via` added. Returns the branch, which a CANCEL needs. */
  request(request: SipRequest, to: SipPlace, listener: RequestListener, branch = newBranch()): string {
    const transport = this.#parts.transport();
    const own = transport.listenerFor(to);
    if (own === undefined) {
      queueMicrotask(() => listener.failed(503));
      return branch;
    }
    request.headers.prepend('via', viaOf(own, branch));
    const key = clientKey(branch, request.method);
    const bytes = printMessage(request);
    let broken = false;
    const transaction = new ClientTransaction({
      clock: this.#parts.clock,
      reliable: to.protocol !== 'udp',
      invite: request.method === 'INVITE',
      send: () => {
        transport.send(bytes, to).catch((error: unknown) => {
          this.#parts.log(`a request could not be sent: ${String(error)}`);
          broken = true;
          this.#clients.get(key)?.fail();
        });
      },
      acknowledge: (response) => this.#acknowledge(request, response, to),
      answered: (response) => listener.response(response),
      failed: () => listener.failed(broken ? 503 : 408),
      gone: () => this.#clients.delete(key),
    });
    this.#clients.set(key, transaction);
    return branch;
  }

  /** Sends a request without a transaction: the ACK of a 2xx. */
  send(request: SipRequest, to: SipPlace): void {
    const transport = this.#parts.transport();
    const own = transport.listenerFor(to);
    if (own === undefined) return;
    if (request.headers.get('via') === undefined) request.headers.prepend('via', viaOf(own, newBranch()));
    transport.send(printMessage(request), to).catch((error: unknown) => {
      this.#parts.log(`an acknowledgement could not be sent: ${String(error)}`);
    });
  }

  receiveResponse(response: SipResponse): void {
    const branch = parseVia(response.headers.get('via') ?? '')?.parameters.branch ?? '';
    this.#clients.get(clientKey(branch, commandSequence(response).method))?.receive(response);
  }

  receiveRequest(request: SipRequest, from: SipSource): void {
    const key = serverKey(request);
    const known = this.#servers.get(key);
    if (known !== undefined) known.transaction.receive(request);
    else if (request.method === 'ACK') this.#parts.user.acknowledged(request, from);
    else if (this.#servers.size < MOST_OF_OTHERS) this.#begin(key, request, from);
  }

  /** Answers a request without a transaction, for example one that cannot be parsed. */
  refuse(request: SipRequest, from: SipSource, status: number, parts: ResponseParts = {}): void {
    this.#sendResponse(makeResponse(request, from, status, parts), from);
  }

  close(): void {
    for (const transaction of [...this.#clients.values()]) transaction.close();
    for (const { transaction } of [...this.#servers.values()]) transaction.close();
  }

  #begin(key: string, request: SipRequest, from: SipSource): void {
    const fork = request.method === 'INVITE' ? forkKey(request) : undefined;
    const transaction = new ServerTransaction({
      clock: this.#parts.clock,
      reliable: from.protocol !== 'udp',
      request,
      send: (response) => this.#sendResponse(response, from),
      gone: () => {
        this.#servers.delete(key);
        if (fork !== undefined && this.#invites.get(fork) === key) this.#invites.delete(fork);
      },
    });
    const incoming: IncomingRequest = {
      request,
      from,
      answered: () => transaction.finished,
      respond: (status, parts = {}) => {
        const response = makeResponse(request, from, status, parts);
        transaction.respond(response);
        return response;
      },
    };
    this.#servers.set(key, { transaction, incoming });
    if (request.method === 'CANCEL') return void this.#cancel(incoming);
    if (fork !== undefined && this.#invites.has(fork)) {
      incoming.respond(482, { tag: newTag() });
      return;
    }
    if (fork !== undefined) this.#invites.set(fork, key);
    this.#parts.user.request(incoming);
  }

  #cancel(incoming: IncomingRequest): void {
    const invite = this.#servers.get(serverKey(incoming.request, 'INVITE'));
    // The tag of the cancelled INVITE's answer, if it has one (RFC 3261 §9.2).
    const answered = parseNameAddress(invite?.transaction.last?.headers.get('to') ?? '');
    incoming.respond(invite === undefined ? 481 : 200, { tag: answered?.parameters.tag ?? newTag() });
    if (invite !== undefined && !invite.transaction.finished) this.#parts.user.cancelled(invite.incoming);
  }

  /** The ACK of a refusal belongs to the transaction (RFC 3261 §17.1.1.3). */
  #acknowledge(request: SipRequest, response: SipResponse, to: SipPlace): void {
    const headers = new SipHeaders({
      via: request.headers.get('via'),
      'max-forwards': '70',
      route: request.headers.all('route'),
      from: request.headers.get('from'),
      to: response.headers.get('to'),
      'call-id': request.headers.get('call-id'),
      cseq: `${commandSequence(request).number} ACK`,
    });
    this.send({ kind: 'request', method: 'ACK', uri: request.uri, headers, body: '' }, to);
  }

  #sendResponse(response: SipResponse, from: SipSource): void {
    const via = parseVia(response.headers.get('via') ?? '');
    // Without `rport` an answer is sent to the port in Via (RFC 3261 §18.2.2, RFC 3581).
    const port =
      from.protocol === 'udp' && via?.parameters.rport === undefined ? (via?.port ?? 5060) : from.port;
    const { listener, ...place } = from;
    this.#parts
      .transport()
      .send(printMessage(response), { ...place, port }, listener)
      .catch((error: unknown) => this.#parts.log(`a response could not be sent: ${String(error)}`));
  }
}

/** A branch of ours; it cannot be guessed, so that nobody can answer for another. */
export const newBranch = (): string => `${COOKIE}${randomBytes(12).toString('hex')}`;

const newTag = (): string => randomBytes(9).toString('hex');

/** The form of a listener's host in `Via` and `Contact`. */
export const listenerHost = ({ host }: Pick<SipListener, 'host'>): string =>
  isIPv6(host) ? `[${host}]` : host;

function viaOf(own: SipListener, branch: string): string {
  return `SIP/2.0/${own.protocol.toUpperCase()} ${listenerHost(own)}:${own.port};branch=${branch};rport`;
}

const clientKey = (branch: string, method: string): string => `${branch} ${method}`;

function serverKey(
  request: SipRequest,
  method = request.method === 'ACK' ? 'INVITE' : request.method,
): string {
  const via = parseVia(request.headers.get('via') ?? '');
  const branch = via?.parameters.branch ?? '';
  const sentBy = `${via?.host}:${via?.port ?? ''}`;
  if (branch.startsWith(COOKIE)) return `${branch} ${sentBy} ${method}`;
  // Older clients are matched by everything that a repeated request has in common with the first.
  const { number } = commandSequence(request);
  const tag = parseNameAddress(request.headers.get('from') ?? '')?.parameters.tag ?? '';
  return [request.uri, tag, request.headers.get('call-id'), number, sentBy, branch, method].join(' ');
}

function forkKey(request: SipRequest): string | undefined {
  const tagOf = (name: string) => parseNameAddress(request.headers.get(name) ?? '')?.parameters.tag;
  if (tagOf('to') !== undefined) return undefined;
  return [tagOf('from'), request.headers.get('call-id'), request.headers.get('cseq')].join(' ');
}

function makeResponse(
  request: SipRequest,
  from: SipSource,
  status: number,
  parts: ResponseParts,
): SipResponse {
  const { headers: given } = request;
  const [top = '', ...vias] = given.all('via');
  const to = given.get('to');
  // A request that is refused because it has no `To` gets an answer without one.
  const tagged =
    to !== undefined && parts.tag !== undefined && parseNameAddress(to)?.parameters.tag === undefined;
  const headers = new SipHeaders({
    via: [received(top, from), ...vias],
    from: given.get('from'),
    to: tagged ? `${to};tag=${parts.tag}` : to,
    'call-id': given.get('call-id'),
    cseq: given.get('cseq'),
    'record-route': given.all('record-route'),
    ...parts.headers,
  });
  const reason = parts.reason ?? reasonOf(status);
  return { kind: 'response', status, reason, headers, body: parts.body ?? '' };
}

/** The top `Via`, with the address that the message really came from (RFC 3261 §18.2.1, RFC 3581 §4). */
function received(via: string, from: SipSource): string {
  const wantsPort = /;\s*rport\s*(?=;|$)/i.test(via);
  const bare = via.replace(/;\s*rport\s*(?=;|$)/i, '').replace(/;\s*received\s*=[^;]*/i, '');
  return `${bare};received=${from.address}${wantsPort ? `;rport=${from.port}` : ''}`;
}
