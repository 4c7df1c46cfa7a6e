import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import { pieces } from '../../platform/storage/uploads/upload-body.server.ts';

/** The file of a form, before its bytes are read. */
export interface FileForm {
  readonly fileName: string;
  /** MIME type that the client declared. */
  readonly contentType: string;
  /** The bytes; they can be read once. */
  readonly source: AsyncIterable<Buffer>;
  /** The form's other fields, before and after the file; complete when the bytes have been read. */
  fields(): Promise<ReadonlyMap<string, string>>;
}

const IDLE_MS = 60_000;
const MAX_FIELD_BYTES = 64 * 1024;
const LONGEST_NAME = 255;
/** Most bytes that a form has besides its file. */
export const FORM_OVERHEAD = 256 * 1024;

/**
 * Reads the form of POST /file: the field `file`, and small fields on either side of it (the server SDK sends
 * them after it).
 *
 * @throws ServiceError 415 `not_a_form`, 400 `bad_form`, `no_file`, 408 or 400 when the bytes do not come
 */
export function readFileForm(request: IncomingMessage): Promise<FileForm> {
  if (!/^multipart\/form-data\b/i.test(request.headers['content-type'] ?? '')) {
    throw new ServiceError(415, 'not_a_form', 'A file is sent as multipart/form-data with the field file.');
  }
  request.setTimeout(IDLE_MS, () => request.destroy(new Error('no byte came')));
  return new Promise((resolve, reject) => {
    const form = openForm(request);
    const fields = new Map<string, string>();
    const whole = Promise.withResolvers<ReadonlyMap<string, string>>();
    whole.promise.catch(() => {});
    let file: BusboyFileStream | undefined;
    const fail = (error: Error): void => {
      file?.destroy(error);
      whole.reject(error);
      reject(error);
    };
    form.on('field', (name, value, _nameCut, cut) => {
      if (cut) fail(badForm(`${name}: must have at most 64 KB`));
      else fields.set(name, value);
    });
    form.on('file', (name, stream, ...[fileName, , mimeType]) => {
      if (name !== 'file' || file !== undefined) {
        stream.resume();
        return;
      }
      file = stream;
      stream.on('error', () => {});
      resolve({
        fileName: plainName(fileName),
        contentType: mimeType,
        source: pieces(stream),
        fields: () => whole.promise,
      });
    });
    form.on('finish', () => {
      whole.resolve(fields);
      reject(new ServiceError(400, 'no_file', 'file: is missing from the form.'));
    });
    form.on('error', () => fail(badForm('The form cannot be read.')));
    const broken = (): void => fail(new ServiceError(400, 'aborted', 'The file did not arrive whole.'));
    request.once('close', () => {
      if (!request.complete) broken();
    });
    request.on('error', broken);
    request.pipe(form);
  });
}

const badForm = (sentence: string): ServiceError => new ServiceError(400, 'bad_form', sentence);

function openForm(request: IncomingMessage): InstanceType<typeof Busboy> {
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': request.headers['content-type'] ?? '' },
      limits: { files: 2, fields: 10, parts: 12, fieldSize: MAX_FIELD_BYTES, headerPairs: 100 },
    });
  } catch {
    throw badForm('The form cannot be read.');
  }
}

/** The last part of a path, without characters that turn or hide text. */
function plainName(given: string | undefined): string {
  const name = (given ?? '').split(/[/\\]/).at(-1) ?? '';
  const shown = name
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim();
  return shown.slice(-LONGEST_NAME) || 'file';
}
