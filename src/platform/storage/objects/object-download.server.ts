import type { FastifyReply, FastifyRequest } from 'fastify';
import { storageErrors } from '../storage-errors.server.ts';
import { addressed, callerOf, type StorageScope } from '../storage-scope.server.ts';
import { parseByteRange } from './byte-range.server.ts';
import { attachment, downloadName } from './content-disposition.server.ts';
import {
  findBucketIfAny,
  findObject,
  findObjectAsCaller,
  requireVersion,
  type StoredObject,
} from './object-lookup.server.ts';
import { verifyDownload } from './object-signing.server.ts';

/** A client that reads nothing for this long is cut off. */
const IDLE_MS = 60_000;

/**
 * GET and HEAD of objects: as the caller, from public buckets, and by a signed address
 * (docs/contracts/platform.md §3).
 */
export function mountServe(scope: StorageScope): void {
  const asCaller = async (request: FastifyRequest, reply: FastifyReply) => {
    const { bucketId, name } = addressed(request);
    // Objects of a public bucket need no key (storage-js 2.119, `download`).
    if (await isPublic(scope, bucketId)) return sendPublic(request, reply);
    const caller = await callerOf(scope, request);
    const object = await findObjectAsCaller(scope.resources.database, caller, bucketId, name);
    return send(scope, { request, reply }, object, { visibility: 'private' });
  };
  const sendPublic = async (request: FastifyRequest, reply: FastifyReply) => {
    const { bucketId, name } = addressed(request);
    const object = await findObject(scope.resources.database, bucketId, name);
    if (object === undefined) throw storageErrors.noSuchKey();
    return send(scope, { request, reply }, object, { visibility: 'public' });
  };
  const route = (url: string, handler: typeof asCaller): void => {
    scope.server.route({ method: ['GET', 'HEAD'], url, handler });
  };
  route('/object/:bucket/*', asCaller);
  route('/object/authenticated/:bucket/*', asCaller);
  route('/object/public/:bucket/*', async (request, reply) => {
    if (!(await isPublic(scope, addressed(request).bucketId))) throw storageErrors.noSuchBucket();
    return sendPublic(request, reply);
  });
  route('/object/sign/:bucket/*', async (request, reply) => {
    const { bucketId, name } = addressed(request);
    const { token } = request.query as { token?: unknown };
    const { database, keys } = scope.resources;
    const { objectId, reader } = await verifyDownload(keys, bucketId, name, token);
    const object = await (reader === undefined
      ? findObject(database, bucketId, name)
      : findObjectAsCaller(database, reader, bucketId, name));
    if (object === undefined || object.id !== objectId) throw storageErrors.noSuchKey();
    return send(scope, { request, reply }, object, { visibility: 'private', encodedTwice: true });
  });
}

async function isPublic({ resources }: StorageScope, bucketId: string): Promise<boolean> {
  const bucket = await findBucketIfAny(resources.database, bucketId);
  return bucket?.public === true;
}

/**
 * Sends the bytes so that browsers treat them as a download: not sniffed, and never as a page of our site
 * (docs/security-attacks.md, attack 24).
 */
async function send(
  scope: StorageScope,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  object: StoredObject,
  { visibility, encodedTwice = false }: { visibility: 'private' | 'public'; encodedTwice?: boolean },
): Promise<FastifyReply> {
  const { metadata } = object;
  requireVersion(request, object);
  const { download } = request.query as { download?: unknown };
  const ownName = object.name.slice(object.name.lastIndexOf('/') + 1);
  reply.headers({
    'accept-ranges': 'bytes',
    etag: metadata.eTag,
    'last-modified': new Date(metadata.lastModified).toUTCString(),
    'cache-control': `${visibility}, ${metadata.cacheControl}`,
    'content-disposition': attachment(downloadName(download, ownName, encodedTwice)),
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': visibility === 'public' ? 'cross-origin' : 'same-origin',
    'x-content-type-options': 'nosniff',
  });
  if (isNotModified(request, metadata)) return reply.code(304).send();
  reply.header('content-type', metadata.mimetype);
  if (metadata.contentEncoding !== undefined) reply.header('content-encoding', metadata.contentEncoding);
  const range = rangeOf(request, metadata);
  if (range === 'unsatisfiable') throw storageErrors.invalidRange(metadata.size);
  reply.header('content-length', range === undefined ? metadata.size : range.end - range.start + 1);
  if (range !== undefined) {
    reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${metadata.size}`);
  }
  if (request.method === 'HEAD') return reply.send();
  const bytes = await scope.resources.objects.read(object.version, range);
  if (bytes === undefined) {
    scope.resources.log.error({ object: object.id }, 'the bytes of an object are missing');
    throw storageErrors.noSuchKey();
  }
  reply.raw.setTimeout(IDLE_MS, () => reply.raw.destroy());
  return reply.send(bytes);
}

function isNotModified(request: FastifyRequest, metadata: StoredObject['metadata']): boolean {
  const tags = request.headers['if-none-match'];
  if (tags !== undefined) {
    return tags
      .split(',')
      .some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === metadata.eTag);
  }
  const since = Date.parse(request.headers['if-modified-since'] ?? '');
  return Math.floor(Date.parse(metadata.lastModified) / 1000) * 1000 <= since;
}

/** If `If-Range` names another version, the whole object is sent (RFC 9110 §13.1.5). */
function rangeOf(request: FastifyRequest, metadata: StoredObject['metadata']) {
  const condition = request.headers['if-range'];
  if (condition !== undefined && condition !== metadata.eTag) return undefined;
  return parseByteRange(request.headers.range, metadata.size);
}
