import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { NEW_ROW, useConsoleList } from '../../../business/console/parts/console-list.web.ts';
import {
  ConsoleListView,
  ConsolePanel,
  OpenRows,
} from '../../../business/console/parts/console-list-page.web.tsx';
import { PageHead } from '../../../business/console/parts/console-parts.web.tsx';
import { May, MayWrite } from '../../../business/console/parts/console-role.web.tsx';
import { useOperatorCall } from '../../../business/console/parts/operator-action.web.ts';
import { operatorQuery } from '../../../business/console/parts/operator-client.web.ts';
import { shortTime } from '../../../business/console/parts/time-words.web.ts';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { Field } from '../../../ui/parts/field.tsx';
import { Form, type FormValues } from '../../../ui/parts/form.tsx';
import { Loaded } from '../../../ui/parts/loaded.tsx';
import { DeleteButton } from '../delete-button.web.tsx';
import {
  type ConsoleTool,
  type EditedType,
  METHODS,
  TOOL_LENGTHS,
  type ToolDetail,
  type ToolDraft,
  type ToolsPage,
  type ToolTrial,
} from './tools.contract.ts';

const TYPES: Readonly<Record<string, string>> = {
  apiRequest: 'Request to an address',
  dtmf: 'Keys of the telephone',
  endCall: 'End of the call',
  function: 'Question to a server',
  handoff: 'Hand-over to an assistant',
  mcp: 'MCP server',
  query: 'Knowledge files',
  transferCall: 'Transfer to a person',
  voicemail: 'Voicemail',
};
const typeWords = (type: string): string => TYPES[type] ?? type;
const EMPTY: ToolDraft = {
  ...{ type: 'function', name: '', description: '', url: '', method: 'POST', parameters: '' },
};

/** The console's Tools page: what assistants may ask other servers, with a trial of each. */
export function ToolsView() {
  const list = useConsoleList<ToolsPage>('tools', { filters: {}, address: PAGES.operatorTools.path });
  return (
    <>
      <PageHead heading="Tools" about="What assistants may ask other servers during a call.">
        <May call="save-tool">
          <Button look="quiet" onClick={() => list.open(NEW_ROW)}>
            New tool
          </Button>
        </May>
      </PageHead>
      <ConsoleListView
        list={list}
        searchLabel="Search name, type, address or id"
        empty="There are no tools."
        hint="Choose a tool to change or try it. An assistant uses the tools that are ticked on its page."
        rows={(rows) => <OpenRows list={list} rows={rows.map(wordsOf)} />}
        panel={(id, onBack) =>
          id === NEW_ROW ? (
            <ConsolePanel label="Tool" onBack={onBack}>
              <h2>New tool</h2>
              <ToolForm id={null} draft={EMPTY} onSaved={list.open} />
            </ConsolePanel>
          ) : (
            <ToolPanel id={id} onBack={onBack} onSaved={list.open} />
          )
        }
      />
    </>
  );
}

const wordsOf = ({ id, name, type, updated_at: at }: ConsoleTool) => ({
  id,
  name,
  about: `${typeWords(type)}, ${shortTime(at)}`,
});

interface PanelProps {
  readonly id: string;
  readonly onBack: () => void;
  readonly onSaved: (id: string) => void;
}

function ToolPanel({ id, onBack, onSaved }: PanelProps) {
  const query = useQuery(operatorQuery<ToolDetail>('tool', { id }));
  return (
    <ConsolePanel label="Tool" onBack={onBack}>
      <Loaded query={query}>
        {({ tool, draft, example }) => (
          <>
            <h2>{tool.name}</h2>
            <p className="meta num">{tool.id}</p>
            {draft === null ? (
              <p>{typeWords(tool.type)}. The platform’s API makes and changes tools of this type.</p>
            ) : (
              <ToolForm key={tool.updated_at} id={id} draft={draft} onSaved={onSaved} />
            )}
            {example !== null && (
              <May call="try-tool">
                <Trial id={id} example={example} />
              </May>
            )}
            <DeleteButton
              does="delete-tool"
              id={id}
              label="Delete tool"
              done="The tool is deleted. Assistants go on without it."
              onDeleted={onBack}
            />
          </>
        )}
      </Loaded>
    </ConsolePanel>
  );
}

interface FormProps {
  /** Null for a new one. */
  readonly id: string | null;
  readonly draft: ToolDraft;
  readonly onSaved: (id: string) => void;
}

