import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { FileRecord } from '../file-record.web.ts';
import { announce } from '../list/announcer.web.tsx';

/** With more rows, a transition costs more than it shows. */
const MOST_ROWS = 60;

/**
 * The files to show. When a file moves from 'Your Files' to 'Your Analyzed Files', the move is animated (one
 * View Transition) and announced.
 */
export function useMovingFiles(files: FileRecord[] | undefined): FileRecord[] | undefined {
  const [shown, setShown] = useState(files);
  useEffect(() => {
    if (files === shown) return;
    const finished = announceOutcomes(shown ?? [], files ?? []);
    if (finished > 0 && canAnimate(files?.length ?? 0))
      document.startViewTransition(() => flushSync(() => setShown(files)));
    else setShown(files);
  }, [files, shown]);
  return shown ?? files;
}

/** Announces which analyses have ended; returns how many of them are ready. */
function announceOutcomes(before: readonly FileRecord[], after: readonly FileRecord[]): number {
  const known = new Map(before.map((file) => [file.id, file]));
  const finished = after.filter(({ id, analyzed }) => analyzed && known.get(id)?.analyzed === false);
  const failed = after.filter(
    ({ id, status }) => status === 'failed' && known.get(id)?.status === 'analyzing',
  );
  for (const file of finished) announce(`${file.file_name}: the analysis is ready`);
  for (const file of failed) announce(`${file.file_name}: the analysis failed`);
  return finished.length;
}

function canAnimate(rows: number): boolean {
  return (
    rows <= MOST_ROWS &&
    'startViewTransition' in document &&
    !document.hidden &&
    !matchMedia('(prefers-reduced-motion: reduce)').matches
  );
}
