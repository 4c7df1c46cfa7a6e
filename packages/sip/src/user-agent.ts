import { ReceivedCall } from './dialog/incoming-call.ts';
import { type InviteOptions, OutgoingCall } from './dialog/outgoing-call.ts';
import { asksTooLittle, LEAST_SESSION_SECONDS } from './dialog/session-timer.ts';
import {
  ALLOW,
  type CallContextOfAgent,
  type DialogUsage,
  EXTENSIONS,
  type IncomingCall,
  METHODS,
  type ReplaceableCall,
  type SipCall,
  type SipCallEvents,
  sdpOf,
} from './dialog/sip-call.ts';
import { dialogKey, newTag, type SipDialog } from './dialog/sip-dialog.ts';
import { parseMessage } from './message/message-parse.ts';
import { parseNameAddress, printNameAddress } from './message/sip-addresses.ts';
import type { SipRequest } from './message/sip-message.ts';
import { parseSipUri, printSipUri } from './message/sip-uri.ts';
import { type SipClock, systemClock } from './transaction/sip-clock.ts';
import { type IncomingRequest, listenerHost, TransactionLayer } from './transaction/transaction-layer.ts';
import {
  openTransport,
  type SipListenAddress,
  type SipListener,
  type SipPlace,
  type SipSource,
  type SipTls,
  type SipTransport,
} from './transport/sip-transport.ts';

/** How a user agent is opened. */
export interface UserAgentOptions {
  readonly addresses: readonly SipListenAddress[];
  readonly tls?: SipTls;
  /** Whether another port may be used if the usual one is taken. */
  readonly mayMove?: boolean;
  /** The host at which others reach this server, where it is not the listener's own. */
  readonly publicHost?: string | undefined;
  readonly clock?: SipClock;
  readonly log: (line: string) => void;
  /** Returns false for a message that exceeds its sender's limit; the message is not read. */
  admits(from: SipSource): boolean;
  /** Called with each incoming call, which has to be answered or refused. */
  called(call: IncomingCall): void;
}

/** A SIP user agent that makes and takes calls. */
export interface SipUserAgent {
  readonly listeners: readonly SipListener[];
  /** The socket from which a place can be reached. */
  listenerFor(place: Pick<SipPlace, 'protocol' | 'address'>): SipListener | undefined;
  /** The address at which `user` can be reached from `place`. */
  contactFor(place: Pick<SipPlace, 'protocol' | 'address'>, user: string): string;
  invite(options: Omit<InviteOptions, 'contact'>, user: string, events: SipCallEvents): SipCall;
  /** Sends requests outside any call, such as REGISTER and OPTIONS. */
  readonly layer: TransactionLayer;
  /** Hangs up every call, and closes the sockets once the other sides have had time to receive that. */
  close(): Promise<void>;
}

/** Methods whose body is a session description, or empty. */
const DESCRIBED = ['INVITE', 'UPDATE', 'PRACK'];
/** How long the other sides have to acknowledge the end before the sockets close. */
const FAREWELL_MS = 300;

/** Opens the sockets and answers incoming messages. @throws Error with a sentence for the operator */
export async function openUserAgent(options: UserAgentOptions): Promise<SipUserAgent> {
  const agent = new UserAgent(options);
  await agent.open();
  return agent;
}

class UserAgent implements SipUserAgent {
  readonly layer: TransactionLayer;
  readonly #options: UserAgentOptions;
  readonly #dialogs = new Map<string, DialogUsage>();
  readonly #ringing = new Map<IncomingRequest, ReceivedCall>();
  readonly #context: CallContextOfAgent;
  #transport: SipTransport | undefined;
  #closing = false;

  constructor(options: UserAgentOptions) {
    this.#options = options;
    const clock = options.clock ?? systemClock;
    const log = (line: string): void => options.log(line);
    this.layer = new TransactionLayer({
      clock,
      log,
      transport: () => this.#open(),
      user: {
        request: (incoming) => this.#receive(incoming),
        acknowledged: (request) => this.#usageOf(request)?.acknowledged(request),
        cancelled: (invite) => this.#ringing.get(invite)?.cancelled(),
      },
    });
    this.#context = { clock, log, layer: this.layer, bind: (dialog, usage) => this.#bind(dialog, usage) };
  }

