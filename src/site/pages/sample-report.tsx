import '../../business/files/list/dashboard.css';
import '../../business/documents/site/analysis.css';
import '../../business/documents/site/items.css';
import '../../business/documents/site/parts.css';
import '../../business/documents/site/tables.css';
import '../../business/documents/viewer/viewer.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { SampleReportView } from '../../business/documents/site/sample-report.web.tsx';
import { Announcer } from '../../business/files/list/announcer.web.tsx';
import { queriesOf } from '../../ui/session/queries.ts';
import { PageShell } from '../frame/page-shell.tsx';

/** /sample-report: a whole report on a sample document, open to everybody. */
export default function SampleReportPage() {
  return (
    <PageShell className="dash">
      <QueryClientProvider client={queriesOf('')}>
        <SampleReportView />
        <Announcer />
      </QueryClientProvider>
    </PageShell>
  );
}
