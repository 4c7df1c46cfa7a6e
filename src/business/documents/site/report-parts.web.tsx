import { KIND_NAMES } from '@northline/document-reader/kind-names.contract';
import type { ReportPart } from '@northline/document-reader/report.contract';
import { factsOf } from '../corrections/fact-correction.contract.ts';
import { CiteChips } from '../viewer/quote-jump.web.tsx';
import { isMasked, masked, useSensitive } from '../viewer/sensitive-mask.web.tsx';

/**
 * The documents inside a file, each with its own kind, sentence, warnings and facts: attachments of a mail, and papers that
 * were scanned in one go.
 */
export function ReportParts({ parts = [] }: { parts: readonly ReportPart[] | undefined }) {
  if (parts.length === 0) return null;
  return (
    <section className="panel pad report-inner" aria-labelledby="parts-title">
      <h2 id="parts-title">
        Documents in this file <span className="num count">{parts.length}</span>
      </h2>
      <p className="meta">One upload takes one credit, however many documents are in the file.</p>
      <ol>
        {parts.map((part) => (
          <Part key={part.name} part={part} />
        ))}
      </ol>
    </section>
  );
}

function Part({ part }: { part: ReportPart }) {
  const { name, document, short, reason, unsure, attention, fields } = part;
  const sensitive = useSensitive();
  return (
    <li>
      <h3>{document?.title ?? name}</h3>
      <p className="meta">
        {name}
        {document !== undefined && document.kind !== 'other' && ` · ${KIND_NAMES[document.kind]}`}
        {unsure === true && ' · It is not certain that a document begins here.'}
      </p>
      {reason !== undefined && <p className="fault">{reason}</p>}
      {short !== '' && short !== document?.title && <p>{short}</p>}
      {attention.map(({ code, text, cites }) => (
        <p key={code + text} className="part-warning">
          {text} <CiteChips cites={cites} />
        </p>
      ))}
      {fields.length > 0 && (
        <dl>
          {factsOf(fields, []).map((fact) => {
            const hides = isMasked(fact.cites, sensitive);
            return (
              <div key={`${fact.key} ${fact.value}`}>
                <dt>{fact.label}</dt>
                <dd>
                  {hides ? masked(fact.value) : fact.value} <CiteChips cites={fact.cites} hidden={hides} />
                </dd>
              </div>
            );
          })}
        </dl>
      )}
    </li>
  );
}
