import type { Field, Report } from '@northline/document-reader/report.contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { useLocation } from 'wouter';
import { formatDate } from '../../../kernel/contract/dates.ts';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { CallRefused } from '../../../ui/session/server-call.ts';
import type { FileRecord } from '../../files/file-record.web.ts';
import { hasCalendarDays } from '../exports/report-export.contract.ts';
import { ReportExports } from '../exports/report-exports.web.tsx';
import { SHARE_DAYS } from './report-share.contract.ts';
import {
  deleteAnalysis,
  type ShareChoice,
  shareReport,
  sharesQuery,
  withdrawShare,
} from './report-share.web.ts';

/** The ways to pass a report on, and to delete it: files and links. */
export function ExportAndShare({
  file,
  facts,
  report,
}: {
  file: FileRecord;
  facts: readonly Field[];
  report: Pick<Report, 'pii' | 'coverage' | 'obligations' | 'parts'>;
}) {
  const isScan = (report.coverage.pagesOcr ?? []).length > 0;
  return (
    <section className="panel pad" aria-labelledby="take-away-title" id="take-away">
      <h2 id="take-away-title">Export and share</h2>
      <ReportExports
        fileId={file.id}
        fileName={file.file_name}
        isScan={isScan}
        hasDays={hasCalendarDays(facts, report)}
      />
      <Shares file={file} pii={report.pii} isScan={isScan} />
      <AnalysisEnd file={file} />
    </section>
  );
}

const WITHOUT =
  'Sensitive data that was found is blotted out in the link’s report and text. Anything else stays: look at it before you send it.';
const UNMARKED =
  'This report is from before sensitive data was marked: analyse the document again to leave it out.';

const failed = (error: unknown): void => {
  const said = error instanceof CallRefused ? error.sentence : undefined;
  toast.error(said ?? 'That did not come through. Try again.');
};

function Shares({ file, pii, isScan }: { file: FileRecord; pii: Report['pii']; isScan: boolean }) {
  const queries = useQueryClient();
  const shares = useQuery(sharesQuery(file.user_id, file.id));
  const [days, setDays] = useState<number>(7);
  const [choice, setChoice] = useState<ShareChoice>({ withoutSensitive: false, withScan: false });
  const [made, setMade] = useState<string>();
  const [busy, setBusy] = useState(false);
  const act = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    await work().catch(failed);
    await queries.invalidateQueries({ queryKey: ['files', file.user_id, file.id, 'shares'] });
    setBusy(false);
  };
  return (
    <>
      <h3>Share</h3>
      <p className="meta">
        Anybody with the link sees the report and the document’s text, not your file and nothing else of
        yours.
      </p>
      {isScan && <p className="meta">The scan is only there if you choose it.</p>}
      <div className="share-make">
        <label>
          For{' '}
          <select value={days} onChange={(event) => setDays(Number(event.target.value))}>
            {SHARE_DAYS.map((count) => (
              <option key={count} value={count}>
                {count === 1 ? '1 day' : `${count} days`}
              </option>
            ))}
          </select>
        </label>
        <label>
          <input
            type="checkbox"
            checked={choice.withoutSensitive}
            disabled={pii === undefined || choice.withScan}
            onChange={(event) => setChoice({ ...choice, withoutSensitive: event.target.checked })}
          />{' '}
          Leave sensitive data out
        </label>
        {isScan && (
          <label>
            <input
              type="checkbox"
              checked={choice.withScan}
              disabled={choice.withoutSensitive}
              onChange={(event) => setChoice({ ...choice, withScan: event.target.checked })}
            />{' '}
            With the scan as a searchable PDF
          </label>
        )}
        <Button
          small
          look="quiet"
          busy={busy}
          onClick={() => void act(async () => setMade(await shareReport(file.id, days, choice)))}
        >
          Make a link
        </Button>
      </div>
      <p className="meta">{pii === undefined ? UNMARKED : WITHOUT}</p>
      {made !== undefined && (
        <p className="share-made">
          <input readOnly value={made} aria-label="The link" onFocus={(event) => event.target.select()} />
          <span className="meta">Copy it now: it is not shown again.</span>
        </p>
      )}
      <ul className="shares">
        {(shares.data ?? []).map(
          ({ id, expires_at: expires, opened, without_sensitive: blotted, with_scan: scan }) => (
            <li key={id}>
              <span>
                Until {formatDate(new Date(expires))}, opened {opened === 1 ? 'once' : `${opened} times`}
                {blotted && ', without sensitive data'}
                {scan && ', with the scan'}
              </span>
              <Button small look="quiet" busy={busy} onClick={() => void act(() => withdrawShare(id))}>
                Withdraw
              </Button>
            </li>
          ),
        )}
      </ul>
    </>
  );
}

function AnalysisEnd({ file }: { file: FileRecord }) {
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [asked, setAsked] = useState(false);
  const [busy, setBusy] = useState(false);
  const remove = async (): Promise<void> => {
    setBusy(true);
    try {
      await deleteAnalysis(file.id);
      toast.success('Analysis deleted');
      navigate(PAGES.dashboard.path);
    } catch (error) {
      failed(error);
    } finally {
      setBusy(false);
      await queries.invalidateQueries({ queryKey: ['files'] });
    }
  };
  if (!asked) {
    return (
      <button type="button" className="text-btn" onClick={() => setAsked(true)}>
        Delete this analysis
      </button>
    );
  }
  return (
    <div className="analysis-end">
      <p>The report goes for good, with its corrections and links. The file stays.</p>
      <Button small look="danger" busy={busy} onClick={() => void remove()}>
        Delete the analysis
      </Button>{' '}
      <Button small look="quiet" onClick={() => setAsked(false)}>
        Keep it
      </Button>
    </div>
  );
}
