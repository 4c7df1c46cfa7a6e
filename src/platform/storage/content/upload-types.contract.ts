/**
 * The one policy table of upload types: for the file picker, the dashboard's drop area, and the buckets whose
 * uploads are compared with their bytes (docs/specification/site.md §5, docs/specification/platform.md §5,
 * docs/specification/site.md §10). To add a type, add a row.
 */

export type FileFamily = 'document' | 'image' | 'video';

export interface UploadType {
  readonly extension: string;
  /** Every MIME type that clients may declare for it; the first is stored. */
  readonly mimeTypes: readonly [string, ...string[]];
  readonly family: FileFamily;
  /** True when the dashboard's file picker offers it. */
  readonly inPicker: boolean;
  /** True when the reader can read and analyse it. */
  readonly isRead: boolean;
  /** True when it can be an account's picture: every browser shows it, and it contains no script. */
  readonly isAvatar?: true;
  /** How the file begins, as Latin-1; left out for texts, which have a rule of their own. */
  readonly begins?: RegExp;
  /** How many of the first bytes that needs; default 16. */
  readonly headBytes?: number;
  /** Extensions under which file-type 22 knows it, if they differ from its own. */
  readonly sniffedAs?: readonly string[];
}

const PNG = String.raw`\x89PNG\r\n\x1a\n`;
/** Matroska and WebM. */
const EBML = String.raw`\x1a\x45\xdf\xa3`;
const TIFF = String.raw`(II\*\x00|MM\x00\*)`;
const ZIP = String.raw`PK\x03\x04`;
/** Old Office files, and new ones with a password. */
const COMPOUND = String.raw`\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1`;

