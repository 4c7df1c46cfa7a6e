import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { Button, ButtonLink } from '../../../ui/parts/button.tsx';
import { EmptyMark } from '../../../ui/parts/empty-mark.tsx';
import { AskPanel } from '../questions/ask-panel.web.tsx';
import { LONGEST_SEARCH, type SearchAnswer, type SearchHit } from '../search/document-search.contract.ts';
import { searchQuery } from '../search/search-read.web.ts';
import { placePath } from '../viewer/place-address.web.ts';

/** Search over all of a customer's documents: passages with marked words, each with a link to its place. */
export function SearchPage() {
  const [parameters] = useSearchParams();
  const [, navigate] = useLocation();
  const query = parameters.get('q')?.trim() ?? '';
  const answer = useQuery(searchQuery(query));
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const wanted = String(new FormData(event.currentTarget).get('q') ?? '').trim();
    navigate(`${PAGES.search.path}${wanted === '' ? '' : `?q=${encodeURIComponent(wanted)}`}`);
  };
  return (
    <>
      <div className="lead-in">
        <div>
          <h1 tabIndex={-1}>Search</h1>
          <p className="meta">In the text of all documents that have been analysed.</p>
        </div>
      </div>
      <search>
        <form className="search-form" onSubmit={submit}>
          <SearchField query={query} />
          <Button look="signal" type="submit" busy={answer.isFetching}>
            Search
          </Button>
        </form>
      </search>
      <div aria-live="polite" aria-busy={answer.isFetching}>
        {answer.isError ? (
          <p className="fault">The search did not come through. Check your connection and try again.</p>
        ) : answer.data === undefined ? (
          query === '' && (
            <>
              <Hint />
              <AskPanel />
            </>
          )
        ) : (
          <Results answer={answer.data} query={query} />
        )}
      </div>
    </>
  );
}

function SearchField({ query }: { query: string }) {
  const [value, setValue] = useState(query);
  useEffect(() => setValue(query), [query]);
  return (
    <input
      type="search"
      name="q"
      value={value}
      maxLength={LONGEST_SEARCH}
      onChange={(event) => setValue(event.target.value)}
      placeholder="notice period, “Harbour & Field”, -draft"
      aria-label="Search in your documents"
    />
  );
}

function Hint() {
  return (
    <p className="meta search-hint">
      Words in any form are found; “quoted words” only together; a word with - in front must not be there. A
      misspelt word finds what is written like it.
    </p>
  );
}

function Results({
  answer: { how, hits, instead, waiting },
  query,
}: {
  answer: SearchAnswer;
  query: string;
}) {
  const files = new Set(hits.map(({ file_id: id }) => id)).size;
  return (
    <>
      {waiting > 0 && (
        <p className="meta">
          {waiting === 1 ? 'One document is' : `${waiting} documents are`} not searchable yet: try again in a
          moment.
        </p>
      )}
      {how === 'nothing' ? (
        <section className="panel empty">
          <EmptyMark />
          <h2>Nothing has “{query}”</h2>
          <p className="meta">Only documents with a report are searched. Try fewer or other words.</p>
          <ButtonLink look="quiet" href={PAGES.dashboard.path}>
            Back to Files
          </ButtonLink>
        </section>
      ) : (
        <>
          <p className="search-count">{wordsFor(how, instead, query, { places: hits.length, files })}</p>
          <ol className="hits">
            {hits.map((hit) => (
              <Hit key={`${hit.file_id} ${hit.cite.block} ${hit.cite.start}`} hit={hit} />
            ))}
          </ol>
        </>
      )}
    </>
  );
}

function wordsFor(
  how: SearchAnswer['how'],
  instead: readonly string[],
  query: string,
  { places, files }: { places: number; files: number },
): string {
  const count = `${places} ${places === 1 ? 'place' : 'places'} in ${files} ${files === 1 ? 'document' : 'documents'}`;
  if (how === 'similar')
    return `Nothing has “${query}”. ${count} for “${instead.join(' ')}”, which is written like it.`;
  if (how === 'some') return `No passage has all the words of “${query}”. ${count} with some of them.`;
  return how === 'letters' ? `${count} hold these letters.` : `${count}.`;
}

/** A found passage; its link shows the place in the document. */
function Hit({ hit }: { hit: SearchHit }) {
  return (
    <li className="panel hit">
      <p className="hit-head">
        <Link href={placePath(hit.file_id, hit.cite)}>{hit.title}</Link>{' '}
        <span className="meta">
          {hit.file_name}
          {hit.page === null ? '' : `, page ${hit.page}`}
        </span>
      </p>
      <p className="hit-text">
        {hit.snippet.map(({ text, hit: isHit }, index) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not move
          isHit ? <mark key={index}>{text}</mark> : text,
        )}
      </p>
    </li>
  );
}
