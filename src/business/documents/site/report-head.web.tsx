import { KIND_NAMES } from '@northline/document-reader/kind-names.contract';
import type { Attention, Report } from '@northline/document-reader/report.contract';
import { formatCount } from '../../../kernel/contract/formats.ts';
import { CiteChips } from '../viewer/quote-jump.web.tsx';

const SEVERITY_WORDS: Record<Attention['severity'], string> = {
  info: 'Note',
  warn: 'Check',
  high: 'Warning',
};

/** Kind, language and length of the document. */
export function DocumentFacts({ report: { document, coverage } }: { report: Report }) {
  const { kind, kindConfidence, language, pages, words, readingMinutes } = document;
  const facts: [label: string, value: string][] = [
    [
      'Kind',
      kind === 'other'
        ? KIND_NAMES.other
        : `${KIND_NAMES[kind]}${kindConfidence < 0.75 ? ' (probably)' : ''}`,
    ],
    ['Language', language === null ? 'Too little to tell' : languageName(language)],
    ...(pages === null ? [] : [['Pages', pageCount(pages, coverage.pagesRead)] as [string, string]]),
    ['Words', formatCount(words)],
    ['Reading time', `${readingMinutes} min`],
  ];
  return (
    <dl className="doc-facts num">
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function pageCount(pages: number, read: number): string {
  return read < pages ? `${pages} (${read} read)` : String(pages);
}

/** The language's English name, or its code if the browser does not know it. */
export function languageName(code: string): string {
  try {
    return new Intl.DisplayNames('en-GB', { type: 'language' }).of(code) ?? code;
  } catch {
    return code;
  }
}

/** The short text, and the sentences that prove it, each with its place. */
export function Summary({ report: { summary, reportUrl } }: { report: Report }) {
  // If the short text consists of the points, the points alone are shown, with their places.
  const repeats =
    summary.short ===
    summary.points
      .slice(0, 2)
      .map(({ text }) => text)
      .join(' ');
  return (
    <section className="panel pad" aria-labelledby="summary-title">
      <h2 id="summary-title">Summary</h2>
      {!repeats && <p className="summary-short">{summary.short}</p>}
      {summary.points.length > 0 && (
        <ol className={repeats ? 'points only' : 'points'}>
          {summary.points.map((point) => (
            <li key={point.text}>
              {isQuoted(point) ? <q>{point.text}</q> : point.text} <CiteChips cites={point.cites} />
              {!point.verified && <span className="unverified"> Not found in the document</span>}
            </li>
          ))}
        </ol>
      )}
      {reportUrl !== undefined && (
        <p>
          <a href={reportUrl} rel="noreferrer noopener" target="_blank">
            The automation’s own report
          </a>
        </p>
      )}
    </section>
  );
}

/** Whether a point is a sentence of the document, word for word; a model's own words are not a quote. */
const isQuoted = ({ text, cites }: Report['summary']['points'][number]): boolean =>
  cites.some(({ quote }) => quote.replace(/\s+/g, ' ') === text);

/** Warnings for the owner. */
export function NeedsAttention({ items }: { items: readonly Attention[] }) {
  if (items.length === 0) return null;
  return (
    <section className="panel pad attention" aria-labelledby="attention-title">
      <h2 id="attention-title">Needs your attention</h2>
      <ul>
        {items.slice(0, 5).map((item) => (
          <li key={item.code + item.text} data-severity={item.severity}>
            <b className="tag">{SEVERITY_WORDS[item.severity]}</b>
            <span>
              {item.text} <CiteChips cites={item.cites} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
