import { MESSAGES } from '../../kernel/contract/messages.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';

/** The errors of the storage service, with the codes and names of docs/contracts/platform.md §3. */
export const storageErrors = {
  noSuchKey: () =>
    new ServiceError(404, 'NoSuchKey', 'Object not found', { details: { error: 'not_found' } }),
  noSuchBucket: () =>
    new ServiceError(404, 'NoSuchBucket', 'Bucket not found', { details: { error: 'Bucket not found' } }),
  duplicate: () =>
    new ServiceError(409, 'KeyAlreadyExists', 'The resource already exists', {
      details: { error: 'Duplicate' },
    }),
  accessDenied: (message = 'new row violates row-level security policy') =>
    new ServiceError(403, 'AccessDenied', message, { details: { error: 'Unauthorized' } }),
  /** `limit` in bytes; uses the specified sentence when it is the specified limit. */
  tooLarge: (limit: number) =>
    new ServiceError(
      413,
      'EntityTooLarge',
      limit === 100 * 1024 * 1024 ? MESSAGES.upload.tooLarge : 'The object exceeded the maximum allowed size',
      { details: { error: 'Payload too large' } },
    ),
  quotaExceeded: () =>
    new ServiceError(
      413,
      'QuotaExceeded',
      'Your storage is full. Delete files or choose a plan with more storage.',
      { details: { error: 'Payload too large' } },
    ),
  /** The specified sentence, or for a bucket with its own list, the type that is missing from it. */
  invalidMimeType: (unlisted?: string) =>
    new ServiceError(
      415,
      'InvalidMimeType',
      unlisted === undefined ? MESSAGES.upload.typeNotSupported : `mime type ${unlisted} is not supported`,
      { details: { error: 'invalid_mime_type' } },
    ),
  bucketNotEmpty: () =>
    new ServiceError(409, 'ResourceNotEmpty', 'The bucket you tried to delete is not empty'),
  invalidBucketName: () =>
    new ServiceError(400, 'InvalidBucketName', 'Bucket name invalid', {
      details: { error: 'Invalid Input' },
    }),
  /** For features that clients know and this service lacks (decision 0122). */
  notEnabled: (feature: string) =>
    new ServiceError(409, 'FeatureNotEnabled', `The feature ${feature} is not enabled for this resource`),
  infected: () =>
    new ServiceError(422, 'InfectedFile', 'The file contains malware and was not stored', {
      details: { error: 'infected_file' },
    }),
  scanFailed: () =>
    new ServiceError(
      503,
      'ScanFailed',
      'The file could not be checked for malware. Please try again later.',
      { details: { error: 'scan_failed' }, headers: { 'retry-after': '30' } },
    ),
  tooManyUploads: () =>
    new ServiceError(
      429,
      'TooManyUploads',
      'Finish or cancel an unfinished upload before you begin another',
      { headers: { 'retry-after': '60' } },
    ),
  invalidKey: (name: string) =>
    new ServiceError(400, 'InvalidKey', `Invalid key: ${encodeURIComponent(name.toWellFormed())}`),
  invalidFileSize: () =>
    new ServiceError(400, 'InvalidRequest', 'Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B'),
  invalidRequest: (message: string) => new ServiceError(400, 'InvalidRequest', message),
  noToken: () => new ServiceError(400, 'InvalidJWT', "querystring must have required property 'token'"),
  invalidToken: (words = 'Invalid JWT') => new ServiceError(400, 'InvalidJWT', words),
  invalidSignature: () => new ServiceError(400, 'InvalidSignature', 'Invalid signature'),
  expiredToken: () => new ServiceError(400, 'ExpiredToken', '"exp" claim timestamp check failed'),
  invalidRange: (size: number) =>
    new ServiceError(416, 'InvalidRange', 'The requested range is not satisfiable', {
      headers: { 'content-range': `bytes */${size}` },
    }),
  aborted: () => new ServiceError(400, 'RequestAborted', 'The upload ended before all of it had arrived'),
  /** For a request without any credentials, in the words of the original service. */
  noAuthorization: () =>
    new ServiceError(400, 'InvalidRequest', "headers must have required property 'authorization'", {
      details: { error: 'Error' },
    }),
  tooSlow: () => new ServiceError(408, 'RequestTimeout', 'The upload took too long'),
} as const;
