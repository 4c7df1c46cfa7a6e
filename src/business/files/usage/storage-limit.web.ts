import { LIMITS } from '../../../kernel/contract/limits.ts';

/** Bytes of a megabyte as the plans count it. */
const MEGABYTE = 1024 * 1024;

/** How full the user's storage is. */
export interface StorageUse {
  readonly usedBytes: number;
  readonly limitMb: number;
  /** Whole percent, at most 100. */
  readonly percent: number;
  /** Green up to 75 %, yellow above, red above 90 (docs/specification/site.md §2). */
  readonly level: 'ok' | 'warn' | 'bad';
}

/** How full the storage is. `limitBytes` is what the server enforces (docs/specification/site.md §9). */
export function storageUse(fileSizes: readonly number[], limitBytes: number): StorageUse {
  const usedBytes = fileSizes.reduce((sum, size) => sum + size, 0);
  const limitMb = limitBytes / MEGABYTE;
  const exact = (usedBytes / limitBytes) * 100;
  const level =
    exact > LIMITS.storageDangerPercent ? 'bad' : exact > LIMITS.storageWarnPercent ? 'warn' : 'ok';
  return { usedBytes, limitMb, percent: Math.min(100, Math.round(exact)), level };
}
