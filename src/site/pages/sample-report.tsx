import '../../business/files/list/dashboard.css';
import '../../business/analysis/site/analysis.css';
import '../../business/analysis/site/items.css';
import '../../business/analysis/site/tables.css';
import '../../business/analysis/viewer/viewer.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { SampleReportView } from '../../business/analysis/site/sample-report.web.tsx';
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
