import { supabase } from '../../../ui/session/client.ts';

/** The number of unused codes; null when no set exists. @throws AuthError */
export async function readRemaining(): Promise<number | null> {
  const { data, error } = await (await supabase()).auth.mfa.recoveryCodes.getStatus();
  if (error?.code === 'mfa_factor_not_found') return null;
  if (error !== null) throw error;
  return data.remaining;
}

/**
 * Creates ten codes, which replace earlier ones, and notes in the account that nobody has kept them yet.
 *
 * @throws AuthError
 */
export async function createRecoveryCodes(): Promise<readonly string[]> {
  await noteUnkept(true);
  const { recoveryCodes } = (await supabase()).auth.mfa;
  const { data, error } = await ((await readRemaining()) === null
    ? recoveryCodes.generate()
    : recoveryCodes.regenerate());
  if (error !== null) throw error;
  return data.codes;
}

/** Asks for new codes: `FactorGate` then shows the step that creates them. @throws AuthError */
export function replaceRecoveryCodes(): Promise<void> {
  return noteUnkept(true);
}

/** Notes that the person has kept the newest codes. @throws AuthError */
export function keepRecoveryCodes(): Promise<void> {
  return noteUnkept(null);
}

/** Null removes the note. */
async function noteUnkept(unkept: true | null): Promise<void> {
  const { auth } = await supabase();
  const { error } = await auth.updateUser({ data: { recovery_codes_unkept: unkept } });
  if (error !== null) throw error;
}

/** In groups of four, as people read them. The server ignores the hyphens. */
export function groupCode(code: string): string {
  return code.replace(/.{4}(?=.)/g, '$&-');
}
