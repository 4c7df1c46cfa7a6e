import { formatPreciseTime, formatTime } from '../../contract/dates.ts';

/** When the list was last true: to the second while the socket is up, else since when it is not known. */
export function LiveUpdates({
  live,
  checkedAt,
}: {
  live: boolean /** Epoch milliseconds, 0 before the first answer. */;
  checkedAt: number;
}) {
  const at = new Date(checkedAt);
  const known = checkedAt > 0;
  return (
    <p className="live num" data-live-state={live ? 'on' : 'off'}>
      <i aria-hidden="true" />
      {live ? 'Live updates' : known ? 'Offline, last checked' : 'Offline'}{' '}
      {known && <time dateTime={at.toISOString()}>{live ? formatPreciseTime(at) : formatTime(at)}</time>}
    </p>
  );
}
