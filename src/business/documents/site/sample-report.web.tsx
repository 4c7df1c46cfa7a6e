import { useQuery } from '@tanstack/react-query';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { Button, ButtonLink } from '../../../ui/parts/button.tsx';
import { SAMPLE, type SampleReport } from '../sharing/sample-report.contract.ts';
import { ReadReport } from './read-report.web.tsx';

async function fetchSample({ signal }: { signal: AbortSignal }): Promise<SampleReport> {
  const reply = await fetch(SAMPLE.report, { signal });
  if (!reply.ok) throw new Error('The sample report could not be loaded.');
  return reply.json() as Promise<SampleReport>;
}

const FILE = { id: 'sample', file_name: SAMPLE.fileName, file_path: '', address: SAMPLE.file };

/** A whole report on a sample document, for everybody, free and without an account. */
export function SampleReportView() {
  const sample = useQuery({
    queryKey: ['sample-report'],
    queryFn: fetchSample,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (sample.isError) {
    return (
      <section className="panel empty report-state" role="alert">
        <h1>The sample report could not be loaded</h1>
        <p>Check your connection and try again.</p>
        <Button look="quiet" onClick={() => void sample.refetch()}>
          Try again
        </Button>
      </section>
    );
  }
  if (sample.data === undefined) {
    return (
      <section className="report-state" aria-busy="true" aria-label="Loading the report">
        <h1 className="loading-title">A sample report</h1>
        <div className="panel file ghost" />
      </section>
    );
  }
  return (
    <>
      <section className="panel pad sample-note" aria-label="About this sample">
        <p>
          This is a sample. The document is made up; the report is what our program made of it, unchanged.
          Press the words beside a fact, and the document opens at their place.
        </p>
        <ButtonLink look="signal" small href={PAGES.signup.path}>
          Read your own
        </ButtonLink>
      </section>
      <ReadReport {...sample.data} corrections={[]} head={`${SAMPLE.fileName}, a sample`} file={FILE} />
    </>
  );
}
