import { randomUUID } from 'node:crypto';
import type { NewAccount } from './user-creation.server.ts';
import type { UserRow } from './user-lookup.server.ts';

/** Looks like the reply for a new address; nothing of it is stored. */
export function fakeUserResponse(id: string, { email, phone = null, metadata }: NewAccount): UserRow {
  const provider = email === null ? 'phone' : 'email';
  const now = new Date();
  const time = now.toISOString();
  return {
    id,
    aud: 'authenticated',
    role: 'authenticated',
    email,
    phone,
    encrypted_password: null,
    email_confirmed_at: null,
    phone_confirmed_at: null,
    invited_at: null,
    confirmation_sent_at: now,
    recovery_sent_at: null,
    reauthentication_sent_at: null,
    email_change: null,
    email_change_sent_at: null,
    phone_change: null,
    phone_change_sent_at: null,
    last_sign_in_at: null,
    raw_app_meta_data: { provider, providers: [provider] },
    raw_user_meta_data: metadata,
    locale: null,
    is_sso_user: false,
    is_anonymous: false,
    banned_until: null,
    deleted_at: null,
    deletion_due_at: null,
    created_at: now,
    updated_at: now,
    factors: [],
    identities: [
      {
        id: randomUUID(),
        user_id: id,
        provider,
        provider_id: id,
        identity_data: {
          ...(email === null ? { phone } : { email }),
          email_verified: false,
          phone_verified: false,
          sub: id,
        },
        email,
        last_sign_in_at: time,
        created_at: time,
        updated_at: time,
      },
    ],
  };
}
