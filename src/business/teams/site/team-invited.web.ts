import { useEffect, useState } from 'react';
import type { InvitationView } from '../team.contract.ts';
import { invitationOf, ROLE_WORDS, readInvitation } from './team-read.web.ts';

/**
 * The invitation that leads to an account page; undefined without one, while it is read, and when it no longer counts.
 *
 * @param next the page that the person comes back to after signing in
 */
export function useInvitation(next: unknown): InvitationView | undefined {
  const token = typeof next === 'string' ? invitationOf(next) : '';
  const [invitation, setInvitation] = useState<InvitationView>();
  useEffect(() => {
    if (token === '') return;
    let left = false;
    // One that no longer counts is explained after signing in, where it would be accepted.
    readInvitation(token).then(
      (found) => left || setInvitation(found),
      () => undefined,
    );
    return () => {
      left = true;
    };
  }, [token]);
  return invitation;
}

/** Who invites to what, in one sentence. */
export function invitedWords({ inviter, team, role }: InvitationView): string {
  const as = `as ${ROLE_WORDS[role]}`;
  return inviter === null
    ? `You are invited to the team ${team} ${as}.`
    : `${inviter} invites you to the team ${team} ${as}.`;
}
