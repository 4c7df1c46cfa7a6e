import { useId, useState } from 'react';
import { May, MayWrite } from '../../../business/console/parts/console-role.web.tsx';
import { useOperatorCall } from '../../../business/console/parts/operator-action.web.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { DeleteButton } from '../delete-button.web.tsx';
import { type ConsoleTest, type Judge, TEST_LENGTHS, type TestLine } from './assistant-tests.contract.ts';

const JUDGES: readonly (readonly [Judge, string])[] = [
  ['contains', 'has these words'],
  ['exact', 'is exactly'],
  ['regex', 'matches the expression'],
];
const NEW_LINE: TestLine = { say: '', judge: 'contains', expect: '', tool: '' };

interface EditorProps {
  readonly assistantId: string;
  /** Null for a new one. */
  readonly test: ConsoleTest | null;
  readonly onClose: () => void;
}

/** Edits a test: its lines, and the expected answer to each. */
export function TestEditor({ assistantId, test, onClose }: EditorProps) {
  const id = useId();
  const [name, setName] = useState(test?.name ?? '');
  const [lines, setLines] = useState<readonly TestLine[]>(test?.lines ?? [NEW_LINE]);
  const { busy, ask } = useOperatorCall();
  const save = async (): Promise<void> => {
    const body = { id: test?.id ?? null, assistantId, name, lines };
    if ((await ask('save-test', body, 'The test is saved.')) !== undefined) onClose();
  };
  const isOurs = test === null || test.lines !== null;
  return (
    <section className="test-editor" aria-label="Test">
      {isOurs ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (!busy) void save();
          }}
        >
          <MayWrite call="save-test">
            <div className="field">
              <label htmlFor={id}>What is tested</label>
              <input
                id={id}
                value={name}
                required
                maxLength={TEST_LENGTHS.name}
                autoComplete="off"
                onChange={({ currentTarget }) => setName(currentTarget.value)}
              />
            </div>
            {lines.map((line, at) => (
              <LineFields
                // biome-ignore lint/suspicious/noArrayIndexKey: lines are changed in their place
                key={at}
                nth={at + 1}
                line={line}
                onWrite={(next) => setLines(lines.with(at, next))}
                onRemove={lines.length > 1 ? () => setLines(lines.toSpliced(at, 1)) : undefined}
              />
            ))}
          </MayWrite>
          <div className="console-acts">
            <May call="save-test">
              <Button small type="submit" look="signal" busy={busy}>
                Save test
              </Button>
              <Button
                small
                look="quiet"
                disabled={lines.length >= TEST_LENGTHS.lines}
                onClick={() => setLines([...lines, NEW_LINE])}
              >
                Another line
              </Button>
            </May>
            <Button small look="quiet" onClick={onClose}>
              Close
            </Button>
          </div>
        </form>
      ) : (
        <p className="meta">This test was written by the platform's API and is changed there.</p>
      )}
      {test !== null && (
        <DeleteButton
          does="delete-test"
          id={test.id}
          label="Delete test"
          done="The test is deleted."
          onDeleted={onClose}
        />
      )}
    </section>
  );
}

interface LineProps {
  readonly nth: number;
  readonly line: TestLine;
  readonly onWrite: (line: TestLine) => void;
  /** Undefined for the only line. */
  readonly onRemove: (() => void) | undefined;
}

function LineFields({ nth, line, onWrite, onRemove }: LineProps) {
  const id = useId();
  const text = (name: 'say' | 'expect' | 'tool', label: string, most: number) => (
    <div className="field">
      <label htmlFor={`${id}-${name}`}>{label}</label>
      <input
        id={`${id}-${name}`}
        value={line[name]}
        required={name === 'say'}
        maxLength={most}
        autoComplete="off"
        onChange={({ currentTarget }) => onWrite({ ...line, [name]: currentTarget.value })}
      />
    </div>
  );
  return (
    <fieldset className="assistant-part">
      <legend>Line {nth}</legend>
      {text('say', 'The caller types', TEST_LENGTHS.line)}
      <div className="test-expected">
        <div className="field">
          <label htmlFor={`${id}-judge`}>The answer</label>
          <select
            id={`${id}-judge`}
            value={line.judge}
            onChange={({ currentTarget }) => onWrite({ ...line, judge: currentTarget.value as Judge })}
          >
            {JUDGES.map(([judge, words]) => (
              <option key={judge} value={judge}>
                {words}
              </option>
            ))}
          </select>
        </div>
        {text('expect', 'Words (empty: not judged)', TEST_LENGTHS.expect)}
        {text('tool', 'Tool that is called (or none)', TEST_LENGTHS.tool)}
      </div>
      {onRemove !== undefined && (
        <Button small look="quiet" aria-label={`Remove line ${nth}`} onClick={onRemove}>
          Remove
        </Button>
      )}
    </fieldset>
  );
}
