import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { Field } from '../../../ui/parts/field.tsx';
import { Form, type FormValues } from '../../../ui/parts/form.tsx';
import { FormError } from '../../../ui/parts/form-error.tsx';
import { CallRefused } from '../../../ui/session/server-call.ts';
import { TEAM_NAME_LENGTH, type TeamView } from '../team.contract.ts';
import { OwnTeam, type PartProps } from './own-team.web.tsx';
import { useTeamChanges } from './team-changes.web.ts';
import { invitedWords, useInvitation } from './team-invited.web.ts';
import { changeTeam, invitationOf, teamQuery } from './team-read.web.ts';

const HEADING = 'team';

/** On the Account tab: the user's team, or how to start or join one. */
export function TeamPanel({ userId }: { userId: string }) {
  const query = useQuery(teamQuery(userId));
  const { busy, fault, change } = useTeamChange(userId, query.data);
  const [token, setToken] = useState('');
  useEffect(() => setToken(invitationOf(location.hash)), []);
  const team = query.data?.team;
  useTeamChanges(userId, team?.id);
  const isInvited = token !== '' && team !== undefined;
  useEffect(() => {
    // A person who comes from the invitation mail is taken to this panel.
    if (isInvited) document.getElementById(HEADING)?.focus();
  }, [isInvited]);
  return (
    <section className="panel pad team" aria-labelledby={HEADING} aria-busy={query.isPending}>
      <h2 id={HEADING} tabIndex={-1}>
        Team
      </h2>
      {query.isError && (
        <p className="fault" role="alert">
          Your team could not be read.{' '}
          <button type="button" className="text-btn" onClick={() => void query.refetch()}>
            Try again
          </button>
        </p>
      )}
      {fault !== undefined && <FormError>{fault}</FormError>}
      {isInvited && (
        <Invitation
          token={token}
          isInTeam={team !== null}
          busy={busy}
          change={change}
          onDone={() => setToken('')}
        />
      )}
      {team === null && token === '' && <NewTeam busy={busy} change={change} />}
      {team != null && <OwnTeam team={team} userId={userId} busy={busy} change={change} />}
    </section>
  );
}

/** Changes the team, one change at a time; has the sentence of the last failed one. */
function useTeamChange(
  userId: string,
  view: TeamView | undefined,
): PartProps & { readonly fault: string | undefined } {
  const queries = useQueryClient();
  const [ended, setEnded] = useState(0);
  const followed = useRef(0);
  useEffect(() => {
    // The button that had the focus is gone, or goes when its dialog closes.
    if (view === undefined || followed.current === ended || document.querySelector('dialog[open]') !== null)
      return;
    followed.current = ended;
    document.getElementById(HEADING)?.focus();
  }, [view, ended]);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const change: PartProps['change'] = async (name, body) => {
    setBusy(true);
    setFault(undefined);
    try {
      const changed = await changeTeam(name, body);
      if (name === 'remove' || name === 'withdraw') setEnded((count) => count + 1);
      queries.setQueryData(teamQuery(userId).queryKey, changed);
      await queries.invalidateQueries({ queryKey: ['files'] });
      return true;
    } catch (error) {
      const said = error instanceof CallRefused ? error.sentence : undefined;
      setFault(said ?? 'Your team could not be changed. Check your connection and try again.');
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, fault, change };
}

interface InvitationProps extends PartProps {
  readonly token: string;
  readonly isInTeam: boolean;
  readonly onDone: () => void;
}

function Invitation({ token, isInTeam, busy, change, onDone }: InvitationProps) {
  const invitation = useInvitation(location.hash);
  const words = invitation === undefined ? 'You are invited to a team.' : invitedWords(invitation);
  const leave = (): void => {
    // The secret is used up or declined: it is removed from the address.
    history.replaceState(history.state, '', `${PAGES.account.path}#${HEADING}`);
    onDone();
  };
  const join = async (): Promise<void> => {
    if (await change('accept', { token })) leave();
  };
  return (
    <div className="team-invited">
      <p>
        {isInTeam
          ? 'You are invited to another team. To join it, leave yours first.'
          : `${words} Its owners and members see the files that you show to it, and no others.`}
      </p>
      <p className="data-acts">
        {!isInTeam && (
          <Button busy={busy} onClick={() => void join()}>
            Join the team
          </Button>
        )}
        <Button look="quiet" busy={busy} onClick={leave}>
          Not now
        </Button>
      </p>
    </div>
  );
}

function NewTeam({ busy, change }: PartProps) {
  const create = async ({ name = '' }: FormValues): Promise<void> => {
    await change('create', { name });
  };
  return (
    <>
      <p className="meta">
        In a team you show files and their reports to each other, and one of you pays for all. Nobody sees a
        file that you do not show.
      </p>
      <Form label="New team" onSubmit={create}>
        <Field
          label="Name of the team"
          name="name"
          maxLength={TEAM_NAME_LENGTH}
          autoComplete="off"
          required
          missing="Enter a name"
        />
        <div className="form-foot">
          <Button type="submit" look="quiet" busy={busy}>
            Make a team
          </Button>
        </div>
      </Form>
    </>
  );
}
