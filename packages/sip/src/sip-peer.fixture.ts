import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';
import type { IncomingCall, SipCall, SipCallEvents } from './dialog/sip-call.ts';
import { handClock } from './hand-clock.fixture.ts';
import { parseMessage } from './message/message-parse.ts';
import { parseNameAddress } from './message/sip-addresses.ts';
import { SipHeaders } from './message/sip-headers.ts';
import {
  commandSequence,
  printMessage,
  type SipMessage,
  type SipRequest,
  type SipResponse,
} from './message/sip-message.ts';
import { openAgent, SDP, type TestAgent, witness } from './sip-agent.fixture.ts';
import type { SipUserAgent } from './user-agent.ts';

/** Optional parts of a message. */
export interface PeerParts {
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: string;
  /** Number of `CSeq`; by default the next one. */
  readonly number?: number;
  /** Names the transaction; by default a new one. */
  readonly branch?: string;
  /** Our tag in an answer, where a fork has another one. */
  readonly tag?: string;
}

/**
 * The other side of one call as a test scripts it, over UDP on the loopback. It repeats nothing and knows no
 * rules: every received message has to be read once, in order.
 */
export interface SipPeer {
  readonly port: number;
  /** Sends a request of the call and returns it. */
  ask(method: string, parts?: PeerParts): SipRequest;
  /** Answers a request. */
  answer(request: SipRequest, status: number, parts?: PeerParts): void;
  /** The next message, which has to be that request. */
  request(method: string): Promise<SipRequest>;
  /** The next message, which has to be that answer. */
  response(status: number, method?: string): Promise<SipResponse>;
  /** Resolves when everything sent has been read, and no further message has arrived. */
  settled(): Promise<void>;
}

const OUR_TAG = 'peer';
const PATIENCE_MS = 20_000 * Number(process.env.TEST_PATIENCE ?? 1);

/** Opens a peer of the agent at `port`. */
export async function openSipPeer(port: number): Promise<SipPeer> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  const own = socket.address().port;
  const came: SipMessage[] = [];
  let wanted: ((message: SipMessage) => void) | undefined;
  /** The call as both sides name it; the called side adds its tag. */
  const call = {
    id: `${own}@peer`,
    local: `<sip:peer@127.0.0.1:${own}>;tag=${OUR_TAG}`,
    remote: '<sip:a@b>',
  };
  let sequence = 0;
  let branches = 0;
  socket.on('message', (bytes) => {
    const message = parseMessage(bytes);
    if (message.kind === 'failure') throw new Error(`the agent sent what cannot be read: ${message.why}`);
    if (message.kind === 'request') {
      call.id = message.headers.get('call-id') ?? '';
      call.remote = message.headers.get('from') ?? '';
    } else if (commandSequence(message).method === 'INVITE' && message.status > 100)
      call.remote = message.headers.get('to') ?? '';
    if (wanted === undefined) came.push(message);
    else wanted(message);
  });
  const send = (message: SipMessage): void => socket.send(printMessage(message), port, '127.0.0.1');
  const next = (what: string): Promise<SipMessage> => {
    const first = came.shift();
    if (first !== undefined) return Promise.resolve(first);
    const { promise, resolve, reject } = Promise.withResolvers<SipMessage>();
    const timer = setTimeout(() => reject(new Error(`It never came: ${what}`)), PATIENCE_MS);
    wanted = (message) => {
      wanted = undefined;
      clearTimeout(timer);
      resolve(message);
    };
    return promise;
  };
  const peer: SipPeer = {
    port: own,
    ask(method, { headers = {}, body = '', number, branch } = {}) {
      branches += 1;
      sequence = Math.max(sequence, number ?? sequence + 1);
      const request: SipRequest = {
        kind: 'request',
        method,
        uri: `sip:+12125550100@127.0.0.1:${port}`,
        body,
        headers: new SipHeaders({
          via: `SIP/2.0/UDP 127.0.0.1:${own};branch=z9hG4bK${branch ?? `peer${branches}`}`,
          from: call.local,
          to: call.remote,
          'call-id': call.id,
          cseq: `${number ?? sequence} ${method}`,
          contact: `<sip:peer@127.0.0.1:${own}>`,
          ...(body === '' ? {} : { 'content-type': 'application/sdp' }),
          ...headers,
        }),
      };
      send(request);
      return request;
    },
    answer({ headers }, status, { headers: more = {}, body = '', tag = OUR_TAG } = {}) {
      const to = headers.get('to') ?? '';
      const tagged = status === 100 || parseNameAddress(to)?.parameters.tag !== undefined;
      if (!tagged && tag === OUR_TAG) call.local = `${to};tag=${tag}`;
      send({
        kind: 'response',
        status,
        reason: 'So',
        body,
        headers: new SipHeaders({
          via: headers.all('via'),
          from: headers.get('from'),
          to: tagged ? to : `${to};tag=${tag}`,
          'call-id': headers.get('call-id'),
          cseq: headers.get('cseq'),
          contact: `<sip:peer@127.0.0.1:${own}>`,
          ...(body === '' ? {} : { 'content-type': 'application/sdp' }),
          ...more,
        }),
      });
    },
    async request(method) {
      const message = await next(`the request ${method}`);
      if (message.kind === 'request' && message.method === method) return message;
      throw new Error(`${method} was to come, not ${wordOf(message)}`);
    },
    async response(status, method) {
      const message = await next(`the answer ${status}`);
      const fits = message.kind === 'response' && message.status === status;
      if (fits && (method === undefined || commandSequence(message).method === method)) return message;
      throw new Error(`${status} ${method ?? ''} was to come, not ${wordOf(message)}`);
    },
    async settled() {
      peer.ask('OPTIONS');
      await peer.response(200, 'OPTIONS');
    },
  };
  return peer;
}

