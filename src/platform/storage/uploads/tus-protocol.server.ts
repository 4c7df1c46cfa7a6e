import { ServiceError } from '../../../kernel/contract/service-error.ts';

/** The one supported version of the protocol (tus.io, 1.0.0). */
export const TUS_VERSION = '1.0.0';
const MAX_METADATA = 16 * 1024;

/** Errors of the protocol, with its own status codes. */
export const tusErrors = {
  version: () =>
    new ServiceError(412, 'InvalidRequest', 'Tus-Resumable must be 1.0.0', {
      headers: { 'tus-version': TUS_VERSION },
    }),
  mediaType: () =>
    new ServiceError(415, 'InvalidMimeType', 'Content-Type must be application/offset+octet-stream'),
  invalidHeader: (name: string) => new ServiceError(400, 'InvalidRequest', `${name} is missing or not valid`),
  offset: (received: number) =>
    new ServiceError(409, 'InvalidOffset', 'Upload-Offset conflict', {
      headers: { 'upload-offset': String(received) },
    }),
  locked: () =>
    new ServiceError(423, 'ResourceLocked', 'Another request is writing this upload', {
      headers: { 'retry-after': '1' },
    }),
  tooMuch: () => new ServiceError(413, 'EntityTooLarge', 'Maximum size exceeded'),
  missing: () => new ServiceError(404, 'NoSuchUpload', 'The upload does not exist'),
  gone: () => new ServiceError(410, 'NoSuchUpload', 'The upload has ended'),
} as const;

/** Whether a header is a count of bytes. */
export function isWholeNumber(header: unknown): header is string {
  return typeof header === 'string' && /^\d{1,15}$/.test(header);
}

/**
 * `Upload-Metadata`: pairs of a name and a base64 value, separated by commas (tus 1.0.0, "Creation").
 *
 * @throws ServiceError InvalidRequest
 */
export function parseUploadMetadata(header: unknown): Map<string, string> {
  const found = new Map<string, string>();
  if (header === undefined || header === '') return found;
  if (typeof header !== 'string' || header.length > MAX_METADATA) {
    throw tusErrors.invalidHeader('Upload-Metadata');
  }
  for (const pair of header.split(',')) {
    const [, name, value = ''] = /^ *([^\s,]+)(?: +([A-Za-z0-9+/]*={0,2}))? *$/.exec(pair) ?? [];
    if (name === undefined || found.has(name)) throw tusErrors.invalidHeader('Upload-Metadata');
    found.set(name, Buffer.from(value, 'base64').toString('utf8'));
  }
  return found;
}
