import { expect } from 'vitest';
import type { SettingPart } from '../../src/voice/records/setting-effects.contract.ts';

/**
 * Says which sentences of pages, mails and messages the test at hand proves in other words than theirs: it fails when
 * one of them is not true. `tests/claims.test.ts` reads these calls from the sources.
 *
 * @throws Error outside of a test
 */
export function claims(first: string, ...sentences: string[]): void {
  requireTest(first, ...sentences);
}

/**
 * Says which settings of a part (`SETTING_EFFECTS`) the test at hand shows at work.
 *
 * @throws Error outside of a test
 */
export function showsSettings(part: SettingPart, first: string, ...places: string[]): void {
  requireTest(part, first, ...places);
}

function requireTest(...claimed: string[]): void {
  if (expect.getState().currentTestName === undefined)
    throw new Error(`Only a test can claim this: ${claimed.join(' ')}`);
}
