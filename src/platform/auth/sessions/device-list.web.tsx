import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { toast } from 'react-hot-toast/headless';
import { Button } from '../../../ui/parts/button.tsx';
import { nameDevice } from './device-name.web.ts';
import type { OwnSession } from './session-list.contract.ts';
import { endOtherSessions, endSession, sessionsQuery } from './session-list.web.ts';

/** Where the user is signed in; another device can be signed out (ASVS 7.5.2). */
export function DeviceList({ userId }: { userId: string }) {
  const sessions = useQuery(sessionsQuery(userId));
  const queries = useQueryClient();
  const ending = useMutation({
    mutationFn: (id: string | undefined) => (id === undefined ? endOtherSessions() : endSession(id)),
    onSuccess: (_done, id) =>
      toast.success(id === undefined ? 'All other devices were signed out' : 'The device was signed out'),
    onError: (error) => toast.error(error.message),
    onSettled: () => queries.invalidateQueries(sessionsQuery(userId)),
  });
  const others = sessions.data?.filter(({ current }) => !current) ?? [];
  return (
    <section className="panel pad devices" aria-labelledby="devices" aria-busy={sessions.isPending}>
      <h2 id="devices" tabIndex={-1}>
        Where you are signed in
      </h2>
      {sessions.isError ? (
        <div role="alert">
          <p className="fault">{sessions.error.message}</p>
          <Button small look="quiet" onClick={() => void sessions.refetch()}>
            Try again
          </Button>
        </div>
      ) : (
        <ul>
          {sessions.data?.map((session) => (
            <Device
              key={session.id}
              session={session}
              busy={ending.isPending}
              onEnd={() => ending.mutate(session.id)}
            />
          ))}
        </ul>
      )}
      {others.length > 0 && (
        <Button look="quiet" busy={ending.isPending} onClick={() => ending.mutate(undefined)}>
          Sign out all other devices
        </Button>
      )}
    </section>
  );
}

interface DeviceProps {
  readonly session: OwnSession;
  readonly busy: boolean;
  readonly onEnd: () => void;
}

function Device({ session, busy, onEnd }: DeviceProps) {
  const name = nameDevice(session.user_agent);
  const used = new Date(session.last_used_at);
  return (
    <li>
      <div>
        <b>{name}</b>
        {session.current && <span className="badge">This device</span>}
        <p className="meta num">
          Last used{' '}
          <time dateTime={session.last_used_at}>
            {used.toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })}
          </time>
          {session.ip !== null && `, from ${session.ip}`}
        </p>
      </div>
      {!session.current && (
        <Button small look="quiet" busy={busy} aria-label={`Sign out ${name}`} onClick={onEnd}>
          Sign out
        </Button>
      )}
    </li>
  );
}
