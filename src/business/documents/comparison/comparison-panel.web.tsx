import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { callServer } from '../../../ui/session/server-call.ts';
import { similarQuery } from '../search/search-read.web.ts';
import { CiteChip } from '../viewer/quote-jump.web.tsx';
import {
  type ChangedFact,
  COMPARE_DOCUMENTS,
  type DocumentComparison,
  type TextChange,
} from './document-comparison.contract.ts';

/** Compares the shown document with a similar one: two versions of a contract, two invoices from one supplier. */
export function ComparePanel({ userId, fileId }: { userId: string; fileId: string }) {
  const { data: similar = [] } = useQuery(similarQuery(userId, fileId));
  const [other, setOther] = useState('');
  const choice = useId();
  const comparison = useQuery({
    queryKey: ['files', userId, fileId, 'compared', other],
    enabled: other !== '',
    queryFn: async ({ signal }): Promise<DocumentComparison> => {
      const body = { file_id: fileId, other_id: other };
      const reply = await callServer(COMPARE_DOCUMENTS, { as: 'user', body, signal });
      return reply.json() as Promise<DocumentComparison>;
    },
  });
  if (similar.length === 0) return null;
  return (
    <section className="panel pad compare" aria-labelledby="compare-title">
      <h2 id="compare-title">Compare</h2>
      <label htmlFor={choice}>With a document like this one</label>
      <select id={choice} value={other} onChange={(event) => setOther(event.currentTarget.value)}>
        <option value="">Choose a document</option>
        {similar.map(({ file_id: id, file_name: name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <div aria-live="polite">
        {comparison.isFetching && <p className="meta">Comparing…</p>}
        {comparison.isError && <p className="fault">{comparison.error.message}</p>}
        {other !== '' && comparison.data !== undefined && (
          <Differences comparison={comparison.data} fileId={fileId} />
        )}
      </div>
    </section>
  );
}

function Differences({ comparison, fileId }: { comparison: DocumentComparison; fileId: string }) {
  const { earlier, later, facts, changes, unlisted, same, ordered } = comparison;
  const isLater = later.file_id === fileId;
  return (
    <>
      <p className="meta">
        From {earlier.file_name} to {later.file_name}: {changes.length + unlisted} paragraphs changed, {same}{' '}
        the same.
        {!ordered && ' They differ so much that the order of their paragraphs was not compared.'}
      </p>
      {facts.length > 0 && <FactTable facts={facts} names={[earlier.file_name, later.file_name]} />}
      {changes.length === 0 && <p>Their texts are the same.</p>}
      <ol className="changes">
        {changes.map((change) => (
          <li key={`${change.before?.block}-${change.after?.block}`} className={change.kind}>
            <Change change={change} cite={isLater ? change.after : change.before} />
          </li>
        ))}
      </ol>
      {unlisted > 0 && <p className="meta">{unlisted} further changes are not listed.</p>}
    </>
  );
}

function FactTable({ facts, names }: { facts: readonly ChangedFact[]; names: readonly [string, string] }) {
  return (
    <div className="scroll-x">
      <table className="changed-facts">
        <thead>
          <tr>
            <th scope="col">Fact</th>
            <th scope="col">{names[0]}</th>
            <th scope="col">{names[1]}</th>
          </tr>
        </thead>
        <tbody>
          {facts.map(({ key, label, before, after }) => (
            <tr key={`${key}-${before}-${after}`}>
              <th scope="row">{label}</th>
              <td>{before ?? '–'}</td>
              <td>{after ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const NAMES = { added: 'Added', removed: 'Removed', changed: 'Changed' } as const;

function Change({ change, cite }: { change: TextChange; cite: TextChange['before'] }) {
  let at = 0;
  return (
    <>
      <p className="meta">
        {NAMES[change.kind]} {cite !== undefined && <CiteChip cite={cite} />}
      </p>
      <p>
        {change.parts.map(({ text, mark }) => {
          at += text.length;
          if (mark === 'added') return <ins key={at}>{text}</ins>;
          return mark === 'removed' ? <del key={at}>{text}</del> : <span key={at}>{text}</span>;
        })}
      </p>
    </>
  );
}
