import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const SKEW_MS = 15 * 60_000;

/** The only account of the test's object store. */
export interface S3Account {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

/**
 * Checks a request by AWS Signature Version 4: the canonical request as received, time, scope, and the body
 * against its signed hash. Written from the documentation, so that it shares no mistake with the client.
 *
 * @returns the S3 error code, or undefined when the signature is valid
 */
export function signatureFault(
  request: IncomingMessage,
  body: Buffer,
  { accessKeyId, secretAccessKey, region }: S3Account,
): string | undefined {
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([\da-f]{64})$/.exec(
      request.headers.authorization ?? '',
    );
  if (given === null) return 'AccessDenied';
  const [, keyId, day = '', scope = '', signedHeaders = '', signature = ''] = given;
  if (keyId !== accessKeyId) return 'InvalidAccessKeyId';
  if (scope !== region) return 'AuthorizationHeaderMalformed';
  const date = String(request.headers['x-amz-date']);
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  if (!date.startsWith(day)) return 'AccessDenied';
  if (!(Math.abs(Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`) - Date.now()) < SKEW_MS))
    return 'RequestTimeTooSkewed';
  const names = signedHeaders.split(';');
  const must = Object.keys(request.headers).filter((name) => name === 'host' || name.startsWith('x-amz-'));
  if (must.some((name) => !names.includes(name))) return 'AccessDenied';
  const hash = String(request.headers['x-amz-content-sha256']);
  if (hash !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const canonical = [
    request.method,
    path
      .split('/')
      .map((segment) => encoded(decodeURIComponent(segment)))
      .join('/'),
    canonicalQuery(query),
    ...names.map(
      (name) =>
        `${name}:${String(request.headers[name] ?? '')
          .trim()
          .replace(/ +/g, ' ')}`,
    ),
    '',
    signedHeaders,
    hash,
  ].join('\n');
  const toSign = [
    'AWS4-HMAC-SHA256',
    date,
    `${day}/${region}/s3/aws4_request`,
    sha256(Buffer.from(canonical)),
  ];
  const key = [day, region, 's3', 'aws4_request'].reduce<Buffer>(hmac, Buffer.from(`AWS4${secretAccessKey}`));
  const expected = hmac(key, toSign.join('\n'));
  return timingSafeEqual(expected, Buffer.from(signature, 'hex')) ? undefined : 'SignatureDoesNotMatch';
}

function canonicalQuery(query: string): string {
  return [...new URLSearchParams(query)]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');
}

function encoded(value: string): string {
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

const hmac = (key: Buffer, value: string): Buffer => createHmac('sha256', key).update(value).digest();
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
