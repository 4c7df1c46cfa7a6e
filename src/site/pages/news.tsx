import { MOST_NEWS } from '../../business/news/news-list.contract.ts';
import { ShowNews } from '../../business/news/site/news-section.web.tsx';
import { PageShell } from '../frame/page-shell.tsx';

/** /news: the agency's posts, and articles of the feeds with their source. */
export default function NewsPage() {
  return (
    <PageShell className="prose news-page">
      <h1>News</h1>
      <ShowNews most={MOST_NEWS} heading="h2" />
    </PageShell>
  );
}
