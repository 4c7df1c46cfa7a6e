import type { User } from '@supabase/supabase-js';
import { type ReactNode, useEffect, useState } from 'react';
import { useLocationProperty } from 'wouter/use-browser-location';
import { AppearanceSwitch } from '../../../ui/appearance-switch.tsx';
import { SideIndex } from '../../../ui/parts/side-index.tsx';
import { AuthenticatorPanel } from '../account/authenticator-panel.web.tsx';
import { type BeforeDeletion, DataPanel } from '../account/data-panel.web.tsx';
import { LanguagePanel } from '../account/language-panel.web.tsx';
import { NoticesPanel } from '../account/notices-panel.web.tsx';
import { PasswordPanel } from '../account/password-panel.web.tsx';
import { ProfilePanel } from '../account/profile-panel.web.tsx';
import { PasskeyPanel } from '../passkeys/passkey-panel.web.tsx';
import { IdentityPanel } from '../providers/identity-panel.web.tsx';
import { DeviceList } from '../sessions/device-list.web.tsx';
import { ACCOUNT_SECTIONS, type AccountSection, SECTION_QUERY, sectionOf } from './account-sections.web.ts';

interface AccountTabProps {
  readonly user: User;
  /** Panels of other features, by the section that they belong to. */
  readonly further: Readonly<Partial<Record<AccountSection, ReactNode>>>;
  /** What another feature shows before the account is deleted. */
  readonly Before?: BeforeDeletion;
}

/** /dashboard/account: one section at a time, which the fragment of the address names. */
export function AccountTab({ user, further, Before }: AccountTabProps) {
  const address = user.email || (user.phone ? `+${user.phone}` : '');
  const shown = useSection();
  const panels: AccountTabProps['further'] = {
    profile: (
      <>
        <ProfilePanel user={user} />
        {further.profile}
        <section className="panel pad" aria-labelledby="appearance">
          <h2 id="appearance">Appearance</h2>
          <AppearanceSwitch labelledBy="appearance" />
        </section>
        <LanguagePanel user={user} />
      </>
    ),
    security: (
      <>
        {user.identities?.some(({ provider }) => provider === 'email') !== false && <PasswordPanel />}
        <AuthenticatorPanel />
        <PasskeyPanel />
        <IdentityPanel />
        <DeviceList userId={user.id} />
      </>
    ),
    notices: (
      <>
        <NoticesPanel user={user} />
        {further.notices}
      </>
    ),
    data: <DataPanel Before={Before} />,
  };
  return (
    <>
      <div className="lead-in">
        <div>
          <h1 tabIndex={-1}>Account</h1>
          <p className="meta who">{address}</p>
        </div>
      </div>
      <div className="indexed">
        <SideIndex label="Sections of your account" parts={ACCOUNT_SECTIONS} current={shown} />
        {/* The others stay, so that words that somebody has typed there are not lost. */}
        {ACCOUNT_SECTIONS.map(({ id }) => (
          <div key={id} className="account-cards" hidden={id !== shown}>
            {panels[id] ?? further[id]}
          </div>
        ))}
      </div>
    </>
  );
}

/** The section that the address names; if it names none, the last one that it named. */
function useSection(): AccountSection {
  const fragment = useLocationProperty(() => location.hash.slice(1));
  // A provider to link comes back with a fragment of its own, so that return names the section in the query.
  const [shown, setShown] = useState(
    () => sectionOf(new URLSearchParams(location.search).get(SECTION_QUERY) ?? '') ?? 'profile',
  );
  const named = sectionOf(fragment);
  if (named !== undefined && named !== shown) setShown(named);
  useEffect(() => {
    if (named === undefined) return;
    // The browser looked for the element while its section was hidden.
    const heading = document.getElementById(fragment);
    (heading ?? document.querySelector<HTMLElement>('.account-cards:not([hidden]) h2'))?.focus();
  }, [fragment, named]);
  return named ?? shown;
}
