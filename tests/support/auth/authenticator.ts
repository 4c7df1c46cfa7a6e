import type { Session, SupabaseClient } from '@supabase/supabase-js';
import { totpCode, totpStep } from '../../../src/platform/auth/factors/totp.server.ts';
import { newClient, PASSWORD, type Person, signUpPerson } from '../customers/auth-client.ts';
import type { TestApp } from '../test-app.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The authenticator's side: reads the secret as a person would type it. */
export function codeOf(secret: string, stepsFromNow = 0): string {
  const bits = [...secret].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  return totpCode(bytes, totpStep(Date.now()) + stepsFromNow);
}

/** A person whose authenticator counts and whose session is at aal2; the code of the step before was used. */
export async function enrolledPerson(app: TestApp): Promise<Person & { factorId: string; secret: string }> {
  const person = await signUpPerson(app);
  const { mfa } = person.client.auth;
  const { data } = await mfa.enroll({ factorType: 'totp', friendlyName: 'Phone', issuer: 'Northline' });
  if (data === null) throw new Error('not enrolled');
  const { error } = await mfa.challengeAndVerify({ factorId: data.id, code: codeOf(data.totp.secret, -1) });
  if (error !== null) throw error;
  return { ...person, factorId: data.id, secret: data.totp.secret };
}

/** The same person on another device, at the first level. */
export async function signInAgain(
  app: TestApp,
  person: Person,
): Promise<{ client: SupabaseClient; session: Session }> {
  const client = newClient(app);
  const { data } = await client.auth.signInWithPassword({ email: person.email, password: PASSWORD });
  if (data.session === null) throw new Error('no session');
  return { client, session: data.session };
}
