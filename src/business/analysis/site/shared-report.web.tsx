import { useEffect, useMemo, useState } from 'react';
import { formatDate } from '../../../kernel/contract/dates.ts';
import { CallRefused } from '../../../ui/session/server-call.ts';
import { factsOf } from '../corrections/fact-correction.contract.ts';
import { KeyFacts } from '../corrections/key-facts.web.tsx';
import { ItemsTable } from '../items/items-table.web.tsx';
import { ObligationsList } from '../obligations/obligations-list.web.tsx';
import { SensitiveDataList } from '../sensitive/sensitive-data-list.web.tsx';
import type { SharedReport } from '../sharing/report-share.contract.ts';
import { readSharedReport } from '../sharing/report-share.web.ts';
import { JumpContext } from '../viewer/quote-jump.web.tsx';
import { useShownQuote, ViewerPlace } from '../viewer/viewer-place.web.tsx';
import { DocumentFacts, NeedsAttention, Summary } from './report-head.web.tsx';

/** The report that a link shows: everything that its owner sees but the file, and nothing to change. */
export function SharedReportPage() {
  const [shared, setShared] = useState<SharedReport>();
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    const ending = new AbortController();
    readSharedReport(location.hash.slice(1), ending.signal).then(setShared, (error: unknown) => {
      if (ending.signal.aborted) return;
      const said = error instanceof CallRefused ? error.sentence : undefined;
      setFault(said ?? 'The report could not be loaded. Check your connection and load the page again.');
    });
    return () => ending.abort();
  }, []);
  if (fault !== undefined) {
    return (
      <section className="panel empty report-state" role="alert">
        <h1>There is nothing to see here</h1>
        <p>{fault}</p>
      </section>
    );
  }
  if (shared === undefined) {
    return (
      <section className="report-state" aria-busy="true" aria-label="Loading the report">
        <h1 className="loading-title">A shared report</h1>
        <div className="panel file ghost" />
      </section>
    );
  }
  return <SharedView shared={shared} />;
}

function SharedView({
  shared: { report, blocks, corrections, file_name: name, expires_at: expires },
}: {
  shared: SharedReport;
}) {
  const quote = useShownQuote();
  const facts = useMemo(() => factsOf(report.fields, corrections), [report, corrections]);
  return (
    <JumpContext value={quote.jump}>
      <div className="lead-in report-head">
        <div>
          <p className="meta file-name">
            {name}, shared until {formatDate(new Date(expires))}
          </p>
          <h1>{report.document.title}</h1>
        </div>
      </div>
      <DocumentFacts report={report} />
      <div className="report">
        <div className="report-parts">
          <NeedsAttention items={report.attention} />
          <KeyFacts facts={facts} fileId={undefined} />
          <ItemsTable items={report.items} />
          <ObligationsList obligations={report.obligations} />
          <Summary report={report} />
          <SensitiveDataList pii={report.pii} />
        </div>
        <ViewerPlace file={undefined} blocks={blocks} quote={quote} />
      </div>
    </JumpContext>
  );
}
