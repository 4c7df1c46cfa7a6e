import { useEffect, useState } from 'react';
import { formatIsoDay } from '../../kernel/contract/dates.ts';
import { SERVICES } from '../../kernel/contract/routes.ts';
import { callServer } from '../../ui/session/server-call.ts';
import type { Statistics } from './statistics.contract.ts';

type Day = Statistics['uptime_days'][number];

/** Never more than it was: 99.999 is 99.99. */
const percent = ({ share }: Day): string => `${Math.floor(share * 10_000) / 100}%`;
const words = (day: Day): string => `${formatIsoDay(day.day)}: ${percent(day)}`;

async function readDays(): Promise<readonly Day[]> {
  const reply = await callServer(SERVICES.statistics, { as: 'anyone' });
  return ((await reply.json()) as Statistics).uptime_days;
}

/** A bar for each measured day of service, and the days with gaps in words; nothing where no day is measured. */
export function UptimeDays() {
  const [days, setDays] = useState<readonly Day[]>([]);
  useEffect(() => {
    readDays().then(setDays, () => {
      // Without an answer, the page says so above.
    });
  }, []);
  if (days.length === 0) return null;
  const gaps = days.filter(({ share }) => share < 1);
  return (
    <section aria-labelledby="uptime">
      <h2 id="uptime">Day by day</h2>
      <p>The share of each day in which the service ran, since its first start and for 30 days at most.</p>
      <ol className="uptime">
        {days.map((day) => (
          <li key={day.day} data-gap={day.share < 1 || undefined} title={words(day)}>
            <i style={{ height: `${day.share * 100}%` }} />
            <span className="hidden-text">{words(day)}</span>
          </li>
        ))}
      </ol>
      <p className="meta num">
        {gaps.length === 0 ? 'It ran all the time.' : `Days with gaps: ${gaps.map(words).join(', ')}.`}
      </p>
    </section>
  );
}
