import { Gauge, type Registry } from 'prom-client';
import { readWalStatus, secondsAtRisk } from '../../kernel/resources/database/wal-status.ts';

/**
 * Adds figures of the archive of the write-ahead log, read at each scrape. They are missing when this
 * installation has none.
 */
export function measureWalArchive(dataDir: string, register: Registry): void {
  const gauge = (name: string, help: string, value: () => number | undefined): void => {
    const one: Gauge = new Gauge({
      name,
      help,
      registers: [register],
      collect() {
        one.reset();
        const now = value();
        if (now === undefined) one.remove();
        else one.set(now);
      },
    });
  };
  const status = () => readWalStatus(dataDir);
  gauge(
    'northline_wal_at_risk_seconds',
    'Most seconds of acknowledged work that would be lost with the disk; 0 after a stop that archived everything.',
    () => {
      const known = status();
      return known && secondsAtRisk(known, new Date());
    },
  );
  gauge(
    'northline_wal_waiting_bytes',
    'Bytes of write-ahead log that wait on the disk while they cannot be archived.',
    () => status()?.waiting_bytes,
  );
  gauge('northline_wal_archive_failed', '1 while the write-ahead log cannot be archived.', () => {
    const known = status();
    return known && (known.error === null ? 0 : 1);
  });
}
