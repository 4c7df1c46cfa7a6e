import dns from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** A request to another server. */
export interface OutboundRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Bytes of the body that are read at most; the rest is cut off. */
  readonly maxBytes: number;
  /**
   * Milliseconds from the start of the request until the headers of the reply, and until its end; 10 s and
   * 30 s unless given (docs/contracts/documents.md §7.3).
   */
  readonly headersMs?: number;
  readonly totalMs?: number;
}

/** The reply. Redirects are not followed: a 3xx is a reply like any other. */
export interface OutboundReply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body was longer than `maxBytes`. */
  readonly cut: boolean;
}

/** A request was not made, because its address may not be called. */
export class OutboundBlocked extends Error {}

/**
 * Calls other servers, and only those: every resolved address is checked at connect time
 * (docs/contracts/documents.md §7.4).
 */
export interface OutboundHttp {
  /**
   * @throws OutboundBlocked before anything is sent, when the address is private, not http(s),
   * carries a password, or is plain http to a host that is not allowed
   * @throws Error when the network fails or a time limit passes
   */
  request(request: OutboundRequest): Promise<OutboundReply>;
  /**
   * Checks an address as `request` does, for a connection that the caller opens, e.g. a stream or a WebSocket
   * (`wss:` counts as `https:`). The name is resolved later, by the returned lookup, which refuses private
   * addresses when the socket connects.
   *
   * @throws OutboundBlocked in the same cases as `request`
   */
  approve(url: string): ApprovedAddress;
  /**
   * Checks a host that a library connects to by itself, e.g. a mail server, with every address that its name has now.
   *
   * @throws OutboundBlocked for a private address outside of OUTBOUND_ALLOW_HOSTS
   * @throws Error when the name is unknown
   */
  approveHost(host: string, port: number): Promise<void>;
}

/** Ports of addresses that name none. */
const PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'ws:': 80,
  'https:': 443,
  'wss:': 443,
  'smtp:': 587,
  'smtps:': 465,
};

/** Checks the host of an address as `approveHost` does. @throws OutboundBlocked; Error when its name is unknown */
export async function approveAddress(
  outbound: Pick<OutboundHttp, 'approveHost'>,
  address: string,
): Promise<void> {
  const { hostname, port, protocol } = new URL(address);
  await outbound.approveHost(hostname, port === '' ? (PORTS[protocol] ?? 443) : Number(port));
}

/** An address that may be called. */
export interface ApprovedAddress {
  readonly url: URL;
  /** The lookup that the socket must use; undefined for a host in OUTBOUND_ALLOW_HOSTS, which needs none. */
  readonly lookup: net.LookupFunction | undefined;
}

const HEADERS_MS = 10_000;
const TOTAL_MS = 30_000;

/** @param allowHosts `host:port` pairs that may be called although they are private or speak plain http */
export function createOutboundHttp(allowHosts: readonly string[]): OutboundHttp {
  const allowed = new Set(allowHosts.map((host) => host.toLowerCase()));
  const approve = (text: string): ApprovedAddress => {
    const url = parseOutboundUrl(text.replace(/^ws(s?):/i, 'http$1:'));
    if (allowed.has(`${url.hostname}:${portOf(url)}`)) return { url, lookup: undefined };
    if (url.protocol === 'http:') {
      throw new OutboundBlocked('Plain http is only for hosts in OUTBOUND_ALLOW_HOSTS.');
    }
    refusePrivateHost(url.hostname.replace(/^\[|\]$/g, ''));
    return { url, lookup: checkedLookup };
  };
  return {
    approve,
    async approveHost(host, port) {
      if (allowed.has(`${host.toLowerCase()}:${port}`)) return;
      const name = host.replace(/^\[|\]$/g, '');
      refusePrivateHost(name);
      const found = await dns.promises.lookup(name, { all: true });
      const bad = found.find(({ address }) => !isPublicAddress(address));
      if (bad !== undefined) throw privateAddress(bad.address);
    },
    async request(request) {
      const { url, lookup } = approve(request.url);
      return send(url, request, lookup);
    },
  };
}

function parseOutboundUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new OutboundBlocked('The address must start with https://.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutboundBlocked('The address must not carry a password.');
  }
  return url;
}

function portOf({ port, protocol }: URL): string {
  if (port !== '') return port;
  return protocol === 'https:' ? '443' : '80';
}

/** Refuses literal private addresses: they are not looked up, so `checkedLookup` never sees them. */
function refusePrivateHost(host: string): void {
  const isPrivate = net.isIP(host) === 0 ? /(^|\.)localhost\.?$/i.test(host) : !isPublicAddress(host);
  if (isPrivate) throw privateAddress(host);
}

/**
 * Calls this server itself, e.g. its built-in analyser. It takes only a path, so that no other address can be
 * called.
 *
 * @param origin the address on which the server listens, e.g. `http://127.0.0.1:8080`
 * @throws OutboundBlocked when `path` is not a path; Error as `OutboundHttp.request`
 */
export function requestOwnServer(
  origin: string,
  path: string,
  request: Omit<OutboundRequest, 'url'>,
): Promise<OutboundReply> {
  if (!path.startsWith('/') || path.startsWith('//'))
    throw new OutboundBlocked('A path of this server is needed.');
  return send(new URL(origin + path), { ...request, url: origin + path }, undefined);
}

/**
 * Looks a name up and refuses it when any of its addresses is private. The socket connects to the checked
 * addresses, so the name cannot lead to another one later (DNS rebinding).
 */
const checkedLookup: net.LookupFunction = (hostname, options, callback) => {
  dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) {
      callback(error, '', 4);
      return;
    }
    const bad = addresses.find(({ address }) => !isPublicAddress(address));
    const [first] = addresses;
    if (bad !== undefined || first === undefined) {
      callback(privateAddress(bad?.address ?? hostname), '', 4);
    } else if (options.all === true) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

function privateAddress(address: string): OutboundBlocked {
  return new OutboundBlocked(
    `${address} is not a public address. To allow it, name it in OUTBOUND_ALLOW_HOSTS.`,
  );
}

function send(
  url: URL,
  request: OutboundRequest,
  lookup: net.LookupFunction | undefined,
): Promise<OutboundReply> {
  return new Promise((resolve, reject) => {
    const call = (url.protocol === 'https:' ? https : http).request(url, {
      method: request.method,
      headers: {
        ...request.headers,
        ...(request.body === undefined ? {} : { 'content-length': Buffer.byteLength(request.body) }),
      },
      agent: false,
      ...(lookup === undefined ? {} : { lookup }),
    });
    const fail = (error: Error): void => {
      clearTimeout(headersTimer);
      clearTimeout(totalTimer);
      call.destroy();
      reject(error);
    };
    const headersTimer = setTimeout(
      () => fail(new Error('The server did not answer in time.')),
      request.headersMs ?? HEADERS_MS,
    );
    const totalTimer = setTimeout(
      () => fail(new Error('The reply took too long.')),
      request.totalMs ?? TOTAL_MS,
    );
    call.once('error', fail);
    call.once('response', (reply) => {
      clearTimeout(headersTimer);
      const chunks: Buffer[] = [];
      let length = 0;
      const finish = (cut: boolean): void => {
        clearTimeout(totalTimer);
        const body = Buffer.concat(chunks).subarray(0, request.maxBytes);
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body, cut });
      };
      reply.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length <= request.maxBytes) return;
        reply.destroy();
        finish(true);
      });
      reply.once('end', () => finish(false));
      reply.once('error', fail);
    });
    call.end(request.body);
  });
}
