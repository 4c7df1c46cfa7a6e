import { useCallback, useEffect, useState } from 'react';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { PAGES, SERVICES } from '../../../kernel/contract/routes.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { WrittenPage } from '../../../ui/parts/written-page.tsx';
import { CallRefused, callServer } from '../../../ui/session/server-call.ts';
import type { NewsArticle } from '../news-list.contract.ts';
import { NewsDate } from './news-section.web.tsx';

type ArticleState =
  | { is: 'loading' }
  | { is: 'failed' }
  | { is: 'missing' }
  | { is: 'shown'; article: NewsArticle };

/** The whole text of one of the agency's posts. */
export function ShowArticle({ id }: { id: string }) {
  const [state, setState] = useState<ArticleState>({ is: 'loading' });
  const load = useCallback(() => {
    setState({ is: 'loading' });
    callServer(`${SERVICES.newsArticle}?id=${encodeURIComponent(id)}`, { as: 'anyone' })
      .then((reply) => reply.json() as Promise<NewsArticle>)
      .then(
        (article) => {
          setState({ is: 'shown', article });
          document.title = document.title.replace(/^[^·]*/, `${article.title} `);
        },
        (error: unknown) => {
          const gone = error instanceof CallRefused && (error.status === 404 || error.status === 400);
          setState({ is: gone ? 'missing' : 'failed' });
        },
      );
  }, [id]);
  useEffect(load, [load]);
  if (state.is === 'loading') return <h1 aria-busy="true">News</h1>;
  if (state.is === 'missing') {
    return (
      <>
        <h1>This article is not here any more</h1>
        <p>
          <a href={PAGES.news.path}>See all news</a>
        </p>
      </>
    );
  }
  if (state.is === 'failed') {
    return (
      <div role="alert">
        <h1>{MESSAGES.news.heading}</h1>
        <p>{MESSAGES.news.text}</p>
        <Button look="quiet" small onClick={load}>
          Try again
        </Button>
      </div>
    );
  }
  const { title, date, content, url } = state.article;
  return (
    <article>
      <h1>{title}</h1>
      <p>
        <NewsDate date={date} />
      </p>
      <WrittenPage text={content} />
      {url !== null && (
        <p className="news-more">
          <a href={url}>Read more about it</a>
        </p>
      )}
      <p className="news-more">
        <a href={PAGES.news.path}>See all news</a>
      </p>
    </article>
  );
}
