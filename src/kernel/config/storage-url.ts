import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** A bucket of an S3-compatible store. */
export interface S3Address {
  readonly kind: 's3';
  /** Address of the bucket, without a slash at the end. */
  readonly bucketUrl: string;
  readonly bucket: string;
  /** Prefix of every key: empty, or ending with a slash. */
  readonly prefix: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Where the bytes of objects are stored. */
export type StorageAddress = { readonly kind: 'disk'; readonly folder: string } | S3Address;

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const REGION = /^[a-z0-9-]{1,40}$/;
const OPTIONS = ['region', 'style', 'tls'];

/**
 * Reads the address of an object store:
 *
 * - `file:///srv/objects`, a folder
 * - `s3://KEY:SECRET@host[:port]/bucket[/prefix]?region=eu-west-1`, over HTTPS, with the bucket in the path.
 *   `&style=virtual` puts the bucket before the host name, `&tls=off` uses plain HTTP. Percent-encode
 *   characters of the key and the secret that have a meaning in an address (`/`, `+`, `@`).
 *
 * @throws Error whose message continues after the setting's name, e.g. `must name a bucket`
 */
export function parseStorageUrl(text: string): StorageAddress {
  const url = URL.parse(text);
  if (url?.protocol === 'file:') return { kind: 'disk', folder: path.resolve(fileURLToPath(url)) };
  if (url?.protocol !== 's3:') throw new Error('must start with s3:// or file:///');
  const [bucket = '', ...segments] = url.pathname.slice(1).split('/');
  if (!BUCKET.test(bucket)) throw new Error('must name a bucket: s3://KEY:SECRET@host/bucket?region=…');
  if (url.username === '' || url.password === '')
    throw new Error('must hold the keys: s3://KEY:SECRET@host/…');
  for (const name of url.searchParams.keys()) {
    if (!OPTIONS.includes(name))
      throw new Error(`has an unknown option ${name}: known are ${OPTIONS.join(', ')}`);
  }
  const region = url.searchParams.get('region') ?? 'us-east-1';
  if (!REGION.test(region)) throw new Error('has a region that cannot be one');
  const scheme = oneOf(url, 'tls', ['on', 'off']) === 'on' ? 'https' : 'http';
  const virtual = oneOf(url, 'style', ['path', 'virtual']) === 'virtual';
  const prefix = segments.filter((segment) => segment !== '').join('/');
  return {
    kind: 's3',
    bucketUrl: virtual ? `${scheme}://${bucket}.${url.host}` : `${scheme}://${url.host}/${bucket}`,
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
    region,
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
  };
}

/** The value of a query parameter, which must be one of `words`; the first of them when it is missing. */
function oneOf(url: URL, name: string, words: readonly [string, ...string[]]): string {
  const given = url.searchParams.get(name) ?? words[0];
  if (!words.includes(given)) throw new Error(`has ${name}=${given}, which must be ${words.join(' or ')}`);
  return given;
}
