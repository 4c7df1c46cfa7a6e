import { fileTypeFromFile } from 'file-type';
import { declaredFileType, extensionOf, type FileType } from '../../contract/file-types.ts';
import { compoundFileEntries } from './read-compound-file.server.ts';
import { storageErrors } from './storage-errors.server.ts';

/** Looks at an upload while it streams and when it is whole. */
export interface ContentCheck {
  /** MIME type to store. */
  readonly mimeType: string;
  /** @throws ServiceError InvalidMimeType as soon as the first bytes cannot be of the type */
  inspect(piece: Buffer): void;
  /** @throws ServiceError InvalidMimeType when the whole file is not of the type */
  finish(file: string): Promise<void>;
}

const COMPOUND = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';
const ZIP = 'PK\x03\x04';
/** What a file of each type begins with; the text types have rules of their own. */
const BEGINNINGS: Readonly<Record<string, (head: string) => boolean>> = {
  pdf: (head) => head.startsWith('%PDF-'),
  doc: (head) => head.startsWith(COMPOUND),
  docx: (head) => head.startsWith(ZIP) || head.startsWith(COMPOUND),
  docm: (head) => head.startsWith(ZIP) || head.startsWith(COMPOUND),
  odt: (head) => head.startsWith(ZIP),
  rtf: (head) => head.startsWith('{\\rtf'),
  jpg: (head) => head.startsWith('\xff\xd8\xff'),
  png: (head) => head.startsWith('\x89PNG\r\n\x1a\n'),
  gif: (head) => /^GIF8[79]a/.test(head),
  webp: (head) => /^RIFF[\s\S]{4}WEBP/.test(head),
  mp4: (head) => head.slice(4, 8) === 'ftyp',
  webm: (head) => head.startsWith('\x1a\x45\xdf\xa3'),
};
/** Other words of the sniffer for the same type. */
const SNIFFED_AS: Readonly<Record<string, string>> = { apng: 'png', m4v: 'mp4' };
const HEAD_BYTES = 16;

/**
 * The check for an upload whose name and declared MIME type must agree with its bytes
 * (`spec/readings.md`; documents contract §2.3). With `strict` only the types of our policy
 * table pass; without, a type that the table does not know is stored as declared.
 *
 * @throws ServiceError InvalidMimeType when name and type already disagree
 */
export function checkContent(fileName: string, declared: string, strict: boolean): ContentCheck {
  const type = declaredFileType(fileName, declared);
  if (type === undefined) {
    if (strict) throw storageErrors.invalidMimeType();
    return acceptAsDeclared(declared);
  }
  const extension = extensionOf(fileName) === 'jpeg' ? 'jpg' : extensionOf(fileName);
  if (strict && extension !== '' && extension !== type.extension) throw storageErrors.invalidMimeType();
  return checkType(type);
}

/** No check: for bytes that nothing can be compared with, e.g. compressed ones. */
export function acceptAsDeclared(declared: string): ContentCheck {
  const mimeType = (declared.split(';')[0] ?? '').trim().toLowerCase();
  return {
    mimeType: mimeType === '' ? 'application/octet-stream' : mimeType,
    inspect() {},
    finish: async () => {},
  };
}

function checkType(type: FileType): ContentCheck {
  let head = '';
  let headIsChecked = false;
  const text = type.extension === 'txt' ? createTextCheck() : undefined;
  const checkHead = (): void => {
    headIsChecked = true;
    if (!(BEGINNINGS[type.extension]?.(head) ?? true)) throw storageErrors.invalidMimeType();
  };
  return {
    mimeType: type.mimeTypes[0],
    inspect(piece) {
      text?.(piece);
      if (headIsChecked) return;
      head += piece.toString('latin1', 0, HEAD_BYTES);
      if (head.length >= HEAD_BYTES) checkHead();
    },
    async finish(file) {
      if (!headIsChecked) checkHead();
      if (!(await isOfType(type.extension, file))) throw storageErrors.invalidMimeType();
    },
  };
}

/** Text has no NUL byte, unless a byte order mark says that it is UTF-16; then it must decode. */
function createTextCheck(): (piece: Buffer) => void {
  let decoder: TextDecoder | undefined;
  let start = Buffer.alloc(0);
  let decided = false;
  return (piece) => {
    if (!decided) {
      start = Buffer.concat([start, piece.subarray(0, 2)]);
      if (start.length < 2) return;
      decided = true;
      const mark = start.readUInt16BE(0);
      if (mark === 0xfffe) decoder = new TextDecoder('utf-16le', { fatal: true });
      if (mark === 0xfeff) decoder = new TextDecoder('utf-16be', { fatal: true });
    }
    if (decoder === undefined ? piece.includes(0) : !decodes(decoder, piece)) {
      throw storageErrors.invalidMimeType();
    }
  };
}

function decodes(decoder: TextDecoder, piece: Buffer): boolean {
  try {
    decoder.decode(piece, { stream: true });
    return true;
  } catch {
    return false;
  }
}

async function isOfType(extension: string, file: string): Promise<boolean> {
  const sniffed = await fileTypeFromFile(file);
  if (extension === 'txt') return sniffed === undefined || /^text\/|xml$/.test(sniffed.mime);
  if (sniffed === undefined) return false;
  if (sniffed.ext === 'cfb') return isCompound(extension, await compoundFileEntries(file));
  return (SNIFFED_AS[sniffed.ext] ?? sniffed.ext) === extension;
}

/** Old Word files and password-protected new ones share one container. */
function isCompound(extension: string, entries: string[]): boolean {
  if (extension === 'doc') return entries.includes('WordDocument');
  return (extension === 'docx' || extension === 'docm') && entries.includes('EncryptedPackage');
}
