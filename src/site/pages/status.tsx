import './inner-pages.css';
import { useEffect, useState } from 'react';
import { STATISTICS_REFRESH_MS } from '../../business/statistics/statistics.contract.ts';
import { ShowStatistics } from '../../business/statistics/statistics-section.web.tsx';
import { UptimeDays } from '../../business/statistics/uptime-days.web.tsx';
import { PageShell } from '../frame/page-shell.tsx';

/** The reply of `/readyz`. */
interface Readiness {
  readonly status: string;
  readonly files: 'available' | 'unavailable';
}

type State = 'asking' | 'works' | 'files' | 'fault' | 'silent';

const WORDS: Readonly<Record<State, readonly [heading: string, sentence: string]>> = {
  asking: ['One moment', 'The server is being asked.'],
  works: ['Everything works', 'The site, accounts, files and calls answer.'],
  files: [
    'Files cannot be reached',
    'Uploads and downloads wait for the store of files. Everything else answers.',
  ],
  fault: ['Something does not work', 'The server answers, and says that it cannot do its work just now.'],
  silent: ['No answer', 'The server could not be reached from here. Check your connection.'],
};

/** Whether everything works now, checked again while the page is visible, and below it the history. */
export default function StatusPage() {
  const state = useReadiness();
  const [heading, sentence] = WORDS[state];
  return (
    <PageShell className="prose status">
      <h1>Status</h1>
      <section className="boxed" aria-live="polite" data-state={state}>
        <h2>{heading}</h2>
        <p>{sentence}</p>
      </section>
      <UptimeDays />
      <ShowStatistics measuredOnly />
    </PageShell>
  );
}

function useReadiness(): State {
  const [state, setState] = useState<State>('asking');
  useEffect(() => {
    const ending = new AbortController();
    const ask = (): void => {
      if (document.visibilityState !== 'visible') return;
      readState(ending.signal).then(
        (found) => setState(found),
        () => {
          if (!ending.signal.aborted) setState('silent');
        },
      );
    };
    ask();
    const timer = setInterval(ask, STATISTICS_REFRESH_MS);
    return () => {
      ending.abort();
      clearInterval(timer);
    };
  }, []);
  return state;
}

async function readState(signal: AbortSignal): Promise<State> {
  const reply = await fetch('/readyz', { signal, cache: 'no-store' });
  const { status, files } = (await reply.json()) as Readiness;
  if (status !== 'ready') return 'fault';
  return files === 'available' ? 'works' : 'files';
}
