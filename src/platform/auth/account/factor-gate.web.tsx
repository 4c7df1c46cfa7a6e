import type { Session } from '@supabase/supabase-js';
import { type ReactNode, Suspense } from 'react';
import { lazyPart } from '../../../ui/parts/lazy-part.tsx';

// Few people need them, and only once in a session.
const SecondFactorForm = lazyPart(
  () => import('./second-factor-form.web.tsx'),
  ({ SecondFactorForm: Part }) => Part,
);
const RecoveryCodesStep = lazyPart(
  () => import('./recovery-codes-step.web.tsx'),
  ({ RecoveryCodesStep: Part }) => Part,
);

/**
 * Shows its children once the person has used their second factor in this session, if they have one, and has
 * kept the recovery codes that stand in for it.
 */
export function FactorGate({ session, children }: { session: Session; children: ReactNode }) {
  const asks = needsSecondFactor(session);
  if (!asks && !needsRecoveryCodes(session)) return children;
  return (
    <Suspense fallback={<div className="page-waiting" aria-busy="true" />}>
      {asks ? <SecondFactorForm /> : <RecoveryCodesStep />}
    </Suspense>
  );
}

/** Whether the account has a second factor that this session has not used yet. */
export function needsSecondFactor(session: Session): boolean {
  return hasSecondFactor(session) && levelOf(session.access_token) !== 'aal2';
}

/** Whether the account has a second factor. */
export const hasSecondFactor = (session: Session): boolean => verifiedFactors(session).length > 0;

/** Whether a factor has no recovery codes, or nobody has said yet that they are kept. */
function needsRecoveryCodes(session: Session): boolean {
  const types = verifiedFactors(session).map(({ factor_type: type }) => String(type));
  if (types.length === 0) return false;
  return session.user.user_metadata.recovery_codes_unkept === true || !types.includes('recovery_code');
}

const verifiedFactors = ({ user }: Session) =>
  user.factors?.filter(({ status }) => status === 'verified') ?? [];

/** The assurance level in an access token; the server verifies the token itself. */
function levelOf(token: string): unknown {
  const payload = token.split('.')[1] ?? '';
  return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))).aal;
}
