import '../../business/files/list/dashboard.css';
import '../../business/documents/site/analysis.css';
import '../../business/documents/site/items.css';
import '../../business/documents/site/parts.css';
import '../../business/documents/site/tables.css';
import '../../business/documents/viewer/viewer.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { SharedReportPage } from '../../business/documents/site/shared-report.web.tsx';
import { Announcer } from '../../business/files/list/announcer.web.tsx';
import { queriesOf } from '../../ui/session/queries.ts';
import { PageShell } from '../frame/page-shell.tsx';

/** /shared: a report for anybody who has its link. */
export default function SharedPage() {
  return (
    <PageShell className="dash">
      <QueryClientProvider client={queriesOf('')}>
        <SharedReportPage />
        <Announcer />
      </QueryClientProvider>
    </PageShell>
  );
}
