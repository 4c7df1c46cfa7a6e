import type { Obligation } from '@northline/document-reader/report.contract';
import { formatIsoDay } from '../../../kernel/contract/dates.ts';
import { CiteChips } from '../viewer/quote-jump.web.tsx';

const KINDS: Readonly<Record<Obligation['kind'], string>> = {
  notice_day: 'Notice',
  renewal: 'Renewal',
  duty: 'Duty',
};

/** The duties of each party and their days; those with a day come first. */
export function ObligationsList({ obligations = [] }: { obligations: readonly Obligation[] | undefined }) {
  if (obligations.length === 0) return null;
  const sorted = [...obligations].sort((a, b) => (a.deadline ?? '9').localeCompare(b.deadline ?? '9'));
  return (
    <section className="panel pad attention obligations" aria-labelledby="obligations-title">
      <h2 id="obligations-title">Obligations</h2>
      <ul>
        {sorted.map(({ kind, party, text, deadline, cites }) => (
          <li key={text} data-severity={deadline === undefined ? 'info' : 'warn'}>
            <b className="tag">{party ?? KINDS[kind]}</b>
            <span>
              {text}{' '}
              {deadline !== undefined && kind !== 'notice_day' && (
                <strong>By {formatIsoDay(deadline)}. </strong>
              )}
              <CiteChips cites={cites} />
            </span>
          </li>
        ))}
      </ul>
      <p className="meta">
        Sentences that bind a party, word for word. Duties in other words are not listed.
      </p>
    </section>
  );
}
