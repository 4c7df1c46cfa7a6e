import { formatBytes, formatStorage } from '../../../kernel/contract/formats.ts';
import { LIMITS } from '../../../kernel/contract/limits.ts';
import { DEFAULT_STORAGE_MB } from '../../../kernel/contract/plans.ts';
import { storageUse } from './storage-limit.web.ts';

/**
 * Storage Usage (docs/specification/site.md §2, §9), drawn as a line with its figures below it. `sizes` are the files' sizes in bytes,
 * undefined until they are known; `further` are the sizes of everything else in the storage. `limitBytes` is what
 * the server enforces, undefined until it is known.
 */
export function StorageUsage({
  sizes,
  further = [],
  limitBytes,
}: {
  sizes: readonly number[] | undefined;
  further?: readonly number[];
  limitBytes: number | undefined;
}) {
  const { usedBytes, limitMb, percent, level } = storageUse(
    [...(sizes ?? []), ...further],
    limitBytes ?? DEFAULT_STORAGE_MB * 1024 * 1024,
  );
  const known = sizes !== undefined && limitBytes !== undefined;
  const limit = limitBytes === undefined ? '–' : formatStorage(limitMb);
  return (
    <section className="storage" aria-labelledby="storage-usage" aria-busy={!known}>
      <h2 id="storage-usage">Storage Usage</h2>
      <p className="num">
        <b>{known ? formatBytes(usedBytes) : '–'}</b> of {limit}
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: a native meter cannot be drawn alike in all browsers */}
      <div
        className="track"
        role="meter"
        aria-label="Storage used"
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuetext={`${percent}% of ${limit}`}
        data-level={level}
      >
        <i style={{ width: `${percent}%` }} />
        <b className="tick-warn" />
        <b className="tick-bad" />
      </div>
      {level !== 'ok' && (
        <p className="meta level" data-level={level}>
          {percent >= 100
            ? 'Storage is full. Delete files or choose a larger plan.'
            : `Above ${level === 'bad' ? LIMITS.storageDangerPercent : LIMITS.storageWarnPercent}%: ${percent}% used.`}
        </p>
      )}
      <dl className="meta num">
        <Fact term="Total Files" value={sizes === undefined ? '–' : String(sizes.length)} />
        <Fact term="Storage Used" value={known ? formatBytes(usedBytes) : '–'} />
        <Fact
          term="Storage Limit (MB)"
          value={limitBytes === undefined ? '–' : limitMb.toLocaleString('en-GB')}
        />
      </dl>
    </section>
  );
}

function Fact({ term, value }: { term: string; value: string }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd>{value}</dd>
    </div>
  );
}
