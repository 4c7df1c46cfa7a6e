import { ServiceError } from '../../kernel/contract/service-error.ts';
import {
  type ContentCheck,
  checkContent,
} from '../../platform/storage/content/upload-content-check.server.ts';
import { extensionOf } from '../../platform/storage/content/upload-types.contract.ts';

const OFFICE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
/** Extensions that the document reader can read, with the MIME type that is stored. */
const KINDS: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  docx: OFFICE,
  odt: 'application/vnd.oasis.opendocument.text',
  rtf: 'application/rtf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  xml: 'application/xml',
  log: 'text/plain',
};
const DOCUMENTS = new Set(['pdf', 'docx', 'odt', 'rtf']);

/**
 * Checks a file for assistants while it streams: its bytes must be what its name says.
 *
 * @throws ServiceError 415 `unsupported_file`
 */
export function checkFileKind(fileName: string): {
  readonly extension: string;
  readonly check: ContentCheck;
} {
  const extension = extensionOf(fileName);
  const mimeType = KINDS[extension];
  if (mimeType === undefined) throw unsupported(`Files of these kinds can be read: ${sayKinds()}.`);
  const check = DOCUMENTS.has(extension)
    ? checkContent(`file.${extension}`, mimeType)
    : checkContent('file.txt', 'text/plain');
  return {
    extension,
    check: { mimeType, inspect: orRefuse(check.inspect), finish: (file) => finish(check, file) },
  };
}

const sayKinds = (): string => Object.keys(KINDS).join(', ');
const WRONG_BYTES = 'The content of the file is not what its name says.';

function unsupported(sentence: string): ServiceError {
  return new ServiceError(415, 'unsupported_file', `file: ${sentence}`);
}

function orRefuse(inspect: ContentCheck['inspect']): ContentCheck['inspect'] {
  return (piece) => {
    try {
      inspect(piece);
    } catch {
      throw unsupported(WRONG_BYTES);
    }
  };
}

async function finish(check: ContentCheck, file: string): Promise<void> {
  await check.finish(file).catch((error: unknown) => {
    throw error instanceof ServiceError ? unsupported(WRONG_BYTES) : error;
  });
}
