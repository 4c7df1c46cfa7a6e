import { createHash, randomBytes } from 'node:crypto';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createS3Bucket, S3Fault } from './s3-bucket.ts';
import { signatureFault } from './s3-signature.ts';

/** What happens to a request in place of its reply. */
export type S3Mishap =
  | 'cut before'
  | 'cut after'
  | number
  | { readonly status: number; readonly code: string }
  | { readonly reply: string };

/** An object store that speaks S3 over HTTP, with one bucket and one account. */
export interface S3Server {
  /** The value for the setting STORAGE_URL. */
  readonly storageUrl: string;
  /** Keys of the bucket, and of multipart uploads that are neither completed nor aborted. */
  keys(): string[];
  unfinished(): string[];
  /**
   * The next request that `matches` accepts (method, path and query) is lost, lost after its effect, or
   * refused.
   */
  mishap(matches: (line: string) => boolean, what: S3Mishap): void;
  /** Changes the bytes of a stored object, as a failing disk would. */
  damage(key: string, bytes: Buffer): void;
  /** Method, path and query of every request. */
  readonly lines: string[];
  close(): Promise<void>;
}

const BUCKET = 'northline-tests';
const PAGE = 3;

/** Starts it on a free port of this machine. */
export async function startS3Server(): Promise<S3Server> {
  const bucket = createS3Bucket();
  // Real secrets often contain characters that an address needs percent-encoded.
  const account = {
    accessKeyId: 'TESTKEY',
    secretAccessKey: `${randomBytes(9).toString('hex')}/+@:`,
    region: 'eu-test-1',
  };
  const mishaps: { matches: (line: string) => boolean; what: S3Mishap }[] = [];
  const mishapOf = (line: string): S3Mishap | undefined => {
    const at = mishaps.findIndex(({ matches }) => matches(line));
    return at === -1 ? undefined : mishaps.splice(at, 1)[0]?.what;
  };
  const lines: string[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const line = `${request.method} ${request.url}`;
    lines.push(line);
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>).catch(() => []));
    const what = mishapOf(line);
    if (what === 'cut before') return void request.socket.destroy();
    if (typeof what === 'number') throw new S3Fault(what, 'Mishap');
    if (typeof what === 'object' && 'reply' in what) return void response.end(what.reply);
    if (typeof what === 'object') throw new S3Fault(what.status, what.code);
    const fault = signatureFault(request, body, account);
    if (fault !== undefined) throw new S3Fault(fault === 'XAmzContentSHA256Mismatch' ? 400 : 403, fault);
    if (what === 'cut after') response.end = () => request.socket.destroy() && response;
    await answer(bucket, request, response, body);
  };
  const server = http.createServer((request, response) => {
    serve(request, response).catch((error) => {
      const { status, code } = error instanceof S3Fault ? error : { status: 500, code: 'InternalError' };
      response.writeHead(status, { 'content-type': 'application/xml' });
      response.end(`<?xml version="1.0"?>\n<Error><Code>${code}</Code><Message>refused</Message></Error>`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const secret = encodeURIComponent(account.secretAccessKey);
  return {
    storageUrl: `s3://${account.accessKeyId}:${secret}@127.0.0.1:${port}/${BUCKET}/kept?region=${account.region}&tls=off`,
    keys: () => [...bucket.objects.keys()].sort(),
    unfinished: () => [...bucket.uploads.values()].map(({ key }) => key),
    mishap: (matches, what) => void mishaps.push({ matches, what }),
    damage: (key, bytes) => void bucket.put(key, bytes, false),
    lines,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      bucket.remove();
    },
  };
}

/** One parsed request to the bucket. */
interface BucketRequest {
  readonly bucket: ReturnType<typeof createS3Bucket>;
  readonly request: IncomingMessage;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
  /** The multipart upload that it is about, or ''. */
  readonly uploadId: string;
  readonly unlessTaken: boolean;
}

type BucketReply = readonly [status: number, xml?: string, headers?: Record<string, string>];

async function answer(
  bucket: ReturnType<typeof createS3Bucket>,
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
): Promise<void> {
  const url = new URL(request.url ?? '', 'http://s3');
  const [, name, ...rest] = decodeURIComponent(url.pathname).split('/');
  if (name !== BUCKET) throw new S3Fault(404, 'NoSuchBucket');
  const query = url.searchParams;
  const asked: BucketRequest = {
    ...{ bucket, request, query, body, key: rest.join('/') },
    uploadId: query.get('uploadId') ?? '',
    unlessTaken: request.headers['if-none-match'] === '*',
  };
  const reply = asked.key === '' ? ofBucket(asked) : ofObject(asked);
  if (reply === undefined) return sendObject(bucket, request, response, asked.key);
  const [status, xml = '', headers = {}] = reply;
  response.writeHead(status, { 'content-type': 'application/xml', ...headers }).end(xml);
}

function ofBucket({ bucket, request, query, body }: BucketRequest): BucketReply | undefined {
  if (request.method === 'GET')
    return [200, query.has('uploads') ? listUploads(bucket, query) : listObjects(bucket, query)];
  return query.has('delete') ? [200, deleteMany(bucket, request, body)] : undefined;
}

/** Undefined for reads. */
function ofObject(asked: BucketRequest): BucketReply | undefined {
  const { bucket, request, key, uploadId } = asked;
  if (request.method === 'POST') return ofUpload(asked);
  if (request.method === 'PUT') return putObject(asked);
  if (request.method !== 'DELETE') return undefined;
  if (uploadId !== '') bucket.abort(uploadId, key);
  else bucket.objects.delete(key);
  return [204];
}

function ofUpload({
  bucket,
  key,
  query,
  body,
  uploadId,
  unlessTaken,
}: BucketRequest): BucketReply | undefined {
  if (query.has('uploads')) {
    const id = bucket.begin(key);
    return [200, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`];
  }
  if (uploadId === '') return undefined;
  const parts = [...String(body).matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag>/g)];
  const listed = parts.map(([, number, etag = '']) => ({ number: Number(number), etag }));
  bucket.complete(uploadId, key, listed, unlessTaken);
  return [200, '<CompleteMultipartUploadResult/>'];
}

function putObject({ bucket, request, key, query, body, uploadId, unlessTaken }: BucketRequest): BucketReply {
  if (uploadId !== '')
    return [200, '', { etag: bucket.putPart(uploadId, key, Number(query.get('partNumber')), body) }];
  const source = request.headers['x-amz-copy-source'];
  if (typeof source !== 'string') return [200, '', { etag: bucket.put(key, body, unlessTaken) }];
  const etag = bucket.copy(decodeURIComponent(source).slice(BUCKET.length + 2), key);
  return [200, '<CopyObjectResult/>', { etag }];
}

function sendObject(
  bucket: ReturnType<typeof createS3Bucket>,
  request: IncomingMessage,
  response: ServerResponse,
  key: string,
): void {
  const object = bucket.find(key);
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  const start = Number(first ?? 0);
  const end = Math.min(Number(last ?? object.size), object.size - 1);
  if (first !== undefined && start >= object.size) throw new S3Fault(416, 'InvalidRange');
  response.writeHead(first === undefined ? 200 : 206, {
    'content-length': end - start + 1,
    etag: object.etag,
    ...(first === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${object.size}` }),
  });
  if (request.method === 'HEAD') response.end();
  else bucket.read(object, start, end).pipe(response);
}

function listObjects({ objects }: ReturnType<typeof createS3Bucket>, query: URLSearchParams): string {
  if (query.get('list-type') !== '2') throw new S3Fault(501, 'NotImplemented');
  const after = query.get('continuation-token') ?? '';
  const all = [...objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '')).sort();
  const rest = all.filter((key) => key > after);
  const page = rest.slice(0, PAGE).map((key) => {
    return `<Contents><Key>${key}</Key><Size>${objects.get(key)?.size}</Size></Contents>`;
  });
  const more = rest.length > PAGE;
  const next = more ? `<NextContinuationToken>${rest[PAGE - 1]}</NextContinuationToken>` : '';
  return `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${more}</IsTruncated>${next}${page.join('')}</ListBucketResult>`;
}

