import { useEffect, useState } from 'react';
import { formatDate } from '../../../kernel/contract/dates.ts';
import { CallRefused } from '../../../ui/session/server-call.ts';
import { NO_SUCH_LINK, type SharedReport } from '../sharing/report-share.contract.ts';
import { readSharedReport } from '../sharing/report-share.web.ts';
import { SharedScan } from '../sharing/shared-scan.web.tsx';
import { ReadReport } from './read-report.web.tsx';

/** The report that a link shows: everything that its owner sees except the file; a scan if the owner chose it. Nothing can be changed. */
export function SharedReportPage() {
  const [shared, setShared] = useState<SharedReport>();
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    const ending = new AbortController();
    const secret = location.hash.slice(1);
    if (secret === '') {
      setFault(NO_SUCH_LINK);
      return undefined;
    }
    readSharedReport(secret, ending.signal).then(setShared, (error: unknown) => {
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

function SharedView({ shared }: { shared: SharedReport }) {
  const { report, blocks, corrections, file_name: name, expires_at: expires } = shared;
  const head = `${name}, shared until ${formatDate(new Date(expires))}`;
  return (
    <>
      {shared.with_scan && <SharedScan name={name} />}
      <ReadReport report={report} blocks={blocks} corrections={corrections} head={head} file={undefined} />
    </>
  );
}
