import type { Block } from '@northline/document-reader/report.contract';
import { ChevronDown, ChevronUp } from 'lucide-react';
import { type KeyboardEvent, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { findInBlocks, MOST_FOUND } from './document-find.web.ts';
import type { MarkedCite } from './quote-jump.web.tsx';

/** Finds words in the document: Enter goes to the next place, Shift+Enter to the one before. */
export function FindBar({
  blocks,
  onShow,
}: {
  blocks: readonly Block[];
  onShow: (cite: MarkedCite) => void;
}) {
  const [wanted, setWanted] = useState('');
  const [at, setAt] = useState(-1);
  const searched = useDeferredValue(wanted);
  const found = useMemo(
    () => (searched.trim().length < 2 ? [] : findInBlocks(blocks, searched)),
    [blocks, searched],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: another search begins at its first place
  useEffect(() => setAt(-1), [found]);
  const go = (by: number): void => {
    if (found.length === 0) return;
    const next = at === -1 && by < 0 ? found.length - 1 : (at + by + found.length) % found.length;
    setAt(next);
    const cite = found[next];
    if (cite !== undefined) onShow({ ...cite, quiet: true });
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') {
      event.preventDefault();
      go(event.shiftKey ? -1 : 1);
    } else if (event.key === 'Escape') setWanted('');
  };
  return (
    <search className="find-bar" aria-label="In this document">
      <input
        type="search"
        value={wanted}
        placeholder="Find in this document"
        aria-label="Find in this document"
        onChange={(event) => setWanted(event.target.value)}
        onKeyDown={press}
      />
      <output className="num" aria-live="polite">
        {searched.trim().length < 2 ? '' : wordsFor(found.length, at)}
      </output>
      <button type="button" className="icon-btn" aria-label="Previous place" onClick={() => go(-1)}>
        <ChevronUp size={16} aria-hidden="true" />
      </button>
      <button type="button" className="icon-btn" aria-label="Next place" onClick={() => go(1)}>
        <ChevronDown size={16} aria-hidden="true" />
      </button>
    </search>
  );
}

function wordsFor(count: number, at: number): string {
  if (count === 0) return 'Nowhere';
  const all = count === MOST_FOUND ? `${count}+` : String(count);
  return at === -1 ? `${all} found` : `${at + 1} of ${all}`;
}
