import { useCallback, useEffect, useState } from 'react';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { callServer } from '../../../ui/session/server-call.ts';

/** A news item in the function's reply (docs/specification/site.md §3). */
interface NewsItem {
  readonly title: string;
  readonly date: string;
  readonly content: string;
  readonly url: string;
}

type NewsState = { is: 'loading' } | { is: 'failed' } | { is: 'shown'; items: readonly NewsItem[] };

const SHOWN = 5;

/** @throws Error when the function fails or its reply has another shape */
async function fetchNews(): Promise<NewsItem[]> {
  const reply = await callServer(SERVICES.news, { as: 'anyone' });
  const body: unknown = await reply.json();
  if (!Array.isArray(body)) throw new Error(MESSAGES.news.failed);
  return body as NewsItem[];
}

/**
 * The newest `most` news items, or the sentence of docs/specification/site.md §2 and a button to try again.
 */
export function ShowNews({ most = SHOWN, heading = 'h3' }: { most?: number; heading?: 'h2' | 'h3' }) {
  const [state, setState] = useState<NewsState>({ is: 'loading' });
  const load = useCallback(() => {
    setState({ is: 'loading' });
    fetchNews().then(
      (items) => setState({ is: 'shown', items }),
      () => setState({ is: 'failed' }),
    );
  }, []);
  useEffect(load, [load]);
  return (
    <div className="news-list" aria-busy={state.is === 'loading'}>
      {state.is === 'loading' ? <Loading /> : null}
      {state.is === 'failed' ? (
        <div className="news-failed" role="status">
          <h3>{MESSAGES.news.heading}</h3>
          <p>{MESSAGES.news.text}</p>
          <Button look="quiet" small onClick={load}>
            Try again
          </Button>
        </div>
      ) : null}
      {state.is === 'shown' ? <Items items={state.items.slice(0, most)} heading={heading} /> : null}
    </div>
  );
}

function Loading() {
  return (
    <>
      <p className="hidden-text">Loading the news</p>
      <noscript>
        <p>The news are fetched by a script, which this browser does not run.</p>
      </noscript>
      {[1, 2, 3].map((row) => (
        <div key={row} className="news-waiting" aria-hidden="true">
          <i />
          <i />
          <i />
        </div>
      ))}
    </>
  );
}

function Items({ items, heading: Heading }: { items: readonly NewsItem[]; heading: 'h2' | 'h3' }) {
  if (items.length === 0) return <p className="meta">No news today. Quiet days happen.</p>;
  return (
    <ul>
      {items.map((item) => (
        <li key={`${item.url} ${item.title}`}>
          <p className="meta news-line">
            <NewsDate date={item.date} />
            <Source url={item.url} />
          </p>
          <Heading>{isWebAddress(item.url) ? <a href={item.url}>{item.title}</a> : item.title}</Heading>
          <p className="news-words">{item.content}</p>
        </li>
      ))}
    </ul>
  );
}

/** The source of an article from a feed; nothing for own posts. */
function Source({ url }: { url: string }) {
  const host = URL.parse(url, location.origin)?.host ?? '';
  return host === location.host || host === '' ? null : <span> · {host.replace(/^www\./, '')}</span>;
}

/** The day of a news item. */
export function NewsDate({ date }: { date: string }) {
  const at = new Date(date);
  if (Number.isNaN(at.getTime())) return <span className="meta">{date}</span>;
  const words = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' }).format(
    at,
  );
  return (
    <time className="meta" dateTime={at.toISOString()}>
      {words}
    </time>
  );
}

/** Feeds come from other people: an address must be that of a web page and nothing else. */
function isWebAddress(url: string): boolean {
  return /^https?:$/.test(URL.parse(url, location.origin)?.protocol ?? '');
}
