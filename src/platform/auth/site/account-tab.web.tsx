import type { User } from '@supabase/supabase-js';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { toast } from 'react-hot-toast/headless';
import { AppearanceSwitch } from '../../../ui/appearance-switch.tsx';
import { Button } from '../../../ui/parts/button.tsx';
import { AuthenticatorPanel } from '../account/authenticator-panel.web.tsx';
import { type BeforeDeletion, DataPanel } from '../account/data-panel.web.tsx';
import { LanguagePanel } from '../account/language-panel.web.tsx';
import { NoticesPanel } from '../account/notices-panel.web.tsx';
import { PasswordPanel } from '../account/password-panel.web.tsx';
import { ProfilePanel } from '../account/profile-panel.web.tsx';
import { PasskeyPanel } from '../passkeys/passkey-panel.web.tsx';
import { IdentityPanel } from '../providers/identity-panel.web.tsx';
import { nameDevice } from '../sessions/device-name.web.ts';
import type { OwnSession } from '../sessions/session-list.contract.ts';
import { endOtherSessions, endSession, sessionsQuery } from '../sessions/session-list.web.ts';

interface AccountTabProps {
  readonly user: User;
  /** The panel for the picture, from another feature. */
  readonly picture?: ReactNode;
  /** Further panels of other features. */
  readonly children?: ReactNode;
  /** What another feature shows before the account is deleted. */
  readonly Before?: BeforeDeletion;
}

/** /dashboard/account: the user's profile, ways to sign in, sessions (ASVS 7.5.2) and data. */
export function AccountTab({ user, picture, children, Before }: AccountTabProps) {
  const userId = user.id;
  const address = user.email || (user.phone ? `+${user.phone}` : '');
  const sessions = useQuery(sessionsQuery(userId));
  const queries = useQueryClient();
  const ending = useMutation({
    mutationFn: (id: string | undefined) => (id === undefined ? endOtherSessions() : endSession(id)),
    onSuccess: (_done, id) =>
      toast.success(id === undefined ? 'All other devices were signed out' : 'The device was signed out'),
    onError: (error) => toast.error(error.message),
    onSettled: () => queries.invalidateQueries(sessionsQuery(userId)),
  });
  const others = sessions.data?.filter(({ current }) => !current) ?? [];
  return (
    <>
      <div className="lead-in">
        <div>
          <h1 tabIndex={-1}>Account</h1>
          <p className="meta who">{address}</p>
        </div>
      </div>
      <div className="account-cards">
        <ProfilePanel user={user} />
        {picture}
        {user.identities?.some(({ provider }) => provider === 'email') !== false && <PasswordPanel />}
        <AuthenticatorPanel />
        <PasskeyPanel />
        <IdentityPanel />
        <section className="panel pad" aria-labelledby="appearance">
          <h2 id="appearance">Appearance</h2>
          <AppearanceSwitch labelledBy="appearance" />
        </section>
        <LanguagePanel user={user} />
        <NoticesPanel user={user} />
        {children}
      </div>
      <section className="panel pad devices" aria-labelledby="devices" aria-busy={sessions.isPending}>
        <h2 id="devices">Where you are signed in</h2>
        {sessions.isError ? (
          <div role="alert">
            <p className="fault">{sessions.error.message}</p>
            <Button small look="quiet" onClick={() => void sessions.refetch()}>
              Try again
            </Button>
          </div>
        ) : (
          <ul>
            {sessions.data?.map((session) => (
              <Device
                key={session.id}
                session={session}
                busy={ending.isPending}
                onEnd={() => ending.mutate(session.id)}
              />
            ))}
          </ul>
        )}
        {others.length > 0 && (
          <Button look="quiet" busy={ending.isPending} onClick={() => ending.mutate(undefined)}>
            Sign out all other devices
          </Button>
        )}
      </section>
      <div className="account-cards">
        <DataPanel Before={Before} />
      </div>
    </>
  );
}

interface DeviceProps {
  readonly session: OwnSession;
  readonly busy: boolean;
  readonly onEnd: () => void;
}

function Device({ session, busy, onEnd }: DeviceProps) {
  const name = nameDevice(session.user_agent);
  const used = new Date(session.last_used_at);
  return (
    <li>
      <div>
        <b>{name}</b>
        {session.current && <span className="badge">This device</span>}
        <p className="meta num">
          Last used{' '}
          <time dateTime={session.last_used_at}>
            {used.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })}
          </time>
          {session.ip !== null && `, from ${session.ip}`}
        </p>
      </div>
      {!session.current && (
        <Button small look="quiet" busy={busy} aria-label={`Sign out ${name}`} onClick={onEnd}>
          Sign out
        </Button>
      )}
    </li>
  );
}
