import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import { Loaded } from '../../../ui/parts/loaded.tsx';
import type { EventAttempts, EventsPage, OperatorEvent, OperatorTarget } from '../console.contract.ts';
import { Choice, EmptyState, PageHead } from '../parts/console-parts.web.tsx';
import { useMay } from '../parts/console-role.web.tsx';
import { useOperatorAction } from '../parts/operator-action.web.ts';
import { operatorQuery } from '../parts/operator-client.web.ts';
import { shortTime } from '../parts/time-words.web.ts';

const STATES = [
  ['all', 'All'],
  ['dead', 'Failed'],
  ['pending', 'Waiting'],
  ['delivered', 'Delivered'],
] as const;
type State = (typeof STATES)[number][0];

/** Outgoing events: each automation with its queue, and what was sent. */
export function EventsView() {
  const [state, setState] = useState<State>('all');
  const query = useQuery({
    ...operatorQuery<EventsPage>('events', { state }),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHead heading="Notifications" about="Events that go to your other tools." />
      <Loaded query={query}>
        {({ targets, events }) => (
          <>
            {targets.length === 0 ? (
              <EmptyState>No tool is connected yet.</EmptyState>
            ) : (
              <ul className="targets">
                {targets.map((target) => (
                  <TargetCard key={target.name} target={target} />
                ))}
              </ul>
            )}
            <div className="console-tools">
              <h2>Latest events</h2>
              <Choice label="Show" value={state} options={STATES} onChoose={setState} />
            </div>
            {events.length === 0 ? <EmptyState>No event is in this list.</EmptyState> : null}
            {events.length > 0 ? (
              <ul className="panel rows">
                {events.map((event) => (
                  <EventRow key={event.id} event={event} />
                ))}
              </ul>
            ) : null}
          </>
        )}
      </Loaded>
    </>
  );
}

function endpointStatus(target: OperatorTarget): [words: string, tone: string] {
  if (!target.active) return ['Not in the settings', 'none'];
  if (target.disabled_at !== null) return ['Wants no more (410)', 'due'];
  return target.paused_at === null ? ['Open', ''] : ['Paused', 'none'];
}

function TargetCard({ target }: { target: OperatorTarget }) {
  const { busy, act } = useOperatorAction();
  const { name } = target;
  const [words, tone] = endpointStatus(target);
  const mayAct = useMay('act');
  const isHeld = target.paused_at !== null || target.disabled_at !== null;
  return (
    <li className="panel pad target">
      <h2>
        {name}
        <span className="badge" data-status={tone || undefined}>
          {words}
        </span>
      </h2>
      <p className="meta">{target.url}</p>
      <dl className="num">
        {(
          [
            ['waiting', target.pending],
            ['delivered', target.delivered],
            ['dead', target.dead],
          ] as const
        ).map(([label, count]) => (
          <div key={label} data-bad={label === 'dead' && count > 0 ? '' : undefined}>
            <dd>{count}</dd>
            <dt>{label}</dt>
          </div>
        ))}
      </dl>
      {target.active && mayAct ? (
        <div className="console-acts">
          <Button
            small
            look="quiet"
            busy={busy}
            onClick={() =>
              void act(
                { do: 'target.pause', target: name, paused: !isHeld },
                isHeld ? `${name} gets its events again.` : `${name} is paused: its events wait.`,
              )
            }
          >
            {isHeld ? 'Resume' : 'Pause'}
          </Button>
          <Button
            small
            look="quiet"
            busy={busy}
            onClick={() => void act({ do: 'target.test', target: name }, 'A test event is on its way.')}
          >
            Send a test
          </Button>
          {target.dead > 0 ? (
            <Button
              small
              busy={busy}
              onClick={() =>
                void act({ do: 'target.replay', target: name }, (count) => `${count} sent again.`)
              }
            >
              Send failed events again
            </Button>
          ) : null}
        </div>
      ) : null}
    </li>
  );
}

const BADGES: Readonly<Record<OperatorEvent['state'], [words: string, tone: string | undefined]>> = {
  pending: ['Waiting', 'none'],
  delivered: ['Delivered', undefined],
  dead: ['Dead', 'due'],
  cancelled: ['Cancelled', 'none'],
};

function EventRow({ event }: { event: OperatorEvent }) {
  const { busy, act } = useOperatorAction();
  const [open, setOpen] = useState(false);
  const mayAct = useMay('act');
  const [words, tone] = BADGES[event.state];
  return (
    <li className="row">
      <div className="name">
        <b>{event.kind}</b>
        <p className="meta num">
          {event.target ?? 'embedded'} · {shortTime(event.created_at)} · {event.attempts}{' '}
          {event.attempts === 1 ? 'attempt' : 'attempts'}
          {event.last_status === null ? '' : ` · ${event.last_status}`}
        </p>
      </div>
      <span className="badge" data-status={tone}>
        {words}
      </span>
      <div className="acts">
        <Button small look="quiet" aria-expanded={open} onClick={() => setOpen(!open)}>
          Attempts
        </Button>
        {event.state === 'dead' && mayAct ? (
          <Button
            small
            look="quiet"
            busy={busy}
            onClick={() => void act({ do: 'event.replay', id: event.id }, 'It is sent again under its id.')}
          >
            Replay
          </Button>
        ) : null}
      </div>
      {open ? <Attempts id={event.id} /> : null}
    </li>
  );
}

function Attempts({ id }: { id: string }) {
  const query = useQuery(operatorQuery<EventAttempts>('event', { id }));
  return (
    <div className="attempts">
      <p className="meta num">webhook-id {id}</p>
      <Loaded query={query}>
        {({ attempts }) =>
          attempts.length === 0 ? (
            <p className="meta">Nothing was sent yet.</p>
          ) : (
            <ol>
              {attempts.map((attempt) => (
                <li key={attempt.created_at}>
                  <p className="num">
                    <b>{attempt.status ?? 'No answer'}</b> {shortTime(attempt.created_at)},{' '}
                    {attempt.duration_ms} ms
                  </p>
                  {attempt.reply === '' ? null : <pre>{attempt.reply}</pre>}
                </li>
              ))}
            </ol>
          )
        }
      </Loaded>
    </div>
  );
}
