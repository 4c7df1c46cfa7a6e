import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Choice, EmptyState } from '../../business/console/parts/console-parts.web.tsx';
import { operatorQuery } from '../../business/console/parts/operator-client.web.ts';
import { Loaded } from '../../ui/parts/loaded.tsx';
import type { CallFigures } from './call-list.contract.ts';
import { reasonWords } from './call-words.web.ts';

const SPANS = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
] as const;
const LATENCIES: Readonly<Record<string, string>> = {
  turnLatency: 'Until the reply is heard',
  endpointingLatency: 'Knowing that the caller is done',
  transcriberLatency: 'Knowing the words',
  modelLatency: 'Knowing the answer',
  voiceLatency: 'Speaking it',
  playoutLatency: 'Sending it',
};

/** Figures of calls: how many, how long, how many were answered, how fast, and why they ended. */
export function CallFiguresView() {
  const [days, setDays] = useState<'7' | '30' | '90'>('30');
  const query = useQuery({
    ...operatorQuery<CallFigures>('call-figures', { days }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <div className="console-tools">
        <Choice label="Last" value={days} options={SPANS} onChoose={setDays} />
      </div>
      <Loaded query={query}>
        {(figures) =>
          figures.calls === 0 ? (
            <div className="figures">
              <EmptyState>Nobody called in this time.</EmptyState>
            </div>
          ) : (
            <div className="figures">
              <Totals figures={figures} />
              <DayPlot figures={figures} what="calls" words="Calls a day" />
              <DayPlot figures={figures} what="minutes" words="Minutes a day" />
              <Bars
                words="Why calls ended"
                rows={figures.reasons.map(({ reason, calls }) => [reasonWords(reason), calls, String(calls)])}
              />
              <Latency figures={figures} />
            </div>
          )
        }
      </Loaded>
    </>
  );
}

const share = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`;

function Totals({ figures }: { figures: CallFigures }) {
  const rows = [
    ['Calls', String(figures.calls)],
    ['Answered', share(figures.answered, figures.calls)],
    ['Minutes', figures.minutes.toFixed(figures.minutes < 10 ? 1 : 0)],
    ['Wishes met', share(figures.successful, figures.judged)],
  ] as const;
  return (
    <dl className="panel pad figure-totals num">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const [WIDTH, HEIGHT, GAP] = [600, 160, 2] as const;

/** One bar a day; the answered calls are its darker part. */
function DayPlot({
  figures,
  what,
  words,
}: {
  figures: CallFigures;
  what: 'calls' | 'minutes';
  words: string;
}) {
  const { days } = figures;
  const most = Math.max(1, ...days.map((day) => day[what]));
  const step = WIDTH / days.length;
  const height = (value: number): number => (HEIGHT * value) / most;
  const total = days.reduce((sum, day) => sum + day[what], 0);
  const busiest = days.reduce((best, day) => (day[what] > best[what] ? day : best), days[0] ?? NO_DAY);
  return (
    <figure className="panel pad figure-plot">
      <figcaption>
        <b>{words}</b>
        <span className="meta num">
          at most {round(busiest[what])}, on {dayWords(busiest.day)}
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${words}: ${round(total)} in ${days.length} days, at most ${round(busiest[what])} on ${dayWords(busiest.day)}`}
      >
        {days.map((day, at) => (
          <g key={day.day} transform={`translate(${at * step} 0)`}>
            <title>{`${dayWords(day.day)}: ${round(day[what])}`}</title>
            <rect
              className="plot-all"
              width={step - GAP}
              y={HEIGHT - height(day[what])}
              height={height(day[what])}
            />
            {what === 'calls' && (
              <rect
                className="plot-part"
                width={step - GAP}
                y={HEIGHT - height(day.answered)}
                height={height(day.answered)}
              />
            )}
          </g>
        ))}
      </svg>
      <p className="meta num figure-axis">
        <span>{dayWords(days[0]?.day ?? '')}</span>
        {what === 'calls' && (
          <span>
            <i className="plot-key" /> answered <i className="plot-key" data-all="" /> not answered
          </span>
        )}
        <span>{dayWords(days.at(-1)?.day ?? '')}</span>
      </p>
    </figure>
  );
}

const NO_DAY = { day: '', calls: 0, answered: 0, minutes: 0 };
const round = (value: number): string => String(Math.round(value * 10) / 10);
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const dayWords = (day: string): string => (day === '' ? '' : DAY.format(new Date(`${day}T12:00:00Z`)));

function Bars({ words, rows }: { words: string; rows: readonly [string, number, string][] }) {
  const most = Math.max(1, ...rows.map(([, value]) => value));
  return (
    <section className="panel pad figure-bars">
      <h2>{words}</h2>
      <dl className="num">
        {rows.map(([name, value, said]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <i style={{ inlineSize: `${(100 * value) / most}%` }} />
              {said}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Latency({ figures: { latency, turns } }: { figures: CallFigures }) {
  if (turns === 0) return null;
  const ms = (value: number | null): string => (value === null ? '–' : String(Math.round(value)));
  return (
    <section className="panel pad figure-bars">
      <h2>How fast the assistant answers</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled content must be reachable by keyboard */}
      <section className="console-table" aria-label="Milliseconds by part" tabIndex={0}>
        <table className="num">
          <thead>
            <tr>
              <th scope="col">Milliseconds</th>
              <th scope="col">Half below</th>
              <th scope="col">95 % below</th>
              <th scope="col">99 % below</th>
            </tr>
          </thead>
          <tbody>
            {latency.map(({ part, p50, p95, p99 }) => (
              <tr key={part}>
                <th scope="row">{LATENCIES[part] ?? part}</th>
                <td>{ms(p50)}</td>
                <td>{ms(p95)}</td>
                <td>{ms(p99)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p className="meta num">Over {turns === 1 ? 'one spoken answer' : `${turns} spoken answers`}.</p>
    </section>
  );
}
