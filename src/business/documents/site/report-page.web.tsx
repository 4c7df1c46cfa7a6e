import { readOn } from '@northline/document-reader/past-days.contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useEffect, useMemo, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { MESSAGES } from '../../../kernel/contract/messages.ts';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { site } from '../../../ui/brand.ts';
import { Button, ButtonLink } from '../../../ui/parts/button.tsx';
import { EmptyMark } from '../../../ui/parts/empty-mark.tsx';
import { analyzeFile } from '../../files/actions/file-analysis.web.ts';
import type { FileRecord } from '../../files/file-record.web.ts';
import { isBeingAnalyzed, mayBeAnalyzed, pauseSentence } from '../../files/file-record.web.ts';
import { useChanges } from '../../files/list/change-subscription.web.ts';
import { ComparePanel } from '../comparison/comparison-panel.web.tsx';
import { factsOf } from '../corrections/fact-correction.contract.ts';
import { correctionsQuery } from '../corrections/fact-correction.web.ts';
import { KeyFacts } from '../corrections/key-facts.web.tsx';
import { OWN_KEY } from '../own-fields/own-field.contract.ts';
import { OwnFieldsPanel } from '../own-fields/own-fields-panel.web.tsx';
import { AskPanel } from '../questions/ask-panel.web.tsx';
import { ANALYSES_A_DAY } from '../requests/analysis-request.contract.ts';
import { SimilarDocuments } from '../search/similar-list.web.tsx';
import { ExportAndShare } from '../sharing/export-and-share.web.tsx';
import { StackSplit } from '../stacks/stack-split.web.tsx';
import { usePlaceOfAddress } from '../viewer/place-address.web.ts';
import { JumpContext } from '../viewer/quote-jump.web.tsx';
import { SensitiveMask } from '../viewer/sensitive-mask.web.tsx';
import { useShownQuote, ViewerPlace } from '../viewer/viewer-place.web.tsx';
import { DocumentTables } from './document-tables.web.tsx';
import { ItemsTable } from './items-table.web.tsx';
import { ObligationsList } from './obligations-list.web.tsx';
import { PasswordForm } from './password-form.web.tsx';
import { ReadReport } from './read-report.web.tsx';
import { KeyPhrases, Outline, Quality } from './report-details.web.tsx';
import { DocumentFacts, NeedsAttention, Summary } from './report-head.web.tsx';
import { ReportParts } from './report-parts.web.tsx';
import { fileQuery, reportQuery, type StoredReport } from './report-read.web.ts';
import { SensitiveDataList } from './sensitive-data-list.web.tsx';

/** The report of one file, for every state of the file. */
export function ReportPage({ userId, fileId }: { userId: string; fileId: string }) {
  useChanges(userId, null);
  const file = useQuery(fileQuery(userId, fileId));
  const version = file.data?.analyzed ? file.data.updated_at : '';
  const stored = useQuery({ ...reportQuery(userId, fileId, version), enabled: version !== '' });
  // A long report is drawn in slices, so that a tap meanwhile is answered.
  const drawn = useDeferredValue(stored.data);
  const name = file.data?.file_name;
  useEffect(() => {
    if (name !== undefined) document.title = `${name} · ${site.brand}`;
  }, [name]);
  if (file.isPending) return <Loading />;
  if (file.isError || stored.isError) {
    const retry = (): void =>
      void Promise.all([file.refetch(), version === '' ? undefined : stored.refetch()]);
    return (
      <State title="The report could not be loaded">
        <p className="meta">Check your connection and try again.</p>
        <Button look="quiet" onClick={retry}>
          Try again
        </Button>
      </State>
    );
  }
  if (file.data === null) {
    return (
      <State title="There is no such document">
        <p className="meta">It may have been deleted, or it belongs to another account.</p>
        <ButtonLink look="quiet" href={PAGES.dashboard.path}>
          Back to Files
        </ButtonLink>
      </State>
    );
  }
  if (version !== '' && (stored.isPending || drawn === undefined))
    return <Loading name={file.data.file_name} />;
  const isOwn = file.data.user_id === userId;
  if (!isOwn) return <TeamReport file={file.data} stored={drawn ?? undefined} />;
  if (drawn) return <ReportView file={file.data} stored={drawn} />;
  return <WithoutReport file={file.data} />;
}

/** A file that somebody of the team shares: the report can only be read. */
function TeamReport({ file, stored }: { file: FileRecord; stored: StoredReport | undefined }) {
  const corrections = useQuery(correctionsQuery(file.user_id, file.id));
  if (stored === undefined) {
    return (
      <State title="Not analysed yet" name={file.file_name}>
        <p className="meta">The person who shares it with your team can analyse it.</p>
      </State>
    );
  }
  return (
    <ReadReport
      {...stored}
      corrections={corrections.data ?? []}
      head={`${file.file_name}, shown by your team`}
      file={file}
    />
  );
}

