import { expect } from 'vitest';
import type { SettingPart } from '../../src/voice/records/setting-effects.contract.ts';

/**
 * Names the sentences of pages, mails and messages that the running test proves without quoting them: the test fails when
 * one of them is not true. `tests/claims.test.ts` reads these calls from the sources.
 *
 * @throws Error outside of a test
 */
export function claims(first: string, ...sentences: string[]): void {
  requireTest(first, ...sentences);
}

/**
 * Names the settings of a part (`SETTING_EFFECTS`) whose effect the running test shows.
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