function ToolForm({ id, draft, onSaved }: FormProps) {
  const { busy, ask } = useOperatorCall();
  const [type, setType] = useState<EditedType>(draft.type);
  const isRequest = type === 'apiRequest';
  const save = async ({ secret = '', ...given }: FormValues): Promise<void> => {
    const next = { ...draft, ...given, type };
    const saved = await ask<{ id: string }>('save-tool', { id, draft: next, secret }, 'The tool is saved.');
    if (saved !== undefined) onSaved(saved.id);
  };
  return (
    <Form label="Tool" onSubmit={save}>
      <MayWrite call="save-tool">
        <Field
          as="select"
          label="What it does"
          name="type"
          required
          value={type}
          disabled={id !== null}
          onChange={({ currentTarget }) => setType(currentTarget.value as EditedType)}
        >
          <option value="function">Asks a server of yours, as the platform’s API describes</option>
          <option value="apiRequest">Sends a request to any address</option>
        </Field>
        <Field
          label="Name"
          name="name"
          required
          defaultValue={draft.name}
          maxLength={TOOL_LENGTHS.name}
          pattern="[a-zA-Z0-9_\-]+"
          autoComplete="off"
          missing="Enter a name"
          wrong="Write letters, digits, _ or -, such as get_stock"
          hint="A caller who says its words asks for it: opening hours for get_opening_hours."
        />
        <Field
          as="textarea"
          rows={2}
          label="When a language model should use it"
          name="description"
          defaultValue={draft.description}
          maxLength={TOOL_LENGTHS.description}
        />
        <Asked draft={draft} isRequest={isRequest} />
      </MayWrite>
      <May call="save-tool">
        <div className="console-acts">
          <Button type="submit" look="signal" busy={busy}>
            Save
          </Button>
        </div>
      </May>
    </Form>
  );
}

/** Whom a tool asks, and with what. */
function Asked({ draft, isRequest }: { readonly draft: ToolDraft; readonly isRequest: boolean }) {
  return (
    <>
      <Field
        label="Address"
        name="url"
        type="url"
        required={isRequest}
        defaultValue={draft.url}
        maxLength={TOOL_LENGTHS.url}
        autoComplete="off"
        missing="Enter the address"
        wrong="Enter an address like https://example.com/stock"
        hint={isRequest ? undefined : 'Left empty, the assistant’s own server is asked.'}
      />
      {isRequest && (
        <Field as="select" label="Method" name="method" required defaultValue={draft.method}>
          {METHODS.map((method) => (
            <option key={method}>{method}</option>
          ))}
        </Field>
      )}
      <Field
        as="textarea"
        rows={6}
        label="Arguments, as a JSON schema"
        name="parameters"
        defaultValue={draft.parameters}
        maxLength={TOOL_LENGTHS.schema}
        spellCheck={false}
      />
      <Field
        label={isRequest ? 'Authorization header' : 'Secret of the server'}
        name="secret"
        type="password"
        autoComplete="new-password"
        maxLength={TOOL_LENGTHS.secret}
        hint="It is written here and never shown. Left empty, the present one stays; another host loses it."
      />
    </>
  );
}

function Trial({ id, example }: { readonly id: string; readonly example: string }) {
  const { busy, ask } = useOperatorCall();
  const [trial, setTrial] = useState<ToolTrial>();
  const start = async ({ given = '' }: FormValues): Promise<void> =>
    setTrial(await ask<ToolTrial>('try-tool', { id, given }));
  return (
    <section className="console-section console-trial" aria-labelledby="try-tool">
      <h2 id="try-tool">Try it</h2>
      <p className="meta">It calls the server with what is saved. What the server does is real.</p>
      <Form label="Try it" onSubmit={start}>
        <Field
          as="textarea"
          rows={4}
          label="Arguments, as JSON"
          name="given"
          defaultValue={example}
          maxLength={TOOL_LENGTHS.trial}
          spellCheck={false}
        />
        <div className="console-acts">
          <Button type="submit" look="quiet" busy={busy}>
            Try it
          </Button>
        </div>
      </Form>
      <div role="status">
        {trial !== undefined && (
          <>
            <p>
              <b>{trial.failed ? 'It failed' : 'It answered'}</b> after {trial.milliseconds} ms:
            </p>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long answer is scrolled by keys */}
            <pre className="tool-answer" tabIndex={0}>
              {trial.answer}
            </pre>
            {trial.said.length > 0 && (
              <p>A caller hears: {trial.said.map((said) => `“${said}”`).join(' ')}</p>
            )}
          </>
        )}
      </div>
    </section>
  );
}
