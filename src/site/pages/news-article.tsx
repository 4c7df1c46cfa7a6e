import { useParams } from 'wouter';
import { ShowArticle } from '../../business/news/site/news-article.web.tsx';
import { PageShell } from '../frame/page-shell.tsx';

/** /news/{id}: one post of the agency. */
export default function NewsArticlePage() {
  const { newsId = '' } = useParams<{ newsId: string }>();
  return (
    <PageShell className="prose news-page">
      <ShowArticle key={newsId} id={newsId} />
    </PageShell>
  );
}
