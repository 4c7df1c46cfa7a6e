import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { formatDate } from '../../../kernel/contract/dates.ts';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { Field } from '../../../ui/parts/field.tsx';
import { Form, type FormValues } from '../../../ui/parts/form.tsx';
import { FormError } from '../../../ui/parts/form-error.tsx';
import { CallRefused } from '../../../ui/session/server-call.ts';
import {
  TEAM_NAME_LENGTH,
  TEAM_ROLES,
  type TeamMember,
  type TeamRole,
  type TeamView,
} from '../team.contract.ts';
import { changeTeam, teamQuery } from './team-read.web.ts';

type Team = NonNullable<TeamView['team']>;
type Change = (...given: Parameters<typeof changeTeam>) => Promise<boolean>;

const ROLE_NAMES: Readonly<Record<TeamRole, string>> = {
  owner: 'Owner',
  member: 'Member',
  billing: 'Billing',
};

/** On the Account tab: one's team, or the way into one. */
export function TeamPanel({ userId }: { userId: string }) {
  const query = useQuery(teamQuery(userId));
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const [token, setToken] = useState('');
  useEffect(() => setToken(new URLSearchParams(location.search).get('invitation') ?? ''), []);
  const change: Change = async (name, body) => {
    setBusy(true);
    setFault(undefined);
    try {
      queries.setQueryData(teamQuery(userId).queryKey, await changeTeam(name, body));
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
  const team = query.data?.team;
  return (
    <section className="panel pad" aria-labelledby="team" aria-busy={query.isPending}>
      <h2 id="team" tabIndex={-1}>
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
      {token !== '' && team === null && (
        <Invitation token={token} busy={busy} change={change} onDone={() => setToken('')} />
      )}
      {team === null && token === '' && <NewTeam busy={busy} change={change} />}
      {team != null && <OwnTeam team={team} userId={userId} busy={busy} change={change} />}
    </section>
  );
}

interface PartProps {
  readonly busy: boolean;
  readonly change: Change;
}

function Invitation({ token, busy, change, onDone }: PartProps & { token: string; onDone: () => void }) {
  const leave = (): void => {
    // The secret is used up, or not wanted: it stays in no address.
    history.replaceState(history.state, '', PAGES.account.path);
    onDone();
  };
  const join = async (): Promise<void> => {
    if (await change('accept', { token })) leave();
  };
  return (
    <>
      <p className="meta">
        You are invited to a team. Its owners and members see the files that you show to it, and no others.
      </p>
      <p className="data-acts">
        <Button busy={busy} onClick={() => void join()}>
          Join the team
        </Button>
        <Button look="quiet" busy={busy} onClick={leave}>
          Not now
        </Button>
      </p>
    </>
  );
}

function NewTeam({ busy, change }: PartProps) {
  const create = async ({ name = '' }: FormValues): Promise<void> => {
    await change('create', { name });
  };
  return (
    <>
      <p className="meta">
        With a team you show files and their reports to each other, and one of you pays for all. Nobody sees a
        file that you do not show.
      </p>
      <Form label="New team" onSubmit={create}>
        <Field
          label="Name of the team"
          name="name"
          maxLength={TEAM_NAME_LENGTH}
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

function OwnTeam({ team, userId, busy, change }: PartProps & { team: Team; userId: string }) {
  const isOwner = team.role === 'owner';
  const mayPay = team.role !== 'member' && team.payer?.user_id !== userId;
  return (
    <>
      <p>
        <b>{team.name}</b>
      </p>
      <p className="meta">{payerWords(team, userId)}</p>
      {mayPay && (
        <Button small look="quiet" busy={busy} onClick={() => void change('pay', {})}>
          Pay for the team
        </Button>
      )}
      <ul className="passkeys" aria-label="Members">
        {team.members.map((member) => (
          <Member
            key={member.user_id}
            member={member}
            isOwn={member.user_id === userId}
            isOwner={isOwner}
            busy={busy}
            change={change}
          />
        ))}
      </ul>
      {isOwner && <Invitations team={team} busy={busy} change={change} />}
    </>
  );
}

function payerWords({ payer, members }: Team, userId: string): string {
  if (payer === null) return 'Nobody pays for the team at the moment: everybody uses their own credits.';
  const member = members.find(({ user_id: id }) => id === payer.user_id);
  const who = payer.user_id === userId ? 'You pay' : `${member?.name || member?.email || 'A member'} pays`;
  return `${who} for the team: ${payer.credits} ${payer.credits === 1 ? 'credit' : 'credits'} left. Everybody’s own credits are used first.`;
}

interface MemberProps extends PartProps {
  readonly member: TeamMember;
  readonly isOwn: boolean;
  readonly isOwner: boolean;
}

function Member({ member, isOwn, isOwner, busy, change }: MemberProps) {
  const name = member.name || member.email || 'A member';
  const remove = (): Promise<boolean> => change('remove', { user_id: member.user_id });
  return (
    <li>
      <div>
        <b>{name}</b>
        {isOwn && <span className="badge">You</span>}
        <p className="meta">{member.email}</p>
      </div>
      <span className="data-acts">
        {isOwner ? (
          <select
            aria-label={`Role of ${name}`}
            value={member.role}
            disabled={busy}
            onChange={({ currentTarget }) =>
              void change('role', { user_id: member.user_id, role: currentTarget.value })
            }
          >
            {TEAM_ROLES.map((role) => (
              <option key={role} value={role}>
                {ROLE_NAMES[role]}
              </option>
            ))}
          </select>
        ) : (
          <span className="meta">{ROLE_NAMES[member.role]}</span>
        )}
        {(isOwner || isOwn) && (
          <Button
            small
            look="quiet"
            busy={busy}
            aria-label={isOwn ? 'Leave the team' : `Remove ${name}`}
            onClick={() => void remove()}
          >
            {isOwn ? 'Leave' : 'Remove'}
          </Button>
        )}
      </span>
    </li>
  );
}

function Invitations({ team, busy, change }: PartProps & { team: Team }) {
  const [sentTo, setSentTo] = useState('');
  const invite = async ({ email = '', role = 'member' }: FormValues): Promise<void> => {
    setSentTo((await change('invite', { email, role })) ? email : '');
  };
  return (
    <>
      {team.invitations.length > 0 && (
        <ul className="passkeys" aria-label="Invitations">
          {team.invitations.map(({ id, email, role, expires_at: expires }) => (
            <li key={id}>
              <div>
                <b>{email}</b>
                <p className="meta">
                  Invited as {ROLE_NAMES[role]}, until {formatDate(new Date(expires))}
                </p>
              </div>
              <Button
                small
                look="quiet"
                busy={busy}
                aria-label={`Withdraw the invitation of ${email}`}
                onClick={() => void change('withdraw', { id })}
              >
                Withdraw
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Form label="Invite somebody" onSubmit={invite}>
        <div className="form-pair">
          <Field
            label="Email Address"
            name="email"
            type="email"
            autoComplete="off"
            required
            missing="Enter an email address"
            wrong="Enter an email address like name@example.com"
          />
          <Field as="select" label="Role" name="role" defaultValue="member">
            {TEAM_ROLES.map((role) => (
              <option key={role} value={role}>
                {ROLE_NAMES[role]}
              </option>
            ))}
          </Field>
        </div>
        <div className="form-foot">
          <Button type="submit" look="quiet" busy={busy}>
            Invite
          </Button>
          <p className="meta" role="status">
            {sentTo === '' ? '' : `An invitation is on its way to ${sentTo}.`}
          </p>
        </div>
      </Form>
    </>
  );
}
