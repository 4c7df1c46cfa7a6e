import { ShowNews } from '../../features/news/show-news.web.tsx';
import { ShowStatistics } from '../../features/statistics/show-statistics.web.tsx';

/** Latest in AI news beside the four live statistics (`spec/site.md §2`). */
export function News() {
  return (
    <section className="stop news" id="news" aria-labelledby="news-title" data-near="">
      <h2 id="news-title">Latest in AI news</h2>
      <div className="news-grid">
        <ShowNews />
        <ShowStatistics />
      </div>
    </section>
  );
}
