import type { Session } from '@supabase/supabase-js';
import type { ReactNode } from 'react';
import { SecondFactorForm } from './second-factor-form.web.tsx';

/** Shows its children once a second factor that is set up has been given at this sign-in. */
export function FactorGate({ session, children }: { session: Session; children: ReactNode }) {
  return needsSecondFactor(session) ? <SecondFactorForm /> : children;
}

function needsSecondFactor({ access_token: token, user }: Session): boolean {
  const verified = user.factors?.some(({ status }) => status === 'verified') ?? false;
  return verified && levelOf(token) !== 'aal2';
}

/** The assurance level that an access token states; the server checks the token itself. */
function levelOf(token: string): unknown {
  const payload = token.split('.')[1] ?? '';
  return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))).aal;
}
