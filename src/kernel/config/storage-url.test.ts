import { expect, test } from 'vitest';
import { maskedSettings } from './masked-settings.ts';
import { readSettings } from './settings.ts';
import { parseStorageUrl } from './storage-url.ts';

test('an address of a bucket is read with its keys decoded, over HTTPS and with the bucket in the path', () => {
  expect(
    parseStorageUrl('s3://KEY:a%2Fb%2Bc%40@s3.example:9000/my-bucket/one/two/?region=eu-west-1'),
  ).toEqual({
    kind: 's3',
    bucketUrl: 'https://s3.example:9000/my-bucket',
    bucket: 'my-bucket',
    prefix: 'one/two/',
    region: 'eu-west-1',
    accessKeyId: 'KEY',
    secretAccessKey: 'a/b+c@',
  });
  expect(parseStorageUrl('s3://k:s@s3.example/my-bucket?style=virtual&tls=off')).toMatchObject({
    bucketUrl: 'http://my-bucket.s3.example',
    prefix: '',
    region: 'us-east-1',
  });
  expect(parseStorageUrl('file:///srv/a%20b')).toEqual({ kind: 'disk', folder: '/srv/a b' });
});

test.each([
  ['https://k:s@host/bucket', 'must start with s3:// or file:///'],
  ['s3://k:s@host/', 'must name a bucket'],
  ['s3://k:s@host/UPPER', 'must name a bucket'],
  ['s3://host/bucket', 'must hold the keys'],
  ['s3://k:s@host/bucket?tls=maybe', 'has tls=maybe, which must be on or off'],
  ['s3://k:s@host/bucket?regoin=x', 'has an unknown option regoin'],
  ['s3://k:s@host/bucket?region=../x', 'has a region that cannot be one'],
])('%s is refused as a setting with a sentence', (address, sentence) => {
  expect(() => readSettings({ STORAGE_URL: address }, '/nowhere')).toThrow(
    `The setting STORAGE_URL ${sentence}`,
  );
});

test('the secret is masked wherever settings are shown', () => {
  const shown = maskedSettings(
    readSettings({ STORAGE_URL: 's3://KEY:hush@host/bucket' }, '/nowhere'),
  ).STORAGE_URL;
  expect(shown).toBe('s3://KEY:********@host/bucket');
});
