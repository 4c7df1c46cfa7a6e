import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { announce } from './announce.web.tsx';
import type { FileRecord } from './file-record.web.ts';

/** Above this many rows a transition costs more than it shows. */
const MOST_ROWS = 60;

/**
 * The files as they are shown. When one moves from 'Your Files' to 'Your
 * Analyzed Files' the move is seen (one View Transition) and said.
 */
export function useMovingFiles(files: FileRecord[] | undefined): FileRecord[] | undefined {
  const [shown, setShown] = useState(files);
  useEffect(() => {
    if (files === shown) return;
    const before = new Map(shown?.map((file) => [file.id, file]));
    const finished = (files ?? []).filter((file) => file.analyzed && before.get(file.id)?.analyzed === false);
    for (const file of finished) announce(`${file.file_name}: the analysis is ready`);
    for (const file of files ?? []) {
      if (file.status === 'failed' && before.get(file.id)?.status === 'analyzing')
        announce(`${file.file_name}: the analysis failed`);
    }
    const animate =
      finished.length > 0 &&
      (files?.length ?? 0) <= MOST_ROWS &&
      'startViewTransition' in document &&
      !document.hidden &&
      !matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (animate) document.startViewTransition(() => flushSync(() => setShown(files)));
    else setShown(files);
  }, [files, shown]);
  return shown ?? files;
}
