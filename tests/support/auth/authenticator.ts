import type { Session, SupabaseClient } from '@supabase/supabase-js';
import { totpCode, totpStep } from '../../../src/platform/auth/factors/totp.server.ts';
import { newClient, PASSWORD, type Person, signUpPerson } from '../customers/auth-client.ts';
import type { TestApp } from '../test-app.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Acts as the authenticator: reads the secret as a person would type it. */
export function codeOf(secret: string, stepsFromNow = 0): string {
  const bits = [...secret].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const bytes = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  return totpCode(bytes, totpStep(Date.now()) + stepsFromNow);
}

/**
 * Makes the last used code look old, so that the current code can be used. (Using the code of the previous
 * step would fail whenever a step ends on the way to the server.)
 */
export async function ageLastCode(app: TestApp): Promise<void> {
  await app.resources.database.run('update auth.mfa_factors set last_step = last_step - 10');
}

/** A person with a verified authenticator and a session at aal2; the current code can be used. */
export async function enrolledPerson(app: TestApp): Promise<Person & { factorId: string; secret: string }> {
  const person = await signUpPerson(app);
  const { mfa } = person.client.auth;
  const { data } = await mfa.enroll({ factorType: 'totp', friendlyName: 'Phone', issuer: 'Northline' });
  if (data === null) throw new Error('not enrolled');
  const { error } = await mfa.challengeAndVerify({ factorId: data.id, code: codeOf(data.totp.secret) });
  if (error !== null) throw error;
  await ageLastCode(app);
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
