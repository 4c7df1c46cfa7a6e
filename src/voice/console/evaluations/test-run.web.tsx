import { useQuery } from '@tanstack/react-query';
import { operatorQuery } from '../../../business/console/parts/operator-client.web.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { Loaded } from '../../../ui/parts/loaded.tsx';
import type { RunMessage } from '../../evaluations/evaluation.contract.ts';
import type { TestRunDetail } from './assistant-tests.contract.ts';

const WAITING_MS = 1000;
const SPEAKERS: Readonly<Record<RunMessage['role'], string>> = {
  user: 'Caller',
  assistant: 'Assistant',
  system: 'Instruction',
  tool: 'Tool answers',
};

/** The words of a run, with its faults marked. */
export function TestRunView({ id, onClose }: { id: string; onClose: () => void }) {
  const query = useQuery({
    ...operatorQuery<TestRunDetail>('test-run', { id }),
    refetchInterval: ({ state }) =>
      state.error !== null || state.data?.running === false ? false : WAITING_MS,
  });
  return (
    <section className="test-run" aria-label="A run">
      <Loaded query={query}>
        {({ running, messages, fault, warnings }) => (
          <>
            {running && <p className="meta">It is being talked to…</p>}
            <ol className="call-lines">
              {messages.map((message, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a run never change places
                <li key={at} data-role={message.role === 'assistant' ? 'bot' : message.role}>
                  <span className="meta">{SPEAKERS[message.role]}</span>
                  <p>{message.content}</p>
                  {message.role === 'assistant' && <Judged message={message} />}
                </li>
              ))}
            </ol>
            {fault !== null && <p className="fault">{fault}</p>}
            {warnings.map((warning) => (
              <p className="meta" key={warning}>
                {warning}
              </p>
            ))}
          </>
        )}
      </Loaded>
      <Button small look="quiet" onClick={onClose}>
        Close
      </Button>
    </section>
  );
}

function Judged({
  message: { judged, toolCalls = [] },
}: {
  message: Extract<RunMessage, { role: 'assistant' }>;
}) {
  const tools = toolCalls.map(({ name }) => name).join(', ');
  return (
    <>
      {tools !== '' && <p className="meta">Called {tools}</p>}
      {judged !== undefined && (
        <p className={judged.fault === null ? 'meta' : 'fault'}>{judged.fault ?? 'As it should be'}</p>
      )}
    </>
  );
}
