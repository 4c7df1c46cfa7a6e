import { readOn } from '@northline/document-reader/past-days.contract';
import type { Block, Report } from '@northline/document-reader/report.contract';
import { type ReactNode, useMemo } from 'react';
import { type Correction, factsOf } from '../corrections/fact-correction.contract.ts';
import { KeyFacts } from '../corrections/key-facts.web.tsx';
import { JumpContext } from '../viewer/quote-jump.web.tsx';
import { SensitiveMask } from '../viewer/sensitive-mask.web.tsx';
import type { ViewedFile } from '../viewer/viewed-file.web.ts';
import { useShownQuote, ViewerPlace } from '../viewer/viewer-place.web.tsx';
import { DocumentTables } from './document-tables.web.tsx';
import { ItemsTable } from './items-table.web.tsx';
import { ObligationsList } from './obligations-list.web.tsx';
import { DocumentFacts, NeedsAttention, Summary } from './report-head.web.tsx';
import { ReportParts } from './report-parts.web.tsx';
import { SensitiveDataList } from './sensitive-data-list.web.tsx';

interface ReadReportProps {
  readonly report: Report;
  readonly blocks: readonly Block[];
  readonly corrections: readonly Correction[];
  /** Above the title: the owner, or the end of the link. */
  readonly head: ReactNode;
  /** The document, if it may be shown too. */
  readonly file: ViewedFile | undefined;
}

/** A report for people who read it and do not own it: they cannot change anything. */
export function ReadReport({ report: stored, blocks, corrections, head, file }: ReadReportProps) {
  const report = useMemo(() => readOn(stored, new Date().toISOString().slice(0, 10)), [stored]);
  const quote = useShownQuote();
  const facts = useMemo(() => factsOf(report.fields, corrections), [report, corrections]);
  return (
    <JumpContext value={quote.jump}>
      <div className="lead-in report-head">
        <div>
          <p className="meta file-name">{head}</p>
          <h1 className="cut-heading" title={report.document.title}>
            {report.document.title}
          </h1>
        </div>
      </div>
      <DocumentFacts report={report} />
      <div className="report">
        <SensitiveMask pii={report.pii}>
          <div className="report-parts">
            <Summary report={report} />
            <NeedsAttention items={report.attention} />
            <ReportParts parts={report.parts} />
            <KeyFacts facts={facts} fileId={undefined} />
            <ItemsTable items={report.items} />
            <DocumentTables tables={report.tables} leftOut={report.tablesLeftOut} />
            <ObligationsList obligations={report.obligations} />
            <SensitiveDataList pii={report.pii} />
          </div>
        </SensitiveMask>
        <ViewerPlace file={file} blocks={blocks} quote={quote} />
      </div>
    </JumpContext>
  );
}
