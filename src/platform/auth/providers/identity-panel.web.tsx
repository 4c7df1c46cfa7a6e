import type { UserIdentity } from '@supabase/supabase-js';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { formatDate } from '../../../kernel/contract/dates.ts';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { supabase } from '../../../ui/session/client.ts';
import { SECTION_QUERY } from '../site/account-sections.web.ts';
import { explainLinkError } from '../site/auth-error-words.web.ts';
import { useSubmission } from '../site/submission.web.ts';
import { type SignInWays, useSignInWays } from './sign-in-settings.web.ts';

const KEY = ['identities'];

/**
 * The addresses and providers that open the account. People add and remove them here, if the operator allows
 * it.
 */
export function IdentityPanel() {
  const ways = useSignInWays();
  const query = useQuery({ queryKey: KEY, queryFn: readIdentities });
  const [failed] = useState(() => explainLinkError(location.hash, location.search));
  // The address is cleaned, so that the message appears once; not before, as React may draw the panel anew until then.
  useEffect(() => {
    if (failed !== undefined) history.replaceState(history.state, '', location.pathname);
  }, [failed]);
  const { busy, error, run } = useSubmission(() => {});
  const queries = useQueryClient();
  const link = (provider: string): Promise<void> =>
    run(async () => {
      const { auth } = await supabase();
      const { error: refusal } = await auth.linkIdentity({
        provider: provider as 'google',
        options: { redirectTo: `${location.origin}${PAGES.account.path}?${SECTION_QUERY}=security` },
      });
      if (refusal !== null) throw refusal;
    });
  const unlink = (identity: UserIdentity): Promise<void> =>
    run(async () => {
      const { auth } = await supabase();
      const { error: refusal } = await auth.unlinkIdentity(identity);
      if (refusal !== null) throw refusal;
      toast.success('That way to sign in was removed');
      await auth.refreshSession();
      await queries.invalidateQueries({ queryKey: KEY });
    });
  const identities = query.data ?? [];
  const linked = new Set(identities.map(({ provider }) => provider));
  return (
    <section className="panel pad" aria-labelledby="identities" aria-busy={query.isPending}>
      <h2 id="identities" tabIndex={-1}>
        Linked sign-ins
      </h2>
      <p className="meta">What opens this account. The last one always stays.</p>
      {query.isError && (
        <p className="fault" role="alert">
          Your sign-ins could not be read.{' '}
          <button type="button" className="text-btn" onClick={() => void query.refetch()}>
            Try again
          </button>
        </p>
      )}
      <ul className="passkeys">
        {identities.map((identity) => (
          <IdentityRow
            key={identity.identity_id}
            identity={identity}
            label={labelOf(identity.provider, ways)}
            busy={busy}
            onUnlink={ways?.linking === true && identities.length > 1 ? unlink : undefined}
          />
        ))}
      </ul>
      {(error ?? failed) !== undefined && (
        <p className="fault" role="alert">
          {error ?? failed}
        </p>
      )}
      {ways?.linking === true && (
        <p className="data-acts">
          {ways.providers
            .filter(({ name }) => !linked.has(name))
            .map(({ name, label }) => (
              <Button key={name} look="quiet" busy={busy} onClick={() => void link(name)}>
                Link {label}
              </Button>
            ))}
        </p>
      )}
    </section>
  );
}

interface RowProps {
  readonly identity: UserIdentity;
  readonly label: string;
  readonly busy: boolean;
  /** Undefined when the identity cannot be removed. */
  readonly onUnlink: ((identity: UserIdentity) => Promise<void>) | undefined;
}

function IdentityRow({ identity, label, busy, onUnlink }: RowProps) {
  const [asking, setAsking] = useState(false);
  const { email } = (identity.identity_data ?? {}) as { email?: unknown };
  const used = identity.last_sign_in_at;
  return (
    <li>
      <div>
        <b>{label}</b>
        <p className="meta num">
          {[
            typeof email === 'string' && email !== '' ? email : undefined,
            used === undefined || used === null ? 'not used yet' : `used on ${formatDate(new Date(used))}`,
          ]
            .filter((part) => part !== undefined)
            .join(', ')}
        </p>
        {asking && (
          <p>
            {identity.provider === 'email'
              ? 'Your password will no longer open this account.'
              : `${label} will no longer open this account.`}
          </p>
        )}
      </div>
      {onUnlink !== undefined && (
        <span className="data-acts">
          {asking && (
            <Button
              small
              look="danger"
              busy={busy}
              aria-label={`Yes, unlink ${label}`}
              onClick={() => void onUnlink(identity).finally(() => setAsking(false))}
            >
              Unlink
            </Button>
          )}
          <Button
            small
            look="quiet"
            busy={busy}
            aria-label={asking ? `Keep ${label}` : `Unlink ${label}`}
            onClick={() => setAsking(!asking)}
          >
            {asking ? 'Keep' : 'Unlink'}
          </Button>
        </span>
      )}
    </li>
  );
}

const OWN_LABELS: Readonly<Record<string, string>> = { email: 'Email and password', phone: 'Phone number' };

const labelOf = (provider: string, ways: SignInWays | undefined): string =>
  ways?.providers.find(({ name }) => name === provider)?.label ??
  OWN_LABELS[provider] ??
  provider.replace(/^sso:.*/, 'Company sign-on');

async function readIdentities(): Promise<UserIdentity[]> {
  const { auth } = await supabase();
  const { data, error } = await auth.getUserIdentities();
  if (error !== null) throw error;
  return data.identities;
}
