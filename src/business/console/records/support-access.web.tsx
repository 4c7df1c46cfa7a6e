import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { Button } from '../../../ui/parts/button.tsx';
import { ownTables } from '../../../ui/session/client.ts';
import { shortTime } from '../parts/time-words.web.ts';
import type { SupportAccess } from './portal-view.contract.ts';

/** How long an answer counts, ms: what the customer sees ends within a minute of the access. */
const FRESH_MS = 60_000;

/** @throws the service's error */
async function readAccess(): Promise<SupportAccess> {
  const { data, error } = await (await ownTables()).rpc('support_access');
  if (error !== null) throw error;
  return (data as SupportAccess | null) ?? { until: null, looks: [] };
}

const supportQuery = (userId: string) =>
  queryOptions({
    queryKey: ['support access', userId],
    queryFn: readAccess,
    staleTime: FRESH_MS,
    refetchInterval: ({ state }) => (state.data?.until == null ? false : FRESH_MS),
  });

/** Until when the agency may look; undefined when it may not. */
function lasting({ until }: SupportAccess): string | undefined {
  return until !== null && Date.parse(until) > Date.now() ? until : undefined;
}

function useSupportChange(userId: string) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  return {
    busy,
    async change(procedure: 'allow_support' | 'end_support', done: string): Promise<void> {
      setBusy(true);
      try {
        const { error } = await (await ownTables()).rpc(procedure);
        if (error !== null) throw error;
        toast.success(done);
      } catch (error) {
        toast.error((error as Error).message);
      }
      await queries.invalidateQueries(supportQuery(userId));
      setBusy(false);
    },
  };
}

const ENDED = 'We cannot see your portal any more.';

/** Above every page of the portal while the agency may see it. */
export function SupportBanner({ userId }: { userId: string }) {
  const { data } = useQuery(supportQuery(userId));
  const { busy, change } = useSupportChange(userId);
  const until = data === undefined ? undefined : lasting(data);
  if (until === undefined) return null;
  return (
    <div className="support-banner" role="status">
      <p>You let us see your portal until {shortTime(until)}.</p>
      <Button small look="quiet" busy={busy} onClick={() => void change('end_support', ENDED)}>
        End it now
      </Button>
    </div>
  );
}

const PAGE_WORDS: Readonly<Record<string, string>> = {
  files: 'Files',
  courses: 'Course',
  messages: 'Messages',
  billing: 'Billing',
};

/** On the Account tab: lets the agency see the portal for an hour, and shows when it looked at what. */
export function SupportPanel({ userId }: { userId: string }) {
  const query = useQuery(supportQuery(userId));
  const { busy, change } = useSupportChange(userId);
  const until = query.data === undefined ? undefined : lasting(query.data);
  const looks = query.data?.looks ?? [];
  return (
    <section className="panel pad" aria-labelledby="support-access" aria-busy={query.isPending}>
      <h2 id="support-access">Support access</h2>
      <p className="meta">
        When you need help, you can let us see your portal for an hour. We then see your files, messages,
        courses and billing. We can change nothing.
      </p>
      {query.isError && <p className="fault">Your support access could not be loaded.</p>}
      {until === undefined ? (
        <Button
          look="quiet"
          busy={busy}
          disabled={query.data === undefined}
          onClick={() => void change('allow_support', 'We can see your portal for an hour.')}
        >
          Allow for an hour
        </Button>
      ) : (
        <>
          <p>We can see your portal until {shortTime(until)}.</p>
          <Button look="quiet" busy={busy} onClick={() => void change('end_support', ENDED)}>
            End it now
          </Button>
        </>
      )}
      {looks.length > 0 && (
        <>
          <h3>What we looked at</h3>
          <ul className="support-looks num">
            {looks.map(({ at, page, file }) => (
              <li key={`${at} ${page}`}>
                <span>{file == null ? (PAGE_WORDS[page] ?? page) : `${file}, downloaded`}</span>
                <time className="meta" dateTime={at}>
                  {shortTime(at)}
                </time>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
