import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import { CallRefused } from '../../../ui/session/server-call.ts';
import { useSession } from '../../../ui/session/session.ts';
import type { Team } from './own-team.web.tsx';
import { changeTeam, nameOf, teamQuery } from './team-read.web.ts';

interface BeforeDeletionProps {
  /** Called with whether the person agreed that the team ends. */
  readonly onEnds: (ends: boolean) => void;
}

/**
 * Shown before an account is deleted: what will happen to its team, and how to hand the team over. Nothing
 * for a person without a team.
 */
export function TeamBeforeDeletion({ onEnds }: BeforeDeletionProps) {
  const session = useSession();
  const userId = session.status === 'signed-in' ? session.session.user.id : '';
  const team = useQuery({ ...teamQuery(userId), enabled: userId !== '' }).data?.team;
  const isLastOwner = team != null && isTheLastOwner(team, userId);
  const [ends, setEnds] = useState(false);
  useEffect(() => onEnds(isLastOwner && ends), [onEnds, isLastOwner, ends]);
  if (team == null) return null;
  return (
    <div className="team-invited">
      <p>{wordsOf(team, userId)}</p>
      {isLastOwner && (
        <>
          <HandOver team={team} userId={userId} />
          <label className="notice-choice">
            <input
              type="checkbox"
              checked={ends}
              onChange={({ currentTarget }) => setEnds(currentTarget.checked)}
            />
            <span>The team may end with my account</span>
          </label>
        </>
      )}
    </div>
  );
}

/** Whether the other members lose the team when this person leaves. */
function isTheLastOwner({ role, members }: Team, userId: string): boolean {
  const others = members.filter(({ user_id: id }) => id !== userId);
  return role === 'owner' && others.length > 0 && others.every((member) => member.role !== 'owner');
}

function wordsOf(team: Team, userId: string): string {
  const { name, members, payer } = team;
  if (members.length === 1) return `The team ${name} ends with your account. Nobody else is in it.`;
  if (isTheLastOwner(team, userId))
    return `You are the only owner of ${name}. With your account the team ends: nobody in it sees files of the others or uses your credits any more. Everybody keeps their own files.`;
  const paying = payer?.user_id === userId ? ' Your credits are no longer the team’s.' : '';
  return `With your account you leave ${name}, which goes on without the files that you showed to it.${paying}`;
}

/** Makes another member an owner, so that the team continues. */
function HandOver({ team, userId }: { team: Team; userId: string }) {
  const queries = useQueryClient();
  const others = team.members.filter(({ user_id: id }) => id !== userId);
  const [chosen, setChosen] = useState('');
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const heir = others.find(({ user_id: id }) => id === chosen) ?? others[0];
  const handOver = async (): Promise<void> => {
    setBusy(true);
    setFault(undefined);
    try {
      const changed = await changeTeam('role', { user_id: heir?.user_id, role: 'owner' });
      queries.setQueryData(teamQuery(userId).queryKey, changed);
    } catch (error) {
      const said = error instanceof CallRefused ? error.sentence : undefined;
      setFault(said ?? 'The team could not be handed over. Check your connection and try again.');
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="team-acts team-heir">
      <label>
        Or hand it over first, to{' '}
        <select
          className="line-field"
          value={heir?.user_id}
          disabled={busy}
          onChange={({ currentTarget }) => setChosen(currentTarget.value)}
        >
          {others.map(({ user_id: id }) => (
            <option key={id} value={id}>
              {nameOf(others, id)}
            </option>
          ))}
        </select>
      </label>
      <Button small look="quiet" busy={busy} onClick={() => void handOver()}>
        Make an owner
      </Button>
      {fault !== undefined && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}
