import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isPlain, type Ready, ready, replyInOneWrite } from './single-write-reply.ts';

type Encoding = 'br' | 'gzip' | 'identity';

interface Variant {
  /** The body; a small one is a Latin-1 string, which is sent together with its header in one write. */
  readonly body: Buffer | string;
  readonly tag: string;
  /** Header names and values alternately, the form that `writeHead` handles fastest. */
  readonly headers: string[];
  readonly unchangedHeaders: string[];
  /** The two replies that are sent when no other header is needed. */
  readonly whole: Ready;
  readonly unchanged: Ready;
}

/**
 * A file or page in every encoding, ready to be sent. Encodings that the build did not make are made on the
 * first request for them.
 */
export type Representation = Readonly<Record<Encoding, Variant>>;

/** A reply of up to this size, header and body, fits what Node writes without allocating (16 KB). */
const ONE_WRITE_BYTES = 15_000;
/** Smaller bodies are sent as they are. */
const COMPRESS_FROM = 300;
const COMPRESSIBLE = /^(?:text\/|application\/(?:json|xml|manifest\+json)|image\/svg)/;
/** A page is compressed while its first visitor waits, so the slowest level would be noticeable. */
const PAGE_BROTLI_QUALITY = 9;
/** The same for a page that is made for one request. */
const MADE_BROTLI_QUALITY = 4;

const compress = {
  br: (body: Buffer, quality: number): Buffer =>
    brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
  gzip: (body: Buffer): Buffer => gzipSync(body),
  identity: (body: Buffer): Buffer => body,
};

/** Names the encoding of a reply, and that another client may get another one. */
export function sayEncoding(reply: FastifyReply, encoding: Encoding): FastifyReply {
  const vary = [reply.getHeader('vary'), 'accept-encoding'].filter(Boolean).join(', ');
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.header('vary', vary);
}

/**
 * Sends a page that was made for this request, in the best encoding that the client accepts. A page must not hold a
 * secret beside words of the request: the length of a compressed page would tell the secret to others.
 */
export function sendCompressed(request: FastifyRequest, reply: FastifyReply, page: string): FastifyReply {
  const encoding = encodingFor(request.headers['accept-encoding']);
  return sayEncoding(reply, encoding).send(compress[encoding](Buffer.from(page), MADE_BROTLI_QUALITY));
}

/** Prepares `body`; `built` holds the encodings that the build made. */
export function represent(
  body: Buffer,
  headers: Record<string, string>,
  built: { br?: Buffer | undefined; gzip?: Buffer | undefined } = {},
): Representation {
  const worthIt = body.length >= COMPRESS_FROM && COMPRESSIBLE.test(headers['content-type'] ?? '');
  const identity = variant(body, headers, 'identity', worthIt);
  if (!worthIt) return { identity, gzip: identity, br: identity };
  let br: Variant | undefined;
  let gzip: Variant | undefined;
  return {
    identity,
    get br() {
      br ??= variant(built.br ?? compress.br(body, PAGE_BROTLI_QUALITY), headers, 'br', true);
      return br;
    },
    get gzip() {
      gzip ??= variant(built.gzip ?? compress.gzip(body), headers, 'gzip', true);
      return gzip;
    },
  };
}

function variant(
  body: Buffer,
  headers: Record<string, string>,
  encoding: Encoding,
  varies: boolean,
): Variant {
  const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const { 'content-type': type = '', ...others } = headers;
  const kept = { ...others, ...(varies ? { vary: 'accept-encoding' } : {}), etag: tag };
  const full = {
    'content-type': type,
    ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
    'content-length': String(body.length),
    ...kept,
  };
  const sent = body.length <= ONE_WRITE_BYTES ? body.toString('latin1') : body;
  const lines = Object.entries(full).flat();
  const unchangedLines = Object.entries(kept).flat();
  return {
    body: sent,
    tag,
    headers: lines,
    unchangedHeaders: unchangedLines,
    whole: ready('200 OK', lines, typeof sent === 'string' ? sent : ''),
    unchanged: ready('304 Not Modified', unchangedLines),
  };
}

/** Sends the best encoding that the client accepts, or 304 when the client has the file already. */
export function send(
  request: IncomingMessage,
  response: ServerResponse,
  representation: Representation,
  status: 200 | 404,
): void {
  const variant = representation[encodingFor(request.headers['accept-encoding'])];
  const { body, tag, headers } = variant;
  const known = request.headers['if-none-match'];
  const unchanged = status === 200 && known !== undefined && matches(known, tag);
  if (status === 200 && isPlain(request, response)) {
    if (unchanged) replyInOneWrite(response, variant.unchanged);
    else replyInOneWrite(response, variant.whole, typeof body === 'string' ? undefined : body);
    return;
  }
  if (unchanged) {
    response.writeHead(304, variant.unchangedHeaders);
    response.end();
    return;
  }
  response.writeHead(status, headers);
  // Latin-1 turns the string back into its bytes; buffers are sent unchanged.
  if (request.method === 'HEAD') response.end();
  else response.end(body, 'latin1');
}

/** If-None-Match compares weakly (RFC 9110 §13.1.2). */
function matches(known: string, tag: string): boolean {
  return (
    known === tag || known === '*' || known.split(',').some((one) => one.trim().replace(/^W\//, '') === tag)
  );
}

const decided = new Map<string, Encoding>();
const DECIDED_MAX = 200;

/**
 * Brotli, gzip or none, by Accept-Encoding (RFC 9110 §12.5.3). Few spellings exist, so results are cached.
 */
export function encodingFor(accept: string | string[] | undefined): Encoding {
  if (accept === undefined) return 'identity';
  const header = String(accept);
  const before = decided.get(header);
  if (before !== undefined) return before;
  const taken = new Set(
    header
      .toLowerCase()
      .split(',')
      .map((part) => part.trim())
      .filter((part) => !/;\s*q=0(?:\.0*)?$/.test(part))
      .map((part) => part.split(';', 1)[0]?.trim()),
  );
  const encoding = taken.has('br') || taken.has('*') ? 'br' : taken.has('gzip') ? 'gzip' : 'identity';
  if (decided.size < DECIDED_MAX) decided.set(header, encoding);
  return encoding;
}
