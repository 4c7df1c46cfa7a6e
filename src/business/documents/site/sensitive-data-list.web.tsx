import type { Cite, SensitiveData } from '@northline/document-reader/report.contract';
import { SENSITIVE_NAMES } from '@northline/document-reader/sensitive-names.contract';
import { Button } from '../../../ui/parts/button.tsx';
import { CiteChip } from '../viewer/quote-jump.web.tsx';
import { masked, useSensitive } from '../viewer/sensitive-mask.web.tsx';

/** Sensitive data about people in the document, masked until the reader asks for it. */
export function SensitiveDataList({ pii = [] }: { pii: readonly SensitiveData[] | undefined }) {
  const { shown, setShown } = useSensitive();
  if (pii.length === 0) return null;
  const hasPlaces = pii.some(({ cites }) => cites.length > 0);
  return (
    <section className="panel pad sensitive" aria-labelledby="sensitive-title">
      <h2 id="sensitive-title">Sensitive data</h2>
      <ul>
        {pii.map(({ class: name, count, cites }) => (
          <li key={name}>
            <b>
              {SENSITIVE_NAMES[name]}
              {count > 1 && <span className="num"> ({count})</span>}
            </b>
            {cites.length > 0 && <Places cites={cites} shown={shown} count={count} />}
          </li>
        ))}
      </ul>
      {hasPlaces && (
        <Button small look="quiet" aria-pressed={shown} onClick={() => setShown(!shown)}>
          {shown ? 'Mask it again' : 'Show it'}
        </Button>
      )}
      <p className="meta">
        Found by labels and check digits, so other sensitive data may stand in the document.
        {!hasPlaces && ' The person who shared this left it out.'}
      </p>
    </section>
  );
}

const MOST_SHOWN = 12;

function Places({ cites, shown, count }: { cites: readonly Cite[]; shown: boolean; count: number }) {
  return (
    <ul className="places">
      {cites.slice(0, MOST_SHOWN).map((cite) => (
        <li key={`${cite.block}-${cite.start}`}>
          <span className="num">{shown ? cite.quote : masked(cite.quote)}</span>{' '}
          <CiteChip cite={cite} masked={shown ? undefined : masked(cite.quote)} />
        </li>
      ))}
      {count > MOST_SHOWN && <li className="meta">and {count - Math.min(MOST_SHOWN, cites.length)} more</li>}
    </ul>
  );
}