const wordOf = (message: SipMessage): string =>
  `${message.kind === 'request' ? '' : `${message.status} `}${commandSequence(message).method}`;

/** One call between an agent with a clock moved by the test and a peer. */
export interface PeerCall<Call> {
  readonly peer: SipPeer;
  readonly call: Call;
  /** Its events as words. */
  readonly seen: string[];
  readonly lines: string[];
  readonly agent: TestAgent;
  advance(ms: number): void;
}

/**
 * A peer calls the agent: 100 has arrived, and no other answer yet. The INVITE has the number 1 and the
 * branch `invite`.
 */
export async function peerCalls(
  { headers = {}, body = SDP }: PeerParts = {},
  more: Partial<SipCallEvents> = {},
): Promise<PeerCall<IncomingCall>> {
  const { clock, advance } = handClock();
  const agent = await openAgent('udp', { clock });
  const peer = await openSipPeer(agent.port);
  const { seen, events } = witness(more);
  peer.ask('INVITE', { headers, body, branch: 'invite' });
  await peer.response(100);
  const [call] = agent.calls;
  if (call === undefined) throw new Error('the call was not told');
  call.listen(events);
  return { peer, call, seen, lines: agent.lines, agent, advance };
}

/** The same, answered and acknowledged. */
export async function answeredCall(...given: Parameters<typeof peerCalls>): Promise<PeerCall<IncomingCall>> {
  const made = await peerCalls(...given);
  made.call.accept(SDP);
  await made.peer.response(200, 'INVITE');
  made.peer.ask('ACK', { number: 1 });
  await made.peer.settled();
  return made;
}

/** The agent calls a peer, whose first message is the INVITE. */
export async function agentCalls(
  options: Partial<Parameters<SipUserAgent['invite']>[0]> = {},
  more: Partial<SipCallEvents> = {},
): Promise<PeerCall<SipCall> & { readonly invite: SipRequest }> {
  const { clock, advance } = handClock();
  const agent = await openAgent('udp', { clock });
  const peer = await openSipPeer(agent.port);
  const { seen, events } = witness(more);
  const call = agent.agent.invite(
    {
      to: `sip:bob@127.0.0.1:${peer.port}`,
      place: { protocol: 'udp', address: '127.0.0.1', port: peer.port },
      from: { text: 'sip:ann@127.0.0.1' },
      sdp: SDP,
      ringSeconds: 30,
      ...options,
    },
    'ann',
    events,
  );
  const invite = await peer.request('INVITE');
  return { peer, call, seen, lines: agent.lines, agent, advance, invite };
}
