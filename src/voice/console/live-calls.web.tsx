import { useEffect, useRef, useState } from 'react';
import { May, useMay } from '../../business/console/parts/console-role.web.tsx';
import { useOperatorCall } from '../../business/console/parts/operator-action.web.ts';
import { Button } from '../../ui/parts/button.tsx';
import { useLiveCalls } from './call-changes.web.ts';
import type { LiveCalls, LiveLine } from './call-list.contract.ts';
import { lengthOf, stateWords, typeWords } from './call-words.web.ts';
import { HeadsetActs } from './headset/headset-acts.web.tsx';

const SECOND_MS = 1000;
const SPEAKERS = { user: 'Caller', assistant: 'Assistant', colleague: 'Colleague' } as const;

/** The calls in progress with their words; nothing is shown while there are none. */
export function LiveCallsView() {
  const { query, live } = useLiveCalls();
  const calls = query.data?.calls ?? [];
  if (calls.length === 0) return null;
  return (
    <section className="live-calls" aria-labelledby="live-calls">
      <h2 id="live-calls">
        {calls.length === 1 ? 'One call goes on' : `${calls.length} calls go on`}
        {!live && <span className="meta"> The line to the server is down; this may be old.</span>}
      </h2>
      <ul>
        {calls.map((call) => (
          <LiveCall key={call.id} call={call} />
        ))}
      </ul>
    </section>
  );
}

function LiveCall({ call }: { call: LiveCalls['calls'][number] }) {
  const { busy, ask } = useOperatorCall();
  const mayAttend = useMay('call-headset');
  const who = call.caller ?? typeWords(call.type);
  const hangUp = () =>
    void ask<{ ended: boolean }>('end-call', { id: call.id }, ({ ended }) =>
      ended ? 'The call is over.' : 'The call ends within ten seconds.',
    );
  return (
    <li className="live-call">
      <div className="live-head">
        <p>
          <b>{who}</b>{' '}
          <span>
            {stateWords(call.status)}
            {call.assistant_name !== null && ` with ${call.assistant_name}`}
          </span>
        </p>
        <LiveLength from={call.started_at} />
        <May call="end-call">
          <Button small look="quiet" busy={busy} aria-label={`Hang up the call of ${who}`} onClick={hangUp}>
            Hang up
          </Button>
        </May>
      </div>
      {call.status === 'in-progress' && mayAttend && <HeadsetActs call={call} who={who} />}
      <LiveLines lines={call.lines} who={who} />
    </li>
  );
}

function LiveLength({ from }: { from: string | null }) {
  const [now, setNow] = useState(() => new Date().toISOString());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date().toISOString()), SECOND_MS);
    return () => clearInterval(timer);
  }, []);
  return <span className="num live-length">{lengthOf(from, now)}</span>;
}

function LiveLines({ lines, who }: { lines: readonly LiveLine[]; who: string }) {
  const box = useRef<HTMLDivElement>(null);
  const newest = lines.at(-1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows what is said
  useEffect(() => {
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [newest?.position, newest?.text]);
  const shown = lines.filter(({ text }) => text !== '');
  if (shown.length === 0) return <p className="live-wait">Nothing can be read of this call yet.</p>;
  const label = `What ${who} and the assistant say`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a log that scrolls must be reachable by keyboard
    <div className="live-lines" role="log" aria-label={label} tabIndex={0} ref={box}>
      {shown.map(({ position, role, text, final }) => (
        <p key={position} data-role={role} data-open={final ? undefined : ''}>
          <span className="hidden-text">{SPEAKERS[role]}: </span>
          {text}
        </p>
      ))}
    </div>
  );
}
