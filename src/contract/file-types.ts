/**
 * One policy table of upload types for the picker, the dashboard's drop area and
 * the storage service (`spec/site.md §5`, `spec/platform.md §5`, `spec/readings.md`).
 */

export type FileFamily = 'document' | 'image' | 'video';

export interface FileType {
  readonly extension: string;
  /** Every MIME type that may be declared for it; the first is the one stored. */
  readonly mimeTypes: readonly [string, ...string[]];
  readonly family: FileFamily;
  /** The dashboard's file picker offers it. */
  readonly inPicker: boolean;
}

export const FILE_TYPES: readonly FileType[] = [
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
  },
  { extension: 'doc', mimeTypes: ['application/msword'], family: 'document', inPicker: true },
  {
    extension: 'docx',
    mimeTypes: ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    family: 'document',
    inPicker: true,
  },
  {
    extension: 'docm',
    mimeTypes: ['application/vnd.ms-word.document.macroenabled.12'],
    family: 'document',
    inPicker: false,
  },
  {
    extension: 'odt',
    mimeTypes: ['application/vnd.oasis.opendocument.text'],
    family: 'document',
    inPicker: false,
  },
  { extension: 'rtf', mimeTypes: ['application/rtf', 'text/rtf'], family: 'document', inPicker: false },
  { extension: 'txt', mimeTypes: ['text/plain'], family: 'document', inPicker: false },
  { extension: 'jpg', mimeTypes: ['image/jpeg'], family: 'image', inPicker: false },
  { extension: 'png', mimeTypes: ['image/png'], family: 'image', inPicker: false },
  { extension: 'gif', mimeTypes: ['image/gif'], family: 'image', inPicker: false },
  { extension: 'webp', mimeTypes: ['image/webp'], family: 'image', inPicker: false },
  { extension: 'mp4', mimeTypes: ['video/mp4'], family: 'video', inPicker: false },
  { extension: 'webm', mimeTypes: ['video/webm'], family: 'video', inPicker: false },
];

const UNTYPED = new Set(['', 'application/octet-stream', 'binary/octet-stream']);

/** `accept` of the dashboard's picker: `.pdf,.doc,.docx`. */
export const PICKER_ACCEPT = FILE_TYPES.filter((type) => type.inPicker)
  .map((type) => `.${type.extension}`)
  .join(',');

/** The lower-case extension of a file name without its dot; empty when there is none. */
export function extensionOf(fileName: string): string {
  const dot = fileName.lastIndexOf('.');
  return dot <= 0 ? '' : fileName.slice(dot + 1).toLowerCase();
}

/**
 * The type that a name and a declared MIME type stand for: by MIME type, or by
 * extension when the type is empty or octet-stream. Undefined when it is none of ours.
 */
export function declaredFileType(fileName: string, mimeType: string): FileType | undefined {
  const declared = (mimeType.split(';')[0] ?? '').trim().toLowerCase();
  if (!UNTYPED.has(declared)) return FILE_TYPES.find((type) => type.mimeTypes.includes(declared));
  const extension = extensionOf(fileName);
  return FILE_TYPES.find((type) => type.extension === (extension === 'jpeg' ? 'jpg' : extension));
}

/** Whether the dashboard takes the file as a document for analysis (`spec/site.md §5`). */
export function isDocument(fileName: string, mimeType: string): boolean {
  return declaredFileType(fileName, mimeType)?.family === 'document';
}