  async open(): Promise<void> {
    const { addresses, tls = {}, mayMove = false } = this.#options;
    this.#transport = await openTransport(
      addresses,
      { tls, mayMove },
      {
        message: (bytes, from) => this.#message(bytes, from),
        log: (line) => this.#options.log(line),
      },
    );
  }

  get listeners(): readonly SipListener[] {
    return this.#open().listeners;
  }

  listenerFor(place: Pick<SipPlace, 'protocol' | 'address'>): SipListener | undefined {
    return this.#open().listenerFor(place);
  }

  contactFor(place: Pick<SipPlace, 'protocol' | 'address'>, user: string): string {
    const listener = this.#open().listenerFor(place) ?? this.listeners[0];
    if (listener === undefined) throw new Error('nothing is listened on');
    const { publicHost } = this.#options;
    const host = publicHost === undefined || listener.loopback ? listenerHost(listener) : publicHost;
    const parameters: Record<string, string> =
      listener.protocol === 'udp' ? {} : { transport: listener.protocol };
    return printNameAddress({
      text: printSipUri({ user, host: host.replace(/^\[|\]$/g, ''), port: listener.port, parameters }),
    });
  }

  invite(options: Omit<InviteOptions, 'contact'>, user: string, events: SipCallEvents): SipCall {
    const contact = this.contactFor(options.place, user);
    return new OutgoingCall(this.#context, { ...options, contact }, events);
  }

  async close(): Promise<void> {
    this.#closing = true;
    const anybody = this.#dialogs.size > 0;
    for (const usage of [...this.#dialogs.values()]) usage.close();
    if (anybody) await new Promise((resolve) => setTimeout(resolve, FAREWELL_MS));
    this.layer.close();
    await this.#transport?.close();
  }

  #open(): SipTransport {
    if (this.#transport === undefined) throw new Error('the telephone is not open');
    return this.#transport;
  }

  #bind(dialog: SipDialog, usage: DialogUsage): () => void {
    const { key } = dialog;
    this.#dialogs.set(key, usage);
    return () => {
      if (this.#dialogs.get(key) === usage) this.#dialogs.delete(key);
    };
  }

  #usageOf({ headers }: SipRequest): DialogUsage | undefined {
    const tagOf = (name: string): string => parseNameAddress(headers.get(name) ?? '')?.parameters.tag ?? '';
    return this.#dialogs.get(dialogKey(headers.get('call-id') ?? '', tagOf('to'), tagOf('from')));
  }

  /** Handles a message; whatever fails, the next one is read. */
  #message(bytes: Buffer, from: SipSource): void {
    if (!this.#options.admits(from)) return;
    try {
      this.#read(bytes, from);
    } catch (error) {
      this.#options.log(`a message could not be handled: ${String(error)}`);
    }
  }

  #read(bytes: Buffer, from: SipSource): void {
    const message = parseMessage(bytes);
    if (message.kind === 'response') this.layer.receiveResponse(message);
    else if (message.kind === 'request') this.layer.receiveRequest(message, from);
    else if (message.request !== undefined)
      this.layer.refuse(message.request, from, message.status, {
        reason: `Bad request: ${message.why}`,
        tag: newTag(),
      });
  }

  #receive(incoming: IncomingRequest): void {
    try {
      this.#dispatch(incoming);
    } catch (error) {
      this.#options.log(`a request could not be handled: ${String(error)}`);
      if (!incoming.answered()) incoming.respond(500, { tag: newTag() });
    }
  }

  #dispatch(incoming: IncomingRequest): void {
    const { request } = incoming;
    const tag = newTag();
    const refuse = (status: number, headers: Record<string, string> = {}): void =>
      void incoming.respond(status, { tag, headers });
    if (!METHODS.includes(request.method)) return void refuse(405, { allow: ALLOW });
    const unknown = request.headers
      .all('require')
      .filter((extension) => !EXTENSIONS.includes(extension.toLowerCase()));
    if (unknown.length > 0) return void refuse(420, { unsupported: unknown.join(', ') });
    if (DESCRIBED.includes(request.method) && request.body.trim() !== '' && sdpOf(request) === undefined)
      return void refuse(415, { accept: 'application/sdp' });
    if (request.method !== 'INVITE' && request.headers.get('replaces') !== undefined) return void refuse(400);
    if (parseNameAddress(request.headers.get('to') ?? '')?.parameters.tag !== undefined) {
      const usage = this.#usageOf(request);
      if (usage === undefined) return void refuse(481);
      return void usage.receive(incoming);
    }
    if (request.method === 'OPTIONS')
      return void refuse(200, { allow: ALLOW, supported: EXTENSIONS.join(', '), accept: 'application/sdp' });
    if (request.method !== 'INVITE') return void refuse(request.method === 'NOTIFY' ? 489 : 481);
    this.#invited(incoming);
  }

  /** The call that `Replaces` names by our tag, the other side's tag, and their common id. */
  #replaceable(text: string): ReplaceableCall | 'ringing only' | undefined {
    const [callId = '', ...parameters] = text.split(';').map((part) => part.trim());
    const tagOf = (name: string): string =>
      parameters.find((one) => one.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
    const found = this.#dialogs.get(dialogKey(callId, tagOf('to-tag'), tagOf('from-tag')))?.replaceable;
    const early = parameters.some((one) => /^early-only$/i.test(one));
    return found !== undefined && early ? 'ringing only' : found;
  }

  #invited(incoming: IncomingRequest): void {
    const { request } = incoming;
    const refuse = (status: number, headers: Record<string, string> = {}): void =>
      void incoming.respond(status, { tag: newTag(), headers });
    if (this.#closing) return void refuse(503);
    if (asksTooLittle(request.headers)) return void refuse(422, { 'min-se': String(LEAST_SESSION_SECONDS) });
    const user = parseSipUri(request.uri)?.user ?? '';
    const [replacing, ...more] = request.headers.all('replaces');
    const replaces = replacing === undefined ? undefined : this.#replaceable(replacing);
    if (more.length > 0) return void refuse(400);
    // The call to be replaced does not exist, is still ringing, or is over (RFC 3891 §3).
    if (replacing !== undefined && replaces === undefined) return void refuse(481);
    // The header allows replacement only while the call rings, and it has been answered.
    if (replaces === 'ringing only') return void refuse(486);
    const call = new ReceivedCall(this.#context, incoming, this.contactFor(incoming.from, user), replaces);
    this.#ringing.set(incoming, call);
    for (const old of this.#ringing.keys()) if (old.answered()) this.#ringing.delete(old);
    this.#options.called(call);
  }
}
