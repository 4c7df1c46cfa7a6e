import { useState } from 'react';
import { formatDate } from '../../../kernel/contract/dates.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { Field } from '../../../ui/parts/field.tsx';
import { Form, type FormValues } from '../../../ui/parts/form.tsx';
import type { PartProps, Team } from './own-team.web.tsx';
import { RoleOptions, roleName } from './team-member.web.tsx';

/** For owners: the open invitations, and a form to invite somebody. */
export function TeamInvitations({ team, busy, change }: PartProps & { team: Team }) {
  const [sent, setSent] = useState({ to: '', count: 0 });
  const invite = async ({ email = '', role = 'member' }: FormValues): Promise<void> => {
    if (await change('invite', { email, role })) setSent(({ count }) => ({ to: email, count: count + 1 }));
    else setSent((before) => ({ ...before, to: '' }));
  };
  return (
    <>
      {team.invitations.length > 0 && (
        <>
          <h3>Invited</h3>
          <ul className="passkeys" aria-label="Invitations">
            {team.invitations.map(({ id, email, role, expires_at: expires }) => (
              <li key={id}>
                <div className="team-who">
                  <b>{email}</b>
                  <p className="meta">
                    {roleName(role)}, until {formatDate(new Date(expires))}
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
        </>
      )}
      <h3>Invite somebody</h3>
      {/* Empty again after each invitation, for the next one. */}
      <Form key={sent.count} label="Invite somebody" onSubmit={invite}>
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
          <Field as="select" label="Role" name="role" defaultValue="member" required>
            <RoleOptions />
          </Field>
        </div>
        <p className="meta">
          Members see what is shown to the team and use its credits. Billing can pay and sees no file. Owners
          can do both, and decide who is in the team.
        </p>
        <div className="form-foot">
          <Button type="submit" look="quiet" busy={busy}>
            Invite
          </Button>
        </div>
      </Form>
      <p className="meta" role="status">
        {sent.to === '' ? '' : `An invitation is on its way to ${sent.to}.`}
      </p>
    </>
  );
}
