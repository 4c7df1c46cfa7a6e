import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatBytes } from '../../../kernel/contract/formats.ts';
import { Loaded } from '../../../ui/parts/loaded.tsx';
import type { HealthPage } from '../health.contract.ts';
import { EmptyState, PageHead, SearchField } from '../parts/console-parts.web.tsx';
import { operatorQuery } from '../parts/operator-client.web.ts';
import { duration, shortTime } from '../parts/time-words.web.ts';

/** The console's Health page: what is wrong, the disk, backups and queues. */
export function HealthView() {
  const query = useQuery(operatorQuery<HealthPage>('health'));
  return (
    <>
      <PageHead heading="Health" about="Is everything running?" />
      <Loaded query={query}>
        {(health) => (
          <div className="health">
            <Findings findings={health.findings} />
            <Figures health={health} />
            <Backups health={health} />
            <Restores health={health} />
            <Queues queues={health.queues} />
          </div>
        )}
      </Loaded>
    </>
  );
}

function Findings({ findings }: Pick<HealthPage, 'findings'>) {
  return (
    <section aria-labelledby="findings">
      <h2 id="findings">Findings</h2>
      {findings.length === 0 ? (
        <EmptyState>Nothing is wrong.</EmptyState>
      ) : (
        <ul className="panel rows">
          {findings.map(({ level, what, act }) => (
            <li className="row" key={what}>
              <span className="name">
                <b>{what}</b> <span className="meta">{act}</span>
              </span>
              <span className="badge" data-status={level === 'fault' ? 'due' : 'none'}>
                {level === 'fault' ? 'Fault' : 'Advice'}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Figures({ health: { disk, databaseBytes } }: { health: HealthPage }) {
  return (
    <section className="panel pad" aria-labelledby="space">
      <h2 id="space">Space</h2>
      <dl className="facts num">
        {disk !== null && (
          <div>
            <dt>Free space</dt>
            <dd>
              {formatBytes(disk.free)} of {formatBytes(disk.size)}
            </dd>
          </div>
        )}
        <div>
          <dt>Database</dt>
          <dd>{formatBytes(databaseBytes)}</dd>
        </div>
      </dl>
    </section>
  );
}

function Backups({ health: { backups, backsUp } }: { health: HealthPage }) {
  return (
    <section aria-labelledby="backups">
      <h2 id="backups">Backups</h2>
      {backups.length === 0 ? (
        <EmptyState>
          {backsUp
            ? 'No backup has been made yet.'
            : 'No daily backup is made: Settings name no place for it.'}
        </EmptyState>
      ) : (
        <ul className="panel rows">
          {backups.map((backup) => (
            <li className="row" key={backup.id}>
              <span className="name">
                <b>{shortTime(backup.finished_at)}</b>{' '}
                <span className="meta num">
                  {backup.error ??
                    `${backup.rows} rows, ${backup.files} files, in ${duration(Date.parse(backup.finished_at) - Date.parse(backup.started_at))}`}
                </span>
              </span>
              <span className="badge" data-status={backup.error === null ? undefined : 'due'}>
                {backup.error === null ? 'Good' : 'Failed'}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function lostNow(seconds: number | null): string {
  if (seconds === null) return 'Not known yet';
  return seconds === 0 ? 'Nothing' : `At most ${Math.ceil(seconds)} s`;
}

const VERIFIED: Readonly<Record<string, string>> = { backup: 'Newest backup', second: 'Latest second' };

/** What can be restored, and when it was last tried. */
function Restores({ health: { verifications, archive, backsUp } }: { health: HealthPage }) {
  if (!backsUp) return null;
  return (
    <section className="panel pad" aria-labelledby="restores">
      <h2 id="restores">Restores</h2>
      <p className="meta">Each night the newest backup is restored into a scratch folder and checked.</p>
      <dl className="facts num">
        {archive !== null && (
          <>
            <div>
              <dt>Every second since</dt>
              <dd>
                {archive.usable_from === null ? 'No copy is complete yet' : shortTime(archive.usable_from)}
              </dd>
            </div>
            <div>
              <dt>Lost with the disk now</dt>
              <dd>
                {lostNow(archive.at_risk_seconds)}
                {archive.waiting_bytes > 0 && `, ${formatBytes(archive.waiting_bytes)} wait`}
              </dd>
            </div>
          </>
        )}
        {verifications.map(({ kind, good_at: good, failed_at: failed, failure }) => (
          <div key={kind}>
            <dt>{VERIFIED[kind] ?? kind}</dt>
            <dd>
              {good === null ? 'Never right' : `Right on ${shortTime(good)}`}
              {failed !== null && `; failed on ${shortTime(failed)}: ${failure}`}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const SHOWN = 50;

function Queues({ queues }: Pick<HealthPage, 'queues'>) {
  const [q, setQ] = useState('');
  const [most, setMost] = useState(SHOWN);
  const found = queues.filter(({ queue }) => queue.toLowerCase().includes(q.toLowerCase()));
  return (
    <section aria-labelledby="queues">
      <h2 id="queues">Jobs</h2>
      <div className="console-tools">
        <SearchField label="Search jobs" onSettled={setQ} />
      </div>
      {found.length === 0 ? (
        <EmptyState>{q === '' ? 'No job waits.' : 'Nothing was found.'}</EmptyState>
      ) : (
        <ul className="panel rows">
          {found.slice(0, most).map(({ queue, waiting, active, failed, late }) => (
            <li className="row" key={queue}>
              <span className="name">
                <b>{queue}</b>{' '}
                <span className="meta num">
                  {waiting} waiting, {active} at work, {failed} failed
                </span>
              </span>
              {late > 60 && (
                <span className="badge" data-status="due">
                  {duration(late * 1000)} late
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {found.length > most && (
        <button type="button" className="btn quiet small more-rows" onClick={() => setMost(most + SHOWN)}>
          Show more
        </button>
      )}
    </section>
  );
}