/** A file that waits, failed, is locked, or was never analysed. */
function WithoutReport({ file }: { file: FileRecord }) {
  const pause = pauseSentence(file);
  if (pause !== undefined) {
    return (
      <State title="Waiting to be analysed" name={file.file_name}>
        <p>{pause}</p>
        <p className="meta">The report appears here by itself.</p>
      </State>
    );
  }
  if (isBeingAnalyzed(file)) {
    return (
      <State
        title={file.status === 'queued' ? 'Waiting to be analysed' : 'Analyzing...'}
        name={file.file_name}
      >
        <progress max={100} value={file.progress ?? undefined} aria-label="Progress of the analysis" />
        <p className="meta">The report appears here by itself.</p>
      </State>
    );
  }
  if (file.status === 'needs_password') {
    return (
      <State title="This document needs a password" name={file.file_name}>
        <p>{file.status_reason}</p>
        <PasswordForm file={file} />
        <ButtonLink look="quiet" href={PAGES.dashboard.path}>
          Back to Files
        </ButtonLink>
      </State>
    );
  }
  const failed = file.status === 'failed';
  if (!mayBeAnalyzed(file)) {
    return (
      <State title="This document cannot be read" name={file.file_name}>
        <p className="fault">{file.status_reason ?? 'No reason was given.'}</p>
        <ButtonLink look="quiet" href={PAGES.dashboard.path}>
          Back to Files
        </ButtonLink>
      </State>
    );
  }
  return (
    <State title={failed ? 'The analysis failed' : 'Not analysed yet'} name={file.file_name}>
      {failed && <p className="fault">{file.status_reason ?? 'No reason was given.'}</p>}
      <p className="meta">Analysing is free, up to {ANALYSES_A_DAY} times a day.</p>
      <AnalyzeButton file={file}>{failed ? 'Try again' : 'Analyze'}</AnalyzeButton>
    </State>
  );
}

function AnalyzeButton({
  file,
  look = 'signal',
  children,
}: {
  file: FileRecord;
  look?: 'signal' | 'quiet';
  children: ReactNode;
}) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const analyze = async (): Promise<void> => {
    setBusy(true);
    try {
      await analyzeFile(file);
      toast.success(MESSAGES.analysis.started);
    } catch (error) {
      toast.error(error instanceof Error ? error.message : MESSAGES.analysis.failed);
    } finally {
      await queries.invalidateQueries({ queryKey: ['files'] });
      setBusy(false);
    }
  };
  return (
    <Button look={look} small={look === 'quiet'} busy={busy} onClick={() => void analyze()}>
      {children}
    </Button>
  );
}

function ReportView({ file, stored }: { file: FileRecord; stored: StoredReport }) {
  const { blocks } = stored;
  const report = useMemo(() => readOn(stored.report, new Date().toISOString().slice(0, 10)), [stored]);
  const quote = useShownQuote();
  usePlaceOfAddress(blocks, quote);
  const corrections = useQuery(correctionsQuery(file.user_id, file.id));
  const facts = useMemo(
    // The customer's own fields have a panel of their own.
    () => factsOf(report.fields, corrections.data ?? []).filter(({ key }) => !key.startsWith(OWN_KEY)),
    [report, corrections.data],
  );
  const busy = isBeingAnalyzed(file);
  const pause = pauseSentence(file);
  return (
    <JumpContext value={quote.jump}>
      <div className="lead-in report-head">
        <div>
          <p className="meta file-name">{file.file_name}</p>
          <h1 className="cut-heading" title={report.document.title}>
            {report.document.title}
          </h1>
        </div>
        <a className="btn quiet small" href="#take-away">
          Export and share
        </a>
        <AnalyzeButton file={file} look="quiet">
          {busy ? 'Analyzing...' : 'Analyze again'}
        </AnalyzeButton>
      </div>
      {file.status === 'failed' && (
        <p className="fault" role="alert">
          The latest analysis failed: {file.status_reason} This is the report from before.
        </p>
      )}
      {file.status === 'needs_password' && (
        <div className="panel pad">
          <p>{file.status_reason}</p>
          <PasswordForm file={file} />
        </div>
      )}
      {pause !== undefined && <p className="meta">{pause}</p>}
      <DocumentFacts report={report} />
      <div className="report">
        <SensitiveMask pii={report.pii}>
          <div className="report-parts">
            <Summary report={report} />
            <NeedsAttention items={report.attention} />
            <ReportParts parts={report.parts} />
            <StackSplit key={report.createdAt} file={file} report={report} />
            <KeyFacts facts={facts} fileId={file.id} />
            <OwnFieldsPanel
              userId={file.user_id}
              fileId={file.id}
              kind={report.document.kind}
              blocks={blocks}
              onOpen={quote.openSheet}
              onClose={quote.back}
            />
            <ItemsTable items={report.items} />
            <DocumentTables tables={report.tables} leftOut={report.tablesLeftOut} />
            <ObligationsList obligations={report.obligations} />
            <AskPanel fileId={file.id} kind={report.document.kind} />
            <Outline outline={report.outline} />
            <KeyPhrases phrases={report.phrases} />
            <SensitiveDataList pii={report.pii} />
            <SimilarDocuments userId={file.user_id} fileId={file.id} />
            <ComparePanel userId={file.user_id} fileId={file.id} />
            <Quality report={report} />
            <ExportAndShare file={file} facts={facts} report={report} />
          </div>
        </SensitiveMask>
        <ViewerPlace file={file} blocks={blocks} quote={quote} />
      </div>
    </JumpContext>
  );
}

function State({ title, name, children }: { title: string; name?: string; children: ReactNode }) {
  return (
    <section className="panel empty report-state" aria-live="polite">
      <EmptyMark />
      <h1>{title}</h1>
      {name !== undefined && <p className="meta file-name">{name}</p>}
      {children}
    </section>
  );
}

/** A placeholder in the form of a report while that is loading. */
export function Loading({ name }: { name?: string }) {
  return (
    <section className="report-state" aria-busy="true" aria-label="Loading the report">
      <h1 className="loading-title cut-heading">{name ?? 'Analysis'}</h1>
      <div className="panel file ghost" />
      <div className="panel file ghost" />
      <div className="panel file ghost" />
    </section>
  );
}
