import type { PageOcr, Report } from '@northline/document-reader/report.contract';
import { CiteChip } from '../viewer/quote-jump.web.tsx';

/** The headings of the document, each with a link to its place. */
export function Outline({ outline }: Pick<Report, 'outline'>) {
  if (outline.length < 2) return null;
  return (
    <section className="panel pad" aria-labelledby="outline-title">
      <h2 id="outline-title">Outline</h2>
      <ol className="outline">
        {outline.map((entry) => (
          <li key={entry.cite.block} data-level={entry.level}>
            <span>{entry.text}</span> <CiteChip cite={entry.cite} />
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Fewer repetitions of a single word say nothing about a document: it is its heading, or a word of its form. */
const LEAST_OF_ONE_WORD = 5;

/** The document's repeated phrases; a single word only when it comes back often. */
export function KeyPhrases({ phrases: all }: Pick<Report, 'phrases'>) {
  const phrases = all.filter(
    ({ text, count }) => /\s/.test(text.trim()) || (count >= LEAST_OF_ONE_WORD && text !== text.toUpperCase()),
  );
  if (phrases.length === 0) return null;
  return (
    <section className="panel pad" aria-labelledby="phrases-title">
      <h2 id="phrases-title">Key phrases</h2>
      <ul className="phrases">
        {phrases.map(({ text, count }) => (
          <li key={text}>
            {text} <span className="num">{count}×</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** `Page 2 (93% sure), page 3 (88% sure, turned by 90°)`; many pages are summed up. */
function picturesRead(pages: readonly PageOcr[]): string {
  if (pages.length > MOST_PAGES_NAMED) {
    const mean = pages.reduce((sum, { confidence }) => sum + confidence, 0) / pages.length;
    return `${pages.length} pages (${Math.round(mean)}% sure on average)`;
  }
  return pages
    .map(({ page, confidence, turned }) => {
      const lay = turned === 0 ? '' : `, turned by ${turned}°`;
      return `page ${page} (${Math.round(confidence)}% sure${lay})`;
    })
    .join(', ')
    .replace(/^p/, 'P');
}

const MOST_PAGES_NAMED = 6;

/** How the report was made, and which parts could not be read. */
export function Quality({ report }: { report: Report }) {
  const { engine, coverage, warnings, document, timings, createdAt } = report;
  const ms = Object.values(timings).reduce((sum, value) => sum + value, 0);
  return (
    <section className="panel pad" aria-labelledby="quality-title">
      <h2 id="quality-title">Quality</h2>
      <dl className="facts num">
        <div>
          <dt>Analysed by</dt>
          <dd>{engine.name === 'local' ? 'The built-in analyser' : 'An automation'}</dd>
        </div>
        <div>
          <dt>On</dt>
          <dd>
            <time dateTime={createdAt}>
              {new Date(createdAt).toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' })}
            </time>
          </dd>
        </div>
        {document.pages !== null && (
          <div>
            <dt>Pages read</dt>
            <dd>
              {coverage.pagesRead} of {document.pages}
            </dd>
          </div>
        )}
        {coverage.pagesOcr !== undefined && coverage.pagesOcr.length > 0 && (
          <div>
            <dt>Read from pictures</dt>
            <dd>{picturesRead(coverage.pagesOcr)}</dd>
          </div>
        )}
        {coverage.pagesBlank !== undefined && coverage.pagesBlank.length > 0 && (
          <div>
            <dt>Blank pages</dt>
            <dd>{coverage.pagesBlank.join(', ')}</dd>
          </div>
        )}
        {ms > 0 && (
          <div>
            <dt>Reading took</dt>
            <dd>{(ms / 1000).toFixed(1)} s</dd>
          </div>
        )}
      </dl>
      {(warnings.length > 0 || coverage.pagesSkipped.length > 0) && (
        <ul className="warnings">
          {warnings.map(({ code, text }) => (
            <li key={code + text}>{text}</li>
          ))}
          {coverage.pagesSkipped.slice(0, 20).map(({ page, reason }) => (
            <li key={page}>
              Page {page}: {reason}.
            </li>
          ))}
        </ul>
      )}
      <p className="meta">
        Every quote was checked against the document’s text. Read the document before you act on it.
      </p>
    </section>
  );
}
