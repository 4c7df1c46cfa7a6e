import { useEffect, useState } from 'react';

/**
 * Accepts files dropped anywhere on the page and shows where they will go. The button does the same, so that
 * nobody has to drag (WCAG 2.5.7).
 */
export function DropOverlay({
  onDrop,
  words = 'Drop documents to upload',
}: {
  onDrop: (files: readonly File[]) => void;
  words?: string;
}) {
  const [over, setOver] = useState(false);
  useEffect(() => {
    // The event for entering a child comes before the one for leaving its parent, so only the difference says
    // whether the pointer is inside.
    let depth = 0;
    const carriesFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
    const enter = (event: DragEvent): void => {
      if (!carriesFiles(event)) return;
      depth += 1;
      setOver(true);
    };
    const leave = (event: DragEvent): void => {
      if (!carriesFiles(event)) return;
      depth = Math.max(0, depth - 1);
      setOver(depth > 0);
    };
    const hover = (event: DragEvent): void => {
      if (carriesFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent): void => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      depth = 0;
      setOver(false);
      onDrop([...(event.dataTransfer?.files ?? [])]);
    };
    const ends = new AbortController();
    const { signal } = ends;
    addEventListener('dragenter', enter, { signal });
    addEventListener('dragleave', leave, { signal });
    addEventListener('dragover', hover, { signal });
    addEventListener('drop', drop, { signal });
    return () => ends.abort();
  }, [onDrop]);
  if (!over) return null;
  return (
    <div className="veil" aria-hidden="true">
      <p>{words}</p>
    </div>
  );
}
