import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { operatorQuery } from '../parts/operator-client.web.ts';
import { addressOf } from '../parts/record-address.web.ts';
import { shortTime } from '../parts/time-words.web.ts';
import {
  FEWEST_SEARCHED,
  SEARCH_KINDS,
  type SearchHit,
  type SearchHits,
  type SearchKind,
} from './console-search.contract.ts';

/** Typing is over after this, ms. */
const SETTLE_MS = 120;

const HEADINGS: Readonly<Record<SearchKind, string>> = {
  customer: 'Customers',
  enquiry: 'Enquiries',
  call: 'Calls',
  booking: 'Bookings',
  message: 'Messages',
  invoice: 'Invoices',
  lesson: 'Lessons',
};

/** Where a hit opens. */
function addressOfHit({ kind, id, owner }: SearchHit): string {
  switch (kind) {
    case 'customer':
      return addressOf(PAGES.operatorCustomers.path, id);
    case 'enquiry':
      return addressOf(PAGES.operatorEnquiries.path, id);
    case 'call':
      return addressOf(PAGES.operatorCalls.path, id);
    case 'booking':
      return addressOf(PAGES.operatorBookings.path, id);
    case 'message':
      return addressOf(PAGES.operatorMessages.path, owner ?? '');
    case 'invoice':
      return `${addressOf(PAGES.operatorCustomers.path, owner ?? '')}#${encodeURIComponent(id)}`;
    case 'lesson':
      return addressOf(PAGES.operatorCourses.path, id);
  }
}

/** One line of the results. */
interface Choice {
  readonly href: string;
  readonly title: string;
  readonly about: string;
  readonly note: string;
}

interface Section {
  readonly heading: string;
  readonly choices: readonly Choice[];
}

interface SearchPaletteProps {
  /** Pages of the console that can be gone to by their name. */
  readonly pages: readonly { readonly href: string; readonly name: string }[];
}

/** The search over everything, as a button of the console's bar; `/` and Ctrl+K open it too. */
export function SearchPalette({ pages }: SearchPaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState(false);
  const show = useEffectEvent((): void => {
    if (document.querySelector('dialog[open]') !== null) return;
    setOpen(true);
    dialog.current?.showModal();
  });
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      show();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return (
    <>
      <button
        type="button"
        className="console-find"
        id="console-find"
        aria-keyshortcuts="Control+K"
        onClick={() => {
          setOpen(true);
          dialog.current?.showModal();
        }}
      >
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13ZM15.4 15.4 20 20" />
        </svg>
        <span>Search</span>
        <span className="console-find-key" aria-hidden="true">
          Ctrl K
        </span>
      </button>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it for the keyboard */}
      <dialog
        ref={dialog}
        className="palette"
        aria-label="Search everything"
        onClose={() => setOpen(false)}
        onClick={(event) => {
          if (event.target === dialog.current) dialog.current.close();
        }}
      >
        {open && <Palette pages={pages} onDone={() => dialog.current?.close()} />}
      </dialog>
    </>
  );
}

/** What the server finds for the words once the typing is over. */
function useHits(words: string) {
  const [asked, setAsked] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setAsked(words.trim()), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [words]);
  const isAsked = asked.length >= FEWEST_SEARCHED;
  const query = useQuery({
    ...operatorQuery<SearchHits>('search', { q: asked }),
    enabled: isAsked,
    placeholderData: keepPreviousData,
  });
  return {
    hits: isAsked ? (query.data?.hits ?? []) : [],
    error: query.error,
    /** Whether what is shown is the answer to the words in the field. */
    isSettled: words.trim() === asked && (!isAsked || !(query.isPending || query.isPlaceholderData)),
  };
}

