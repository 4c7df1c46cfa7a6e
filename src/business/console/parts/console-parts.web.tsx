import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import { EmptyMark } from '../../../ui/parts/empty-mark.tsx';

/** Typing is over after this, ms. */
const SETTLE_MS = 250;

interface PageHeadProps {
  readonly heading: string;
  /** One line under the heading. */
  readonly about: ReactNode;
  /** What can be done beside the heading. */
  readonly children?: ReactNode;
}

/** The head of a page of the console. */
export function PageHead({ heading, about, children }: PageHeadProps) {
  return (
    <div className="lead-in">
      <div>
        <h1 tabIndex={-1}>{heading}</h1>
        <p className="meta">{about}</p>
      </div>
      {children}
    </div>
  );
}

interface SearchProps {
  label: string;
  onSettled: (words: string) => void;
}

/** A field that searches once the typing is over. */
export function SearchField({ label, onSettled }: SearchProps) {
  const [words, setWords] = useState('');
  const settled = useRef('');
  // The same words once more would take the reader back to the first page.
  const settle = useEffectEvent((said: string) => {
    if (said === settled.current) return;
    settled.current = said;
    onSettled(said);
  });
  useEffect(() => {
    const timer = setTimeout(() => settle(words.trim()), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [words]);
  return (
    <label className="field console-search">
      <span className="hidden-text">{label}</span>
      <input
        type="search"
        placeholder={label}
        value={words}
        maxLength={200}
        onChange={({ currentTarget }) => setWords(currentTarget.value)}
      />
    </label>
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly (readonly [Value, string])[];
  onChoose: (value: Value) => void;
}

/** A small select with its label in front. */
export function Choice<Value extends string>({ label, value, options, onChoose }: ChoiceProps<Value>) {
  return (
    <label className="field console-choice">
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value as Value)}>
        {options.map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

interface ListPagesProps {
  /** Where each page that was left ends; the newest last. */
  readonly ends: readonly string[];
  /** Where the next page begins; null on the last one. */
  readonly next: string | null;
  readonly onEnds: (ends: readonly string[]) => void;
}

/** Back and further in a list of several pages; nothing for one page. */
export function ListPages({ ends, next, onEnds }: ListPagesProps) {
  if (ends.length === 0 && next === null) return null;
  return (
    <div className="console-pages">
      <Button small look="quiet" disabled={ends.length === 0} onClick={() => onEnds(ends.slice(0, -1))}>
        Earlier in the list
      </Button>
      <Button small look="quiet" disabled={next === null} onClick={() => onEnds([...ends, next ?? ''])}>
        Further on
      </Button>
    </div>
  );
}

/** An empty state with one sentence. */
export function EmptyState({ children }: { children: ReactNode }) {
  return (
    <div className="panel empty">
      <EmptyMark />
      <p>{children}</p>
    </div>
  );
}
