import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import { Field } from '../../../ui/parts/field.tsx';
import { Form, type FormValues } from '../../../ui/parts/form.tsx';
import { avatarsQuery } from '../../../ui/people/avatars.ts';
import { TEAM_NAME_LENGTH, type TeamView } from '../team.contract.ts';
import { TeamInvitations } from './team-invitations.web.tsx';
import { TeamMemberRow } from './team-member.web.tsx';
import { type changeTeam, nameOf } from './team-read.web.ts';

/** How each part of the panel changes the team; `change` returns whether it was done. */
export interface PartProps {
  readonly busy: boolean;
  readonly change: (...given: Parameters<typeof changeTeam>) => Promise<boolean>;
}

/** A team, for somebody who is in one. */
export type Team = NonNullable<TeamView['team']>;

/** The team as its members see it: name, payer, members, and for owners the invitations. */
export function OwnTeam({ team, userId, busy, change }: PartProps & { team: Team; userId: string }) {
  const isOwner = team.role === 'owner';
  const pictures = useQuery(avatarsQuery(team.members.map(({ user_id: id }) => id)));
  return (
    <>
      <Name name={team.name} isOwner={isOwner} busy={busy} change={change} />
      <Payer team={team} userId={userId} busy={busy} change={change} />
      <ul className="passkeys" aria-label="Members">
        {team.members.map((member) => (
          <TeamMemberRow
            key={member.user_id}
            member={member}
            picture={pictures.data?.get(member.user_id)}
            isOwn={member.user_id === userId}
            isAlone={team.members.length === 1}
            isOwner={isOwner}
            busy={busy}
            change={change}
          />
        ))}
      </ul>
      {isOwner && <TeamInvitations team={team} busy={busy} change={change} />}
    </>
  );
}

/** The name; owners change it in place. */
function Name({ name, isOwner, busy, change }: PartProps & { name: string; isOwner: boolean }) {
  const [renaming, setRenaming] = useState<boolean>();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The element that had the focus is gone: the focus moves to its replacement.
    if (renaming !== undefined) place.current?.querySelector<HTMLElement>('input, button')?.focus();
  }, [renaming]);
  return (
    <div ref={place}>
      {renaming === true ? (
        <RenameForm name={name} busy={busy} change={change} onDone={() => setRenaming(false)} />
      ) : (
        <p className="team-name">
          <b>{name}</b>
          {isOwner && (
            <button type="button" className="text-btn" onClick={() => setRenaming(true)}>
              Rename
            </button>
          )}
        </p>
      )}
    </div>
  );
}

function RenameForm({ name, busy, change, onDone }: PartProps & { name: string; onDone: () => void }) {
  const rename = async ({ name: wanted = '' }: FormValues): Promise<void> => {
    if (await change('rename', { name: wanted })) onDone();
  };
  return (
    <Form label="Rename the team" onSubmit={rename}>
      <Field
        label="Name of the team"
        name="name"
        defaultValue={name}
        maxLength={TEAM_NAME_LENGTH}
        autoComplete="off"
        required
        missing="Enter a name"
      />
      <div className="form-foot">
        <Button type="submit" look="quiet" busy={busy}>
          Save
        </Button>
        <Button look="quiet" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </Form>
  );
}

function Payer({ team, userId, busy, change }: PartProps & { team: Team; userId: string }) {
  const isPayer = team.payer?.user_id === userId;
  return (
    <>
      <p className="meta">{payerWords(team, userId)}</p>
      {team.role !== 'member' && (
        <Button small look="quiet" busy={busy} onClick={() => void change('pay', { pays: !isPayer })}>
          {isPayer ? 'Stop paying for the team' : 'Pay for the team'}
        </Button>
      )}
    </>
  );
}

function payerWords({ payer, members }: Team, userId: string): string {
  if (payer === null) return 'Nobody pays for the team at the moment: everybody uses their own credits.';
  const who = payer.user_id === userId ? 'You pay' : `${nameOf(members, payer.user_id)} pays`;
  return `${who} for the team: ${payer.credits} ${payer.credits === 1 ? 'credit' : 'credits'} left. Everybody’s own credits are used first.`;
}
