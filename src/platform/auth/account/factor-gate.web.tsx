import type { Session } from '@supabase/supabase-js';
import type { ReactNode } from 'react';
import { SecondFactorForm } from './second-factor-form.web.tsx';

/** Shows its children once the person has used their second factor in this session, if they have one. */
export function FactorGate({ session, children }: { session: Session; children: ReactNode }) {
  return needsSecondFactor(session) ? <SecondFactorForm /> : children;
}

function needsSecondFactor({ access_token: token, user }: Session): boolean {
  const verified = user.factors?.some(({ status }) => status === 'verified') ?? false;
  return verified && levelOf(token) !== 'aal2';
}

/** The assurance level in an access token; the server verifies the token itself. */
function levelOf(token: string): unknown {
  const payload = token.split('.')[1] ?? '';
  return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))).aal;
}
