import { openWorld, type Place } from './calling-world.ts';
import { callAccounts, callPhoneFactor } from './cases/account-cases.ts';
import { callAdmin } from './cases/admin-cases.ts';
import { callAuth, callFactors, callSignOut } from './cases/auth-cases.ts';
import { callData } from './cases/data-cases.ts';
import { callFunctions } from './cases/function-cases.ts';
import { callProviders } from './cases/provider-cases.ts';
import { callRealtime } from './cases/realtime-cases.ts';
import { callStorage } from './cases/storage-cases.ts';
import { clientMethods } from './client-methods.ts';
import type { RecordedCall } from './record-calls.ts';

/** The result of a run of all cases. */
export interface CasesRun {
  readonly calls: readonly RecordedCall[];
  /** Every method of the client in this environment. */
  readonly methods: readonly string[];
}

/** Runs every case against the product, in Node or in a page. */
export async function runCases(place: Place): Promise<CasesRun> {
  const calls: RecordedCall[] = [];
  const world = openWorld(place, calls);
  try {
    await callAuth(world);
    await callAccounts(world);
    await callProviders(world);
    await callFactors(world);
    await callPhoneFactor(world);
    await callAdmin(world);
    await callData(world);
    await callStorage(world);
    await callRealtime(world);
    await callFunctions(world);
    await callSignOut(world);
    return { calls, methods: clientMethods(world.visitor) };
  } finally {
    await world.close();
  }
}

// The page that a test opens has no other access to it.
Object.assign(globalThis, { runCases });
