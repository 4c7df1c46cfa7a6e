import { useState } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import { QuestionDialog } from '../../../ui/parts/question-dialog.tsx';
import { Avatar } from '../../../ui/people/avatar.tsx';
import { TEAM_ROLES, type TeamMember, type TeamRole } from '../team.contract.ts';
import type { PartProps } from './own-team.web.tsx';

const ROLE_NAMES: Readonly<Record<TeamRole, string>> = {
  owner: 'Owner',
  member: 'Member',
  billing: 'Billing',
};

/** The label of a role. */
export const roleName = (role: TeamRole): string => ROLE_NAMES[role];

/** The roles as the options of a select box. */
export function RoleOptions() {
  return TEAM_ROLES.map((role) => (
    <option key={role} value={role}>
      {ROLE_NAMES[role]}
    </option>
  ));
}

interface MemberProps extends PartProps {
  readonly member: TeamMember;
  /** The address of the picture, if there is one. */
  readonly picture: string | undefined;
  readonly isOwn: boolean;
  /** True when nobody else is in the team. */
  readonly isAlone: boolean;
  /** True when the person looking at it is an owner, who decides about the members. */
  readonly isOwner: boolean;
}

/** A member of the team: the role, and a button to remove them or to leave. */
export function TeamMemberRow({ member, picture, isOwn, isAlone, isOwner, busy, change }: MemberProps) {
  const [asked, setAsked] = useState<TeamRole | 'gone'>();
  const name = member.name || member.email || 'A member';
  const setRole = (role: TeamRole): void =>
    void change('role', { user_id: member.user_id, role }).then(() => setAsked(undefined));
  const remove = (): void =>
    void change('remove', { user_id: member.user_id }).then(() => setAsked(undefined));
  return (
    <li>
      <div className="team-who with-avatar">
        <Avatar src={picture} name={name} />
        <div>
          <b>{name}</b>
          {isOwn && <span className="badge">You</span>}
          {member.email !== null && member.email !== name && <p className="meta">{member.email}</p>}
        </div>
      </div>
      <div className="team-acts">
        {isOwner ? (
          <select
            className="line-field"
            aria-label={`Role of ${name}`}
            value={member.role}
            disabled={busy}
            onChange={({ currentTarget }) => {
              const role = currentTarget.value as TeamRole;
              // A person who gives up their own rights cannot take them back.
              if (isOwn) setAsked(role);
              else setRole(role);
            }}
          >
            <RoleOptions />
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
            onClick={() => setAsked('gone')}
          >
            {isOwn ? 'Leave' : 'Remove'}
          </Button>
        )}
      </div>
      {asked === 'gone' && (
        <QuestionDialog
          heading={isOwn ? 'Leave the team?' : `Remove ${name}?`}
          busy={busy}
          onClose={() => setAsked(undefined)}
          keep="Keep as it is"
          act={
            <Button look="danger" busy={busy} onClick={remove}>
              {isOwn ? 'Leave' : 'Remove'}
            </Button>
          }
        >
          <p>{goneWords(isOwn, isAlone)}</p>
        </QuestionDialog>
      )}
      {asked !== undefined && asked !== 'gone' && (
        <QuestionDialog
          heading="Give up being an owner?"
          busy={busy}
          onClose={() => setAsked(undefined)}
          keep="Keep as it is"
          act={
            <Button look="danger" busy={busy} onClick={() => setRole(asked)}>
              Give it up
            </Button>
          }
        >
          <p>Only another owner can make you one again.</p>
        </QuestionDialog>
      )}
    </li>
  );
}

function goneWords(isOwn: boolean, isAlone: boolean): string {
  if (!isOwn)
    return 'At once they see no file of the team, use none of its credits, and the team sees none of theirs.';
  return isAlone
    ? 'Nobody else is in it, so the team ends. Your files stay yours.'
    : 'At once you see no file of the team, use none of its credits, and the team sees none of yours. Your files stay yours.';
}
