import { useEffect, useState } from 'react';
import { formatCount } from '../../kernel/contract/formats.ts';
import { SERVICES } from '../../kernel/contract/routes.ts';
import { callServer } from '../../ui/session/server-call.ts';
import {
  illustrativeStatistics,
  SMALLEST_SAMPLE,
  STATISTICS_REFRESH_MS,
  type Statistics,
} from './statistics.contract.ts';

interface Figure {
  readonly name: string;
  readonly value: string;
  readonly note: string;
}

interface Figures {
  readonly illustrative: boolean;
  readonly list: readonly Figure[];
}

const percent = (value: number, digits = 1): string => `${value.toFixed(digits)}%`;
const dash = '–';

/** The measured figures with their sample. */
function measured(found: Statistics): Figures {
  const {
    days,
    sample,
    median_analysis_seconds: median,
    success_share,
    documents_analysed,
    uptime_share,
  } = found;
  const rests = `of ${formatCount(sample)} analyses in ${days} days`;
  return {
    illustrative: false,
    list: [
      { name: 'Median analysis time', value: median === null ? dash : `${median.toFixed(1)} s`, note: rests },
      {
        name: 'Analyses that succeeded',
        value: success_share === null ? dash : percent(success_share * 100),
        note: rests,
      },
      {
        name: 'Documents analysed',
        value: documents_analysed === null ? dash : formatCount(documents_analysed),
        note: `in ${days} days`,
      },
      {
        name: 'Uptime',
        value: uptime_share === null ? dash : percent(uptime_share * 100, 2),
        note: `over ${days} days`,
      },
    ],
  };
}

/** The specified formula, for sites with too little data to measure (docs/specification/site.md §9). */
function illustrative(): Figures {
  const found = illustrativeStatistics();
  return {
    illustrative: true,
    list: [
      { name: 'Faster processing', value: percent(found.processing), note: 'against reading by hand' },
      { name: 'Accuracy', value: percent(found.accuracy), note: 'of the facts found' },
      { name: 'Cost reduction', value: percent(found.costReduction), note: 'per document' },
      { name: 'Uptime', value: percent(found.uptime, 2), note: 'of the service' },
    ],
  };
}

async function fetchFigures(): Promise<Figures> {
  const reply = await callServer(SERVICES.statistics, { as: 'anyone' });
  const found = (await reply.json()) as Statistics;
  return found.basis === 'measured' ? measured(found) : illustrative();
}

const TOO_LITTLE = `How long analyses take, how many succeed and how much of the time the service ran is shown from ${SMALLEST_SAMPLE} analyses on.`;

/** The labels in the printed page until the figures arrive. */
const WAITING: Figures = {
  illustrative: false,
  list: ['Analysis time', 'Success', 'Documents', 'Uptime'].map((name) => ({ name, value: dash, note: ' ' })),
};

/**
 * Four live statistics, refreshed every 30 s while the page is visible. Measured figures name their sample;
 * results of the specified formula are labelled Illustrative (docs/specification/site.md §10).
 *
 * @param measuredOnly says that there is too little data and does not show the formula
 */
export function ShowStatistics({ measuredOnly = false }: { measuredOnly?: boolean }) {
  const [figures, setFigures] = useState(WAITING);
  useEffect(() => {
    let stopped = false;
    const load = (): void => {
      if (document.visibilityState !== 'visible') return;
      fetchFigures().then(
        (found) => {
          if (!stopped) setFigures(found);
        },
        () => {
          // Old figures are better than none, and the next round asks again.
        },
      );
    };
    load();
    const timer = setInterval(load, STATISTICS_REFRESH_MS);
    return () => {
      stopped = true;
      clearInterval(timer);
    };
  }, []);
  if (measuredOnly && figures.illustrative) return <p className="meta">{TOO_LITTLE}</p>;
  return (
    <figure className="board statistics">
      <figcaption>
        <b>Our figures</b>
        {figures.illustrative ? <span className="illustrative">Illustrative</span> : null}
      </figcaption>
      <dl>
        {figures.list.map(({ name, value, note }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {value}
              <small>{note}</small>
            </dd>
          </div>
        ))}
      </dl>
    </figure>
  );
}
