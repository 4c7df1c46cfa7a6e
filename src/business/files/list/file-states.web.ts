import { type FileRecord, isBeingAnalyzed } from '../file-record.web.ts';

/** The tabs above the lists: their labels, and the files that each shows. */
export const FILE_STATES = {
  all: { words: 'All', has: () => true },
  waiting: {
    words: 'To analyze',
    has: (file: FileRecord) => file.status === 'uploaded' && !isBeingAnalyzed(file),
  },
  busy: { words: 'Being analyzed', has: (file: FileRecord) => isBeingAnalyzed(file) },
  attention: {
    words: 'Need attention',
    has: (file: FileRecord) => file.status === 'failed' || file.status === 'needs_password',
  },
  analyzed: { words: 'Analyzed', has: (file: FileRecord) => file.analyzed },
} as const satisfies Record<string, { words: string; has: (file: FileRecord) => boolean }>;

export type FileState = keyof typeof FILE_STATES;
