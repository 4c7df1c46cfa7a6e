import type { FactorView, IdentityRow, UserRow } from './user-lookup.server.ts';

/** The user object in replies (docs/contracts/platform.md §2); fields without a value are left out. */
export function userBody(user: UserRow): Record<string, unknown> {
  const email = user.email ?? '';
  const confirmedAt = user.email_confirmed_at ?? user.phone_confirmed_at;
  return {
    id: user.id,
    aud: user.aud,
    role: user.role,
    email,
    ...present({ email_confirmed_at: user.email_confirmed_at, invited_at: user.invited_at }),
    phone: user.phone ?? '',
    ...present({
      phone_confirmed_at: user.phone_confirmed_at,
      confirmation_sent_at: user.confirmation_sent_at,
      confirmed_at: confirmedAt,
      recovery_sent_at: user.recovery_sent_at,
      new_email: user.email_change,
      email_change_sent_at: user.email_change_sent_at,
      new_phone: user.phone_change,
      phone_change_sent_at: user.phone_change_sent_at,
      reauthentication_sent_at: user.reauthentication_sent_at,
      last_sign_in_at: user.last_sign_in_at,
    }),
    app_metadata: user.raw_app_meta_data,
    user_metadata: user.raw_user_meta_data,
    ...(user.factors.length === 0 ? {} : { factors: user.factors.map(factorBody) }),
    identities: user.identities.map(identityBody),
    created_at: user.created_at.toISOString(),
    updated_at: user.updated_at.toISOString(),
    ...present({
      // JSON has no Infinity: it would become null, which means that there is no ban.
      banned_until:
        typeof user.banned_until === 'number' ? String(user.banned_until).toLowerCase() : user.banned_until,
      deleted_at: user.deleted_at,
      deletion_due_at: user.deletion_due_at,
    }),
    is_anonymous: user.is_anonymous,
  };
}

/**
 * `id` is the provider's id for the person, `identity_id` that of the row (docs/contracts/platform.md §2).
 */
function identityBody(identity: IdentityRow): Record<string, unknown> {
  return {
    identity_id: identity.id,
    id: identity.provider_id,
    user_id: identity.user_id,
    identity_data: identity.identity_data,
    provider: identity.provider,
    ...present({ last_sign_in_at: isoTime(identity.last_sign_in_at) }),
    created_at: isoTime(identity.created_at),
    updated_at: isoTime(identity.updated_at),
    ...present({ email: identity.email }),
  };
}

function isoTime(text: string | null): string | null {
  return text === null ? null : new Date(text).toISOString();
}

function present(fields: Record<string, Date | string | null>): Record<string, string> {
  const entries = Object.entries(fields).flatMap(([name, value]) =>
    value === null || value === '' ? [] : [[name, value instanceof Date ? value.toISOString() : value]],
  );
  return Object.fromEntries(entries);
}

/** A factor in replies (docs/contracts/platform.md §2, user object), without its secret. */
export function factorBody(factor: FactorView): Record<string, unknown> {
  return {
    id: factor.id,
    ...(factor.friendly_name ? { friendly_name: factor.friendly_name } : {}),
    factor_type: factor.factor_type,
    status: factor.status,
    phone: factor.phone ?? '',
    created_at: isoTime(factor.created_at),
    updated_at: isoTime(factor.updated_at),
    last_challenged_at: isoTime(factor.last_challenged_at),
  };
}