function Palette({ pages, onDone }: SearchPaletteProps & { onDone: () => void }) {
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const [hasEntered, setHasEntered] = useState(false);
  const [, navigate] = useLocation();
  const list = useId();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const { hits, error, isSettled } = useHits(words);
  const sections = sectionsOf(hits, pages, words.trim());
  const choices = sections.flatMap((section) => section.choices);
  const chosen = choices[Math.min(at, choices.length - 1)];
  const go = (choice: Choice): void => {
    onDone();
    navigate(choice.href);
  };
  const goNow = useEffectEvent(go);
  useEffect(() => {
    // Enter before the answer opens the first thing of the answer.
    if (hasEntered && isSettled && chosen !== undefined) goNow(chosen);
  }, [hasEntered, isSettled, chosen]);
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') setHasEntered(true);
    if (step === undefined || choices.length === 0) return;
    event.preventDefault();
    setAt((Math.min(at, choices.length - 1) + step + choices.length) % choices.length);
  };
  return (
    <>
      <input
        ref={field}
        type="search"
        role="combobox"
        aria-label="Search everything"
        aria-expanded={choices.length > 0}
        aria-controls={list}
        aria-activedescendant={chosen === undefined ? undefined : `${list}-${choices.indexOf(chosen)}`}
        placeholder="Name, address, phone or invoice number, words"
        autoComplete="off"
        maxLength={200}
        value={words}
        onChange={({ currentTarget }) => {
          setWords(currentTarget.value);
          setAt(0);
          setHasEntered(false);
        }}
        onKeyDown={press}
      />
      <Hits id={list} sections={sections} chosen={chosen} onGo={go} />
      <p className="palette-foot meta" aria-live="polite">
        {footOf(error, isSettled && words.trim() !== '', choices.length)}
      </p>
    </>
  );
}

interface HitsProps {
  readonly id: string;
  readonly sections: readonly Section[];
  readonly chosen: Choice | undefined;
  readonly onGo: (choice: Choice) => void;
}

/** The results, grouped by their kind. */
function Hits({ id, sections, chosen, onGo }: HitsProps) {
  const choices = sections.flatMap((section) => section.choices);
  return (
    <div className="palette-hits" id={id} role="listbox" aria-label="Results">
      {sections.map(({ heading, choices: shown }) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is no group of options
        <div role="group" aria-label={heading} key={heading}>
          <p className="meta" aria-hidden="true">
            {heading}
          </p>
          {shown.map((choice) => (
            <Hit
              key={choice.href + choice.about}
              id={`${id}-${choices.indexOf(choice)}`}
              choice={choice}
              isChosen={choice === chosen}
              onGo={() => onGo(choice)}
            />
          ))}
        </div>
      ))}
    </div>
  );
}

function footOf(error: Error | null, isSettled: boolean, count: number): string {
  if (error !== null) return error.message;
  if (isSettled && count === 0) return 'Nothing was found.';
  return 'Arrow keys choose, Enter opens, Escape closes.';
}

interface HitProps {
  readonly id: string;
  readonly choice: Choice;
  readonly isChosen: boolean;
  readonly onGo: () => void;
}

function Hit({ id, choice, isChosen, onGo }: HitProps) {
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isChosen) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  return (
    // The field keeps the focus and says which option is chosen (WAI-ARIA, combobox).
    // biome-ignore lint/a11y/useFocusableInteractive: see above
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    <div ref={row} id={id} role="option" aria-selected={isChosen} className="palette-hit" onClick={onGo}>
      <span>
        <b>{choice.title}</b>
        <span className="meta">{choice.about}</span>
      </span>
      <span className="meta num">{choice.note}</span>
    </div>
  );
}

function sectionsOf(
  hits: readonly SearchHit[],
  pages: SearchPaletteProps['pages'],
  words: string,
): Section[] {
  const named = pages.filter(({ name }) => name.toLowerCase().includes(words.toLowerCase()));
  return [
    ...SEARCH_KINDS.map((kind) => ({
      heading: HEADINGS[kind],
      choices: hits
        .filter((hit) => hit.kind === kind)
        .map((hit) => ({
          href: addressOfHit(hit),
          title: hit.title,
          about: hit.about,
          note: shortTime(hit.at),
        })),
    })),
    {
      heading: 'Go to',
      choices: named.map(({ href, name }) => ({ href, title: name, about: '', note: '' })),
    },
  ].filter(({ choices }) => choices.length > 0);
}
