import { useQuery } from '@tanstack/react-query';
import { ConsolePanel } from '../../business/console/parts/console-list-page.web.tsx';
import { operatorQuery, REFRESH_MS } from '../../business/console/parts/operator-client.web.ts';
import { shortTime } from '../../business/console/parts/time-words.web.ts';
import { Loaded } from '../../ui/parts/loaded.tsx';
import type { CallDetail, ConsoleLatency } from './call-list.contract.ts';
import { lengthOf, money, reasonWords, stateWords, successWords, typeWords } from './call-words.web.ts';
import { DeleteButton } from './delete-button.web.tsx';
import { CallTranscript } from './playback/call-transcript.web.tsx';

/** How often it is checked whether picture and sound have been composed, ms. */
const COMPOSING_MS = 3000;

/** One call: its words, its outcome, its cost, its speed, and its evidence. */
export function CallPanel({ id, onBack }: { id: string; onBack: () => void }) {
  const query = useQuery({
    ...operatorQuery<CallDetail>('call', { id }),
    refetchInterval: ({ state }) =>
      state.data?.recording?.picture === 'recorded' ? COMPOSING_MS : REFRESH_MS,
  });
  return (
    <ConsolePanel label="Call" className="call-detail" onBack={onBack}>
      <Loaded query={query}>
        {(detail) => (
          <>
            <h2>{detail.call.caller ?? typeWords(detail.call.type)}</h2>
            <p className="meta num">{detail.call.id}</p>
            <Facts detail={detail} />
            <h3>What was said</h3>
            <CallTranscript detail={detail} />
            <Outcome detail={detail} />
            <Latencies latencies={detail.latencies} />
            <Evidence evidence={detail.evidence} />
            <Logs logs={detail.logs} />
            <Acts detail={detail} onDeleted={onBack} />
          </>
        )}
      </Loaded>
    </ConsolePanel>
  );
}

function Facts({ detail: { call, cost_breakdown: parts, summary } }: { detail: CallDetail }) {
  const shares = [
    ['hearing', parts.stt],
    ['answering', parts.llm],
    ['speaking', parts.tts],
  ].flatMap(([name, dollars]) =>
    typeof dollars === 'number' && dollars > 0 ? [`${name} ${money(dollars)}`] : [],
  );
  const rows: [string, string | null][] = [
    ['By', typeWords(call.type)],
    ['Assistant', call.assistant_name],
    ['Began', shortTime(call.started_at ?? call.created_at)],
    ['Length', lengthOf(call.started_at, call.ended_at)],
    ['End', call.ended_reason === null ? stateWords(call.status) : reasonWords(call.ended_reason)],
    ['Outcome', successWords(call.success)],
    ['Summary', summary],
    ['Cost', call.cost === null ? null : [money(call.cost), ...shares].join(', ')],
  ];
  return (
    <dl className="words">
      {rows
        .filter(([, value]) => value !== null && value !== '')
        .map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

function Outcome({ detail: { structured_data: data } }: { detail: CallDetail }) {
  if (data === null || data === undefined) return null;
  return (
    <details className="console-fold" open>
      <summary>Structured data</summary>
      <pre>{JSON.stringify(data, null, 2)}</pre>
    </details>
  );
}

const PARTS: readonly (readonly [keyof ConsoleLatency, string])[] = [
  ['endpointingLatency', 'Silence'],
  ['transcriberLatency', 'Words'],
  ['modelLatency', 'Answer'],
  ['voiceLatency', 'Voice'],
  ['playoutLatency', 'Sent'],
  ['turnLatency', 'All'],
];

function Latencies({ latencies }: Pick<CallDetail, 'latencies'>) {
  if (latencies.length === 0) return null;
  return (
    <details className="console-fold">
      <summary>How fast it answered</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled content must be reachable by keyboard */}
      <section className="console-table" aria-label="Milliseconds of each answer" tabIndex={0}>
        <table className="num">
          <thead>
            <tr>
              <th scope="col">Turn</th>
              {PARTS.map(([part, words]) => (
                <th scope="col" key={part}>
                  {words}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {latencies.map((latency) => (
              <tr key={latency.turn}>
                <th scope="row">{latency.turn}</th>
                {PARTS.map(([part]) => (
                  <td key={part}>{Math.round(latency[part])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p className="meta">Milliseconds from the last voice of the caller.</p>
    </details>
  );
}

const EVIDENCE: Readonly<Record<string, string>> = {
  begun: 'Call was created',
  disclosure: 'Assistant said that it is one',
  consent: 'Caller was asked',
  turn: 'Words were said',
  ended: 'Call ended',
  deleted: 'Something was deleted',
};

function Evidence({ evidence: { entries, faults } }: Pick<CallDetail, 'evidence'>) {
  return (
    <details className="console-fold">
      <summary>
        Evidence{' '}
        <span className="badge" data-status={faults.length > 0 ? 'due' : undefined}>
          {faults.length > 0 ? 'Broken' : 'Holds'}
        </span>
      </summary>
      {faults.map((fault) => (
        <p className="fault" key={fault}>
          {fault}
        </p>
      ))}
      <ol className="num">
        {entries.map(({ position, kind, at }) => (
          <li key={position}>
            {EVIDENCE[kind] ?? kind} <span className="meta">{shortTime(at)}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}

function Logs({ logs }: Pick<CallDetail, 'logs'>) {
  if (logs.length === 0) return null;
  return (
    <details className="console-fold">
      <summary>Log</summary>
      <ol>
        {logs.map(({ level, log, time }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are only ever added at the end
          <li key={at}>
            <span className="meta num">
              {shortTime(time)} {level}
            </span>{' '}
            {log}
          </li>
        ))}
      </ol>
    </details>
  );
}

function Acts({ detail: { call }, onDeleted }: { detail: CallDetail; onDeleted: () => void }) {
  if (call.status !== 'ended' && call.status !== 'scheduled') return null;
  return (
    <DeleteButton
      does="delete-call"
      id={call.id}
      label={call.recorded ? 'Delete call and recording' : 'Delete call'}
      done="The call is deleted. Its evidence stays."
      onDeleted={onDeleted}
    />
  );
}
