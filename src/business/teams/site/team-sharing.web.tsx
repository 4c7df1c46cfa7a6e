import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Eye } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { Link } from 'wouter';
import { formatBytes } from '../../../kernel/contract/formats.ts';
import { analysisPath } from '../../../kernel/contract/routes.ts';
import { Button } from '../../../ui/parts/button.tsx';
import type { FileRecord } from '../../files/file-record.web.ts';
import type { TeamMember } from '../team.contract.ts';
import { showToTeam, teamFilesQuery, teamQuery } from './team-read.web.ts';

/** In the bar of chosen files: shows them to the team, or to nobody else any more. Nothing for who is in none. */
export function TeamChoice({ files }: { files: readonly FileRecord[] }) {
  const userId = files[0]?.user_id ?? '';
  const team = useQuery({ ...teamQuery(userId), enabled: userId !== '' }).data?.team;
  const shown = useQuery({ ...teamFilesQuery(userId), enabled: team != null });
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  if (team == null || team.role === 'billing' || shown.data === undefined) return null;
  const ids = new Set(shown.data.map(({ file }) => file.id));
  const areShown = files.every(({ id }) => ids.has(id));
  const change = async (): Promise<void> => {
    setBusy(true);
    try {
      await showToTeam(files, team.id, !areShown);
      toast.success(areShown ? 'Your team no longer sees them' : 'Your team sees them now');
      await queries.invalidateQueries({ queryKey: ['files', userId, 'team'] });
    } catch (error) {
      toast.error((error as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button small look="quiet" busy={busy} onClick={() => void change()}>
      {areShown ? 'Hide from the team' : 'Show to the team'}
    </Button>
  );
}

/** Under the own lists: what others of the team show. Nothing for who is in none. */
export function TeamFiles({ userId }: { userId: string }) {
  const team = useQuery(teamQuery(userId)).data?.team;
  const files = useQuery({ ...teamFilesQuery(userId), enabled: team != null });
  if (team == null || team.role === 'billing') return null;
  const others = files.data?.filter(({ shared_by: owner }) => owner !== userId);
  return (
    <section aria-labelledby="team-files" aria-busy={files.isPending}>
      <h2 id="team-files">
        Files of {team.name} <span className="num count">{others?.length ?? 0}</span>
      </h2>
      {files.isError && (
        <p className="panel pad fault" role="alert">
          {files.error.message}{' '}
          <button type="button" className="text-btn" onClick={() => void files.refetch()}>
            Try again
          </button>
        </p>
      )}
      {others?.length === 0 && <p className="panel pad meta">Nobody else of your team shows a file yet.</p>}
      {others !== undefined && others.length > 0 && (
        <ul className="panel rows team-rows">
          {others.map(({ file, shared_by: owner }) => (
            <li key={file.id}>
              <span className="name">
                <b>{file.file_name}</b>
                <span className="meta num">
                  {formatBytes(file.file_size)} · {nameOf(team.members, owner)}
                </span>
              </span>
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
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const nameOf = (members: readonly TeamMember[], id: string): string => {
  const member = members.find(({ user_id: userId }) => userId === id);
  return member?.name || member?.email || 'a member';
};