export const UPLOAD_TYPES: readonly UploadType[] = [
  {
    extension: 'pdf',
    mimeTypes: [
      'application/pdf',
      'application/x-pdf',
      'application/acrobat',
      'applications/vnd.pdf',
      'text/pdf',
      'text/x-pdf',
    ],
    family: 'document',
    inPicker: true,
    isRead: true,
    // Printers and mail programs put lines of their own before the header, which readers look for in the
    // first 1,024 bytes. A web page does not match.
    begins: /^[^<]{0,1019}%PDF-/s,
    headBytes: 1024,
  },
  {
    extension: 'doc',
    mimeTypes: ['application/msword'],
    family: 'document',
    inPicker: true,
    isRead: true,
    begins: new RegExp(`^${COMPOUND}`),
  },
  {
    extension: 'docx',
    mimeTypes: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    family: 'document',
    inPicker: true,
    isRead: true,
    begins: new RegExp(`^(${ZIP}|${COMPOUND})`),
  },
  {
    extension: 'docm',
    mimeTypes: ['application/vnd.ms-word.document.macroenabled.12'],
    family: 'document',
    inPicker: false,
    isRead: true,
    begins: new RegExp(`^(${ZIP}|${COMPOUND})`),
  },
  {
    extension: 'odt',
    mimeTypes: ['application/vnd.oasis.opendocument.text'],
    family: 'document',
    inPicker: false,
    isRead: true,
    begins: new RegExp(`^${ZIP}`),
  },
  {
    extension: 'rtf',
    mimeTypes: ['application/rtf', 'text/rtf'],
    family: 'document',
    inPicker: false,
    isRead: true,
    begins: /^\{\\rtf/,
  },
  { extension: 'txt', mimeTypes: ['text/plain'], family: 'document', inPicker: false, isRead: true },
  {
    extension: 'xlsx',
    mimeTypes: ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    family: 'document',
    inPicker: true,
    isRead: true,
    begins: new RegExp(`^(${ZIP}|${COMPOUND})`),
  },
  {
    extension: 'pptx',
    mimeTypes: ['application/vnd.openxmlformats-officedocument.presentationml.presentation'],
    family: 'document',
    inPicker: true,
    isRead: true,
    begins: new RegExp(`^(${ZIP}|${COMPOUND})`),
  },
  {
    extension: 'ods',
    mimeTypes: ['application/vnd.oasis.opendocument.spreadsheet'],
    family: 'document',
    inPicker: true,
    isRead: true,
    begins: new RegExp(`^${ZIP}`),
  },
  {
    extension: 'odp',
    mimeTypes: ['application/vnd.oasis.opendocument.presentation'],
    family: 'document',
    inPicker: true,
    isRead: true,
    begins: new RegExp(`^${ZIP}`),
  },
  { extension: 'csv', mimeTypes: ['text/csv'], family: 'document', inPicker: true, isRead: true },
  {
    extension: 'xml',
    mimeTypes: ['application/xml', 'text/xml'],
    family: 'document',
    inPicker: true,
    isRead: true,
  },
  { extension: 'md', mimeTypes: ['text/markdown'], family: 'document', inPicker: true, isRead: true },
  {
    extension: 'html',
    mimeTypes: ['text/html', 'application/xhtml+xml'],
    family: 'document',
    inPicker: true,
    isRead: true,
  },
  { extension: 'eml', mimeTypes: ['message/rfc822'], family: 'document', inPicker: true, isRead: true },
  {
    extension: 'msg',
    mimeTypes: ['application/vnd.ms-outlook'],
    family: 'document',
    inPicker: true,
    isRead: true,
    begins: new RegExp(`^${COMPOUND}`),
  },
  {
    extension: 'jpg',
    mimeTypes: ['image/jpeg'],
    family: 'image',
    inPicker: true,
    isRead: true,
    isAvatar: true,
    begins: /^\xff\xd8\xff/,
  },
  {
    extension: 'png',
    mimeTypes: ['image/png'],
    family: 'image',
    inPicker: true,
    isRead: true,
    isAvatar: true,
    begins: new RegExp(`^${PNG}`),
    sniffedAs: ['png', 'apng'],
  },
  {
    extension: 'gif',
    mimeTypes: ['image/gif'],
    family: 'image',
    inPicker: true,
    isRead: true,
    begins: /^GIF8[79]a/,
  },
  {
    extension: 'webp',
    mimeTypes: ['image/webp'],
    family: 'image',
    inPicker: true,
    isRead: true,
    isAvatar: true,
    begins: /^RIFF[\s\S]{4}WEBP/,
  },
  {
    extension: 'tif',
    mimeTypes: ['image/tiff'],
    family: 'image',
    inPicker: true,
    isRead: true,
    begins: new RegExp(`^${TIFF}`),
  },
  {
    extension: 'mp4',
    mimeTypes: ['video/mp4'],
    family: 'video',
    inPicker: false,
    isRead: false,
    begins: /^[\s\S]{4}ftyp/,
    sniffedAs: ['mp4', 'm4v'],
  },
  {
    extension: 'webm',
    mimeTypes: ['video/webm'],
    family: 'video',
    inPicker: false,
    isRead: false,
    begins: new RegExp(`^${EBML}`),
  },
];

const UNTYPED = new Set(['', 'application/octet-stream', 'binary/octet-stream']);

/** Other spellings of our extensions. */
const ALIASES: Readonly<Record<string, string>> = { jpeg: 'jpg', tiff: 'tif', htm: 'html' };

/**
 * `accept` of the dashboard's picker: the specified `.pdf,.doc,.docx`, then the formats that the reader has
 * learnt since.
 */
export const PICKER_ACCEPT = UPLOAD_TYPES.filter((type) => type.inPicker)
  .flatMap(({ extension }) => [
    extension,
    ...Object.keys(ALIASES).filter((alias) => ALIASES[alias] === extension),
  ])
  .map((extension) => `.${extension}`)
  .join(',');

/** MIME types that an account's picture may have. */
export const AVATAR_TYPES: readonly string[] = UPLOAD_TYPES.flatMap(({ isAvatar, mimeTypes }) =>
  isAvatar === true ? [mimeTypes[0]] : [],
);

/** The lower-case extension of a file name without its dot; empty when there is none. */
export function extensionOf(fileName: string): string {
  const dot = fileName.lastIndexOf('.');
  return dot <= 0 ? '' : fileName.slice(dot + 1).toLowerCase();
}

/**
 * The type for a name and a declared MIME type: by MIME type, or by extension when the MIME type is empty or
 * octet-stream. Undefined for a type that is not in the table.
 */
export function declaredUploadType(fileName: string, mimeType: string): UploadType | undefined {
  const declared = (mimeType.split(';')[0] ?? '').trim().toLowerCase();
  if (!UNTYPED.has(declared)) return UPLOAD_TYPES.find((type) => type.mimeTypes.includes(declared));
  const extension = typeExtension(fileName);
  return UPLOAD_TYPES.find((type) => type.extension === extension);
}

/** The extension of a file name as the table spells it: `scan.TIFF` gives `tif`. */
export function typeExtension(fileName: string): string {
  const extension = extensionOf(fileName);
  return ALIASES[extension] ?? extension;
}

/**
 * Whether the dashboard accepts the file for analysis (docs/specification/site.md §5): a document, or a
 * picture of one.
 */
export function isDocument(fileName: string, mimeType: string): boolean {
  return declaredUploadType(fileName, mimeType)?.isRead === true;
}
