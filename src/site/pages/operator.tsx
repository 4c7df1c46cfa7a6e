import '../../business/files/list/dashboard.css';
import '../../business/console/content/content.css';
import '../../business/console/settings/settings.css';
import '../../business/courses/site/courses.css';
import '../../business/messages/site/messages.css';
import '../../business/console/parts/console.css';
import '../../platform/auth/account/account-settings.css';
import '../../business/api-keys/api-keys.css';
import '../../voice/console/voice-console.css';
import '../../voice/console/playback/playback.css';
import '../../voice/console/assistants/assistant-editor.css';
import '../../ui/people/avatar.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiKeysView } from '../../business/api-keys/api-keys-page.web.tsx';
import {
  colleagueToken,
  InvitedColleague,
} from '../../business/console/colleagues/invited-colleague.web.tsx';
import { OperatorConsole } from '../../business/console/console-app.web.tsx';
import { FirstOperator, firstOperatorToken } from '../../business/console/pages/first-operator.web.tsx';
import { CONSOLE_KEYS } from '../../business/console/parts/list-keys.web.ts';
import { PAGES } from '../../kernel/contract/routes.ts';
import { AuthenticatorPanel } from '../../platform/auth/account/authenticator-panel.web.tsx';
import { FactorGate, hasSecondFactor } from '../../platform/auth/account/factor-gate.web.tsx';
import { SecondFactorForm } from '../../platform/auth/account/second-factor-form.web.tsx';
import { Button } from '../../ui/parts/button.tsx';
import { ShortcutHelp } from '../../ui/parts/shortcuts.tsx';
import { isLeaving } from '../../ui/session/client.ts';
import { queriesOf } from '../../ui/session/queries.ts';
import { useSession } from '../../ui/session/session.ts';
import { AssistantsView } from '../../voice/console/assistants-page.web.tsx';
import { CallsView } from '../../voice/console/calls-page.web.tsx';
import { CampaignsView } from '../../voice/console/campaigns/campaigns-page.web.tsx';
import { CredentialsView } from '../../voice/console/tools/credentials-page.web.tsx';
import { ToolsView } from '../../voice/console/tools/tools-page.web.tsx';
import { OperatorBar, OperatorNav } from '../frame/operator-bar.tsx';

/** Pages of the console that belong to features above it. */
const FURTHER_PAGES: Readonly<Record<string, () => ReactNode>> = {
  [PAGES.operatorCalls.path]: CallsView,
  [PAGES.operatorAssistants.path]: AssistantsView,
  [PAGES.operatorCampaigns.path]: CampaignsView,
  [PAGES.operatorCredentials.path]: CredentialsView,
  [PAGES.operatorTools.path]: ToolsView,
  [PAGES.operatorKeys.path]: ApiKeysView,
};

/** /operator and its pages: the operator console. The server decides who may see what. */
export default function OperatorPage() {
  const session = useSession();
  const [path, navigate] = useLocation();
  const [token, setToken] = useState('');
  const [invited, setInvited] = useState('');
  const isOut = session.status === 'signed-out';
  useEffect(() => {
    // The printed page has no fragment.
    const found = firstOperatorToken(location.hash);
    setToken(found);
    const invitation = colleagueToken(location.hash);
    setInvited(invitation);
    // An invited person reads first who invites to what.
    if (!isOut || isLeaving() || invitation !== '') return;
    // A person who comes with the token of the first start has no account yet, as a rule.
    const door = found === '' ? PAGES.login.path : PAGES.signup.path;
    navigate(door, { replace: true, state: { next: found === '' ? path : `${path}${location.hash}` } });
  }, [isOut, path, navigate]);
  const leaveToken = (): void => {
    navigate(path, { replace: true });
    setToken('');
    setInvited('');
  };
  const enter = (page: string): void => navigate(page, { state: { next: `${path}${location.hash}` } });
  if (session.status === 'signed-in') {
    return (
      <QueryClientProvider client={queriesOf(session.session.user.id)}>
        <Frame path={path} isKnown isBare={invited !== ''}>
          <FactorGate session={session.session}>
            {invited !== '' ? (
              <InvitedColleague
                token={invited}
                account={session.session.user.email?.toLowerCase()}
                hasFactor={hasSecondFactor(session.session)}
                setUp={<AuthenticatorPanel />}
                onEnter={enter}
                onDone={leaveToken}
              />
            ) : token === '' ? (
              <OperatorConsole
                path={path}
                pages={FURTHER_PAGES}
                secondFactor={
                  <SecondFactorForm
                    onConfirmed={() =>
                      queriesOf(session.session.user.id).invalidateQueries({ queryKey: ['operator'] })
                    }
                  />
                }
              />
            ) : (
              <FirstOperator email={session.session.user.email ?? ''} token={token} onDone={leaveToken} />
            )}
          </FactorGate>
        </Frame>
      </QueryClientProvider>
    );
  }
  return (
    <Frame path={path} isBare={invited !== ''}>
      {isOut && invited !== '' ? (
        <InvitedColleague
          token={invited}
          account={undefined}
          hasFactor={false}
          setUp={null}
          onEnter={enter}
          onDone={leaveToken}
        />
      ) : session.status === 'unreachable' ? (
        <div className="panel empty" role="alert">
          <h1>The console could not be reached</h1>
          <p className="meta">Check your connection and try again.</p>
          <Button look="quiet" onClick={session.retry}>
            Try again
          </Button>
        </div>
      ) : (
        <>
          <h1 className="hidden-text">Operator</h1>
          <p className="meta">One moment…</p>
          <noscript>
            <p className="form-error">The console needs JavaScript.</p>
          </noscript>
        </>
      )}
    </Frame>
  );
}

interface FrameProps {
  readonly path: string;
  /** True when somebody is signed in. */
  readonly isKnown?: boolean;
  /** Without the pages, for a person who has no access yet. */
  readonly isBare?: boolean;
  readonly children: ReactNode;
}

function Frame({ path, isKnown = false, isBare = false, children }: FrameProps) {
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <OperatorBar isKnown={isKnown && !isBare} />
      <div className={isBare ? 'wrap' : 'wrap console-frame'}>
        {isBare ? null : <OperatorNav path={path} isKnown={isKnown} />}
        <main id="main" className="dash" tabIndex={-1}>
          {children}
          {isKnown && <ShortcutHelp shortcuts={CONSOLE_KEYS} />}
        </main>
      </div>
    </>
  );
}
