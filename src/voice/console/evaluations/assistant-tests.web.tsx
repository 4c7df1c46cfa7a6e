import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { May } from '../../../business/console/parts/console-role.web.tsx';
import { useOperatorCall } from '../../../business/console/parts/operator-action.web.ts';
import { operatorQuery } from '../../../business/console/parts/operator-client.web.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { Loaded } from '../../../ui/parts/loaded.tsx';
import type { AssistantDraft } from '../assistants/assistant-editor.contract.ts';
import type { ConsoleTest, TestRun, TestsPage } from './assistant-tests.contract.ts';
import { TestEditor } from './test-editor.web.tsx';
import { TestRunView } from './test-run.web.tsx';

const WAITING_MS = 1000;
const VERSIONS_SHOWN = 4;

interface TestsProps {
  readonly assistantId: string;
  /** The unsaved draft; null where there is none. */
  readonly draft: AssistantDraft | null;
}

/** Tests of an assistant: the caller's lines, the expected answers, and the results of each version. */
export function AssistantTests({ assistantId, draft }: TestsProps) {
  const query = useQuery({
    ...operatorQuery<TestsPage>('tests', { assistant: assistantId }),
    refetchInterval: ({ state }) =>
      state.data?.tests.some(({ runs }) => runs.some(({ running }) => running)) ? WAITING_MS : false,
  });
  return (
    <section className="assistant-tests">
      <h3>Tests</h3>
      <p className="meta">
        What a caller types, and what has to be answered. In a test nothing is booked or sent, and no server
        is asked.
      </p>
      <Loaded query={query}>
        {({ tests }) => <Tests assistantId={assistantId} tests={tests} draft={draft} />}
      </Loaded>
    </section>
  );
}

/** The part that is open below the list. */
type Open = { readonly is: 'test'; readonly id: string | null } | { readonly is: 'run'; readonly id: string };

function Tests({ assistantId, tests, draft }: TestsProps & { readonly tests: readonly ConsoleTest[] }) {
  const [open, setOpen] = useState<Open>();
  const edited = open?.is === 'test' ? tests.find(({ id }) => id === open.id) : undefined;
  return (
    <>
      {tests.length > 0 && <TestTable tests={tests} onOpen={setOpen} />}
      <May call="run-tests">
        <div className="console-acts">
          <RunButton assistantId={assistantId} tests={tests} draft={null} label="Run all tests" />
          {draft !== null && (
            <RunButton
              assistantId={assistantId}
              tests={tests}
              draft={draft}
              label="Run them with this draft"
            />
          )}
          <Button small look="quiet" onClick={() => setOpen({ is: 'test', id: null })}>
            New test
          </Button>
        </div>
      </May>
      {open?.is === 'run' && <TestRunView key={open.id} id={open.id} onClose={() => setOpen(undefined)} />}
      {open?.is === 'test' && (open.id === null || edited !== undefined) && (
        <TestEditor
          key={open.id}
          assistantId={assistantId}
          test={edited ?? null}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

interface RunButtonProps extends TestsProps {
  readonly tests: readonly ConsoleTest[];
  readonly label: string;
}

function RunButton({ assistantId, tests, draft, label }: RunButtonProps) {
  const { busy, ask } = useOperatorCall();
  const run = () => void ask('run-tests', { assistantId, draft });
  return (
    <Button small look="quiet" busy={busy} disabled={tests.length === 0} onClick={run}>
      {label}
    </Button>
  );
}

const versionWords = (version: number | null): string => (version === null ? 'Draft' : `Version ${version}`);
const runWords = ({ running, passed }: TestRun): string =>
  running ? 'Running' : passed === true ? 'Passed' : 'Failed';

interface TableProps {
  readonly tests: readonly ConsoleTest[];
  readonly onOpen: (open: Open) => void;
}

/** A row for each test, a column for each of the last versions that were tested. */
function TestTable({ tests, onOpen }: TableProps) {
  const all = tests.flatMap(({ runs }) => runs.map(({ version }) => version));
  const versions = [...new Set(all)]
    .sort((one, other) => (other ?? Number.POSITIVE_INFINITY) - (one ?? Number.POSITIVE_INFINITY))
    .slice(0, VERSIONS_SHOWN);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="console-table" aria-label="How each version did" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Test</th>
            {versions.map((version) => (
              <th scope="col" key={version}>
                {versionWords(version)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tests.map(({ id, name, runs }) => (
            <tr key={id}>
              <th scope="row">
                <button type="button" className="text-btn" onClick={() => onOpen({ is: 'test', id })}>
                  {name}
                </button>
              </th>
              {versions.map((version) => {
                const run = runs.find((one) => one.version === version);
                return (
                  <td key={version}>
                    {run === undefined ? (
                      '–'
                    ) : (
                      <button
                        type="button"
                        className="text-btn"
                        data-failed={run.passed === false || undefined}
                        aria-label={`${name}, ${versionWords(version)}: ${runWords(run)}`}
                        onClick={() => onOpen({ is: 'run', id: run.id })}
                      >
                        {runWords(run)}
                      </button>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
