import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Download, Eye } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { Link } from 'wouter';
import { formatBytes } from '../../../kernel/contract/formats.ts';
import { analysisPath } from '../../../kernel/contract/routes.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { downloadFile } from '../../files/actions/file-download.web.ts';
import type { FileRecord } from '../../files/file-record.web.ts';
import { useTeamChanges } from './team-changes.web.ts';
import { nameOf, showToTeam, teamFilesQuery, teamQuery } from './team-read.web.ts';

/**
 * In the bar of chosen files: shows them to the team or stops showing them. Nothing for a user without a
 * team.
 */
export function TeamChoice({ files }: { files: readonly FileRecord[] }) {
  const userId = files[0]?.user_id ?? '';
  const team = useQuery({ ...teamQuery(userId), enabled: userId !== '' }).data?.team;
  const shown = useQuery({ ...teamFilesQuery(userId), enabled: team != null });
  const { busy, show } = useShowing(userId, team?.id ?? '');
  if (team == null || team.role === 'billing' || shown.data === undefined) return null;
  const ids = new Set(shown.data.map(({ file }) => file.id));
  const areShown = files.every(({ id }) => ids.has(id));
  return (
    <Button small look="quiet" busy={busy} onClick={() => void show(files, !areShown)}>
      {areShown ? 'Hide from the team' : 'Show to the team'}
    </Button>
  );
}

/** Shows own files to the team or hides them, and reports which. */
function useShowing(userId: string, teamId: string) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const show = async (files: readonly FileRecord[], shown: boolean): Promise<void> => {
    setBusy(true);
    try {
      await showToTeam(files, teamId, shown);
      const what = files.length === 1 ? (files[0]?.file_name ?? '') : `${files.length} files`;
      toast.success(shown ? `Your team sees ${what} now` : `Your team no longer sees ${what}`);
    } catch (error) {
      toast.error((error as Error).message);
    } finally {
      await queries.invalidateQueries({ queryKey: teamFilesQuery(userId).queryKey });
      setBusy(false);
    }
  };
  return { busy, show };
}

/** Rows that are added to the page at a time. */
const ROWS = 50;

/**
 * Below the user's own lists: all files shown to the team, including the user's. Nothing for a user without a
 * team.
 */
export function TeamFiles({ userId }: { userId: string }) {
  const team = useQuery(teamQuery(userId)).data?.team;
  useTeamChanges(userId, team?.id);
  const files = useQuery({ ...teamFilesQuery(userId), enabled: team != null });
  const [most, setMost] = useState(ROWS);
  if (team == null || team.role === 'billing') return null;
  const all = files.data;
  return (
    <section aria-labelledby="team-files" aria-busy={files.isPending}>
      <h2 id="team-files">
        Files of {team.name} {all !== undefined && <span className="num count">{all.length}</span>}
      </h2>
      {files.isError && (
        <p className="panel pad fault" role="alert">
          {files.error.message}{' '}
          <button type="button" className="text-btn" onClick={() => void files.refetch()}>
            Try again
          </button>
        </p>
      )}
      {all?.length === 0 && (
        <p className="panel pad meta">
          Nobody shows a file to the team yet. Choose some of yours, and show them.
        </p>
      )}
      {all !== undefined && all.length > 0 && (
        <ul className="panel rows team-rows">
          {all.slice(0, most).map(({ file, shared_by: owner }) => (
            <li key={file.id}>
              <span className="name">
                <b>{file.file_name}</b>
                <span className="meta num">
                  {formatBytes(file.file_size)},{' '}
                  {owner === userId ? 'yours' : `of ${nameOf(team.members, owner)}`}
                </span>
              </span>
              {owner === userId ? <OwnActs file={file} teamId={team.id} /> : <OthersActs file={file} />}
            </li>
          ))}
        </ul>
      )}
      {all !== undefined && all.length > most && (
        <Button look="quiet" className="more-rows" onClick={() => setMost(most + ROWS)}>
          Show {Math.min(ROWS, all.length - most)} more
        </Button>
      )}
    </section>
  );
}

function OwnActs({ file, teamId }: { file: FileRecord; teamId: string }) {
  const { busy, show } = useShowing(file.user_id, teamId);
  return (
    <span className="acts">
      <Button
        small
        look="quiet"
        busy={busy}
        aria-label={`Hide from the team: ${file.file_name}`}
        onClick={() => void show([file], false)}
      >
        Hide from the team
      </Button>
    </span>
  );
}

function OthersActs({ file }: { file: FileRecord }) {
  const [busy, setBusy] = useState(false);
  const download = async (): Promise<void> => {
    setBusy(true);
    try {
      await downloadFile(file);
    } catch (error) {
      toast.error((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <span className="acts">
      {file.analyzed && (
        <Link
          className="btn small"
          aria-label={`View Analysis of ${file.file_name}`}
          href={analysisPath(file.id)}
        >
          <Eye size={18} aria-hidden="true" />
          View Analysis
        </Link>
      )}
      <Button
        small
        look="quiet"
        busy={busy}
        className="ico"
        aria-label={`Download ${file.file_name}`}
        onClick={() => void download()}
      >
        <Download size={18} aria-hidden="true" />
        <span>Download</span>
      </Button>
    </span>
  );
}

/** Beside the user's own plan: the credits of another member who pays. Nothing when no other member pays. */
export function TeamCredits({ userId }: { userId: string }) {
  const team = useQuery(teamQuery(userId)).data?.team;
  const payer = team?.payer;
  if (team == null || payer == null || payer.user_id === userId || team.role === 'billing') return null;
  return (
    <section className="panel pad plan-card" aria-labelledby="team-credits">
      <h2 id="team-credits">Credits of {team.name}</h2>
      <p className="big num">
        {payer.credits}
        <small> {payer.credits === 1 ? 'credit' : 'credits'}</small>
      </p>
      <p className="meta">
        {nameOf(team.members, payer.user_id)} pays for your uploads when your own are used up.
      </p>
    </section>
  );
}