function listUploads({ uploads }: ReturnType<typeof createS3Bucket>, query: URLSearchParams): string {
  const after = query.get('upload-id-marker') ?? '';
  const all = [...uploads].filter(([, { key }]) => key.startsWith(query.get('prefix') ?? ''));
  const rest = all.slice(all.findIndex(([id]) => id === after) + 1);
  const entries = rest
    .slice(0, PAGE)
    .map(([id, { key }]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`);
  const [lastId, last] = rest[PAGE - 1] ?? [];
  const more = rest.length > PAGE;
  const next = more
    ? `<NextKeyMarker>${last?.key}</NextKeyMarker><NextUploadIdMarker>${lastId}</NextUploadIdMarker>`
    : '';
  return `<ListMultipartUploadsResult><IsTruncated>${more}</IsTruncated>${next}${entries.join('')}</ListMultipartUploadsResult>`;
}

function deleteMany(
  { objects }: ReturnType<typeof createS3Bucket>,
  request: IncomingMessage,
  body: Buffer,
): string {
  if (request.headers['content-md5'] !== createHash('md5').update(body).digest('base64')) {
    throw new S3Fault(400, 'BadDigest');
  }
  for (const [, key = ''] of String(body).matchAll(/<Object><Key>([^<]*)<\/Key><\/Object>/g))
    objects.delete(key);
  return '<DeleteResult/>';
}
