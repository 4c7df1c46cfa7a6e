import { fileTypeFromFile } from 'file-type';
import { storageErrors } from '../storage-errors.server.ts';
import { compoundFileEntries } from './compound-file.server.ts';
import { declaredUploadType, typeExtension, type UploadType } from './upload-types.contract.ts';

/** Inspects an upload while it streams and again when it is complete. */
export interface ContentCheck {
  /** MIME type to store. */
  readonly mimeType: string;
  /** @throws ServiceError InvalidMimeType as soon as the first bytes cannot be of the type */
  inspect(piece: Buffer): void;
  /** @throws ServiceError InvalidMimeType when the whole file is not of the type */
  finish(file: string): Promise<void>;
}

const HEAD_BYTES = 16;
const TEXTS: ReadonlySet<string> = new Set(['txt', 'csv', 'md', 'xml', 'html', 'eml']);
/** Types that become a compound file when they have a password. */
const LOCKABLE: ReadonlySet<string> = new Set(['docx', 'docm', 'xlsx', 'pptx']);
const UNTYPED = 'application/octet-stream';
/** A media type with its parameters, as a header may contain it (RFC 9110 §8.3.1). */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;[\x20-\x7e]*)?$/;
const MAX_MEDIA_TYPE = 255;
const SAFE_CHARSETS = /^(utf-?8|utf-16(le|be)?|us-ascii|iso-8859-\d{1,2}|windows-125\d)$/i;

/**
 * The check of an upload whose name, declared MIME type and bytes must agree (docs/specification/site.md §10;
 * docs/contracts/documents.md §2.3). Only the types of the policy table pass.
 *
 * @throws ServiceError InvalidMimeType when name and type already disagree
 */
export function checkContent(fileName: string, declared: string): ContentCheck {
  const type = declaredUploadType(fileName, declared);
  if (type === undefined) throw storageErrors.invalidMimeType();
  const extension = typeExtension(fileName);
  if (extension !== '' && extension !== type.extension) throw storageErrors.invalidMimeType();
  return checkType(type);
}

/** No check: the type is stored as declared. Downloads are harmless whatever the type is (attack 24). */
export function acceptAsDeclared(declared: string): ContentCheck {
  return {
    mimeType: usableMediaType(declared.trim()),
    inspect() {},
    finish: async () => {},
  };
}

/** Removes the parameters when they name an encoding that browsers may read as something else (UTF-7). */
function usableMediaType(given: string): string {
  if (given.length > MAX_MEDIA_TYPE || !MEDIA_TYPE.test(given)) return UNTYPED;
  const charset = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(given)?.[1];
  if (charset === undefined || SAFE_CHARSETS.test(charset)) return given;
  return (given.split(';')[0] ?? UNTYPED).trim();
}

function checkType(type: UploadType): ContentCheck {
  let head = '';
  let headIsChecked = false;
  const inspectText = TEXTS.has(type.extension) ? createTextCheck() : undefined;
  const needed = type.headBytes ?? HEAD_BYTES;
  const checkHead = (): void => {
    headIsChecked = true;
    if (type.begins !== undefined && !type.begins.test(head)) throw storageErrors.invalidMimeType();
  };
  return {
    mimeType: type.mimeTypes[0],
    inspect(piece) {
      inspectText?.(piece);
      if (headIsChecked) return;
      head += piece.toString('latin1', 0, needed - head.length);
      if (head.length >= needed) checkHead();
    },
    async finish(file) {
      if (!headIsChecked) checkHead();
      if (!(await isOfType(type, file))) throw storageErrors.invalidMimeType();
    },
  };
}

/** Text has no NUL byte, unless a byte order mark declares UTF-16; then it must decode. */
function createTextCheck(): (piece: Buffer) => void {
  let decoder: TextDecoder | undefined;
  let start = Buffer.alloc(0);
  let decided = false;
  return (piece) => {
    if (!decided) {
      start = Buffer.concat([start, piece.subarray(0, 2)]);
      if (start.length < 2) return;
      decided = true;
      decoder = utf16Decoder(start);
    }
    const isText = decoder === undefined ? !piece.includes(0) : decodes(decoder, piece);
    if (!isText) throw storageErrors.invalidMimeType();
  };
}

function utf16Decoder(start: Buffer): TextDecoder | undefined {
  const mark = start.readUInt16BE(0);
  if (mark === 0xfffe) return new TextDecoder('utf-16le', { fatal: true });
  return mark === 0xfeff ? new TextDecoder('utf-16be', { fatal: true }) : undefined;
}

function decodes(decoder: TextDecoder, piece: Buffer): boolean {
  try {
    decoder.decode(piece, { stream: true });
    return true;
  } catch {
    return false;
  }
}

async function isOfType({ extension, sniffedAs = [extension] }: UploadType, file: string): Promise<boolean> {
  const sniffed = await fileTypeFromFile(file);
  if (TEXTS.has(extension)) return sniffed === undefined || /^text\/|xml$/.test(sniffed.mime);
  // A PDF is recognised by its header alone, because the sniffer knows only PDFs that begin with it.
  if (sniffed === undefined) return extension === 'pdf';
  if (sniffed.ext === 'cfb') return isCompound(extension, await compoundFileEntries(file));
  return sniffedAs.includes(sniffed.ext);
}

/** Old Word files, messages of Outlook and password-protected new files use the same container. */
function isCompound(extension: string, entries: string[]): boolean {
  if (extension === 'msg') return entries.includes('__nameid_version1.0');
  if (extension === 'doc') return entries.includes('WordDocument');
  return LOCKABLE.has(extension) && entries.includes('EncryptedPackage');
}
