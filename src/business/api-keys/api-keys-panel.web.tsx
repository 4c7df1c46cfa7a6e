import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { type ApiRight, RIGHT_WORDS } from '../../kernel/contract/api-rights.ts';
import { Button } from '../../ui/parts/button.tsx';
import { Loaded } from '../../ui/parts/loaded.tsx';
import { QuestionDialog } from '../../ui/parts/question-dialog.tsx';
import { type ApiKey, type CreatedApiKey, KEY_DAYS, KEY_NAME_LENGTH } from './api-key.contract.ts';
import { apiKeysQuery, createApiKey, endApiKey, isValid, useOf, validityOf } from './api-keys-read.web.ts';

const DAY_WORDS = { 7: 'A week', 30: 'A month', 90: 'Three months', 365: 'A year' } as const;

/** The user's API keys: making one, which shows it once, and revoking. */
export function ApiKeysPanel({ userId }: { userId: string }) {
  const query = useQuery(apiKeysQuery(userId));
  const queries = useQueryClient();
  const [created, setCreated] = useState<CreatedApiKey>();
  const renew = () => queries.invalidateQueries(apiKeysQuery(userId));
  return (
    <section className="panel pad api-keys" aria-labelledby="api-keys">
      <h2 id="api-keys" tabIndex={-1}>
        API keys
      </h2>
      <p className="meta">
        With a key, a program or an assistant works for you, within the rights that you give it.
      </p>
      <Loaded query={query}>
        {({ keys, rights, mcp }) => (
          <>
            {keys.length > 0 && (
              <ul>
                {keys.map((key) => (
                  <KeyRow key={key.id} shown={key} onEnded={renew} />
                ))}
              </ul>
            )}
            {created === undefined ? (
              <NewKey
                rights={rights}
                onCreated={(made) => {
                  setCreated(made);
                  void renew();
                }}
              />
            ) : (
              <ShownKey created={created} mcp={mcp} onDone={() => setCreated(undefined)} />
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

function KeyRow({ shown, onEnded }: { shown: ApiKey; onEnded: () => Promise<void> }) {
  const [asked, setAsked] = useState(false);
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const end = async (): Promise<void> => {
    setBusy(true);
    try {
      await endApiKey(shown.id);
      await onEnded();
      setAsked(false);
    } catch (error) {
      setFault((error as Error).message);
    }
    setBusy(false);
  };
  return (
    <li>
      <div>
        <b>{shown.name}</b> <span className="meta num">…{shown.hint}</span>
        <p className="meta num">
          {validityOf(shown)}. {useOf(shown)}.
        </p>
        <p className="meta">{shown.rights.map((right) => RIGHT_WORDS[right]).join('. ')}.</p>
      </div>
      {isValid(shown) && (
        <Button small look="quiet" aria-label={`Revoke ${shown.name}`} onClick={() => setAsked(true)}>
          Revoke
        </Button>
      )}
      {asked && (
        <QuestionDialog
          heading={`Revoke ${shown.name}?`}
          busy={busy}
          onClose={() => setAsked(false)}
          keep="Keep it"
          act={
            <Button look="danger" busy={busy} onClick={() => void end()}>
              Revoke
            </Button>
          }
        >
          <p>Programs that use this key are refused from this moment on. You cannot undo this.</p>
          {fault !== undefined && <p className="fault">{fault}</p>}
        </QuestionDialog>
      )}
    </li>
  );
}

interface NewKeyProps {
  readonly rights: readonly ApiRight[];
  readonly onCreated: (created: CreatedApiKey) => void;
}

function NewKey({ rights, onCreated }: NewKeyProps) {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string>();
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const chosen = form.getAll('rights').map(String);
    const name = String(form.get('name')).trim();
    if (name === '' || chosen.length === 0) {
      setFault('Give the key a name and at least one right.');
      return;
    }
    setBusy(true);
    setFault(undefined);
    try {
      onCreated(await createApiKey({ name, rights: chosen, days: Number(form.get('days')) }));
    } catch (error) {
      setFault((error as Error).message);
    }
    setBusy(false);
  };
  return (
    <form className="form" aria-label="A new API key" noValidate onSubmit={(event) => void submit(event)}>
      <div className="field">
        <label htmlFor="key-name">What it is for</label>
        <input id="key-name" name="name" type="text" maxLength={KEY_NAME_LENGTH} autoComplete="off" />
      </div>
      <fieldset>
        <legend>It may</legend>
        {rights.map((right, index) => (
          <label key={right}>
            <input type="checkbox" name="rights" value={right} defaultChecked={index === 0} />
            <span>{RIGHT_WORDS[right]}</span>
          </label>
        ))}
      </fieldset>
      <div className="field">
        <label htmlFor="key-days">Valid for</label>
        <select id="key-days" name="days" defaultValue={30}>
          {KEY_DAYS.map((days) => (
            <option key={days} value={days}>
              {DAY_WORDS[days]}
            </option>
          ))}
        </select>
      </div>
      {fault !== undefined && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
      <Button type="submit" look="quiet" busy={busy}>
        Make a key
      </Button>
    </form>
  );
}

interface ShownKeyProps {
  readonly created: CreatedApiKey;
  readonly mcp: string;
  readonly onDone: () => void;
}

function ShownKey({ created: { key, made }, mcp, onDone }: ShownKeyProps) {
  const [copied, setCopied] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div className="api-key-shown">
      <h3 ref={heading} tabIndex={-1}>
        Copy {made.name} now
      </h3>
      <p className="meta">We show a key once, and store only its hash.</p>
      <output aria-label="The key">{key}</output>
      <p className="meta">
        For an assistant: its MCP server is <span className="api-key-address">{mcp}</span>, with the header
        Authorization: Bearer and this key.
      </p>
      <div className="api-key-acts">
        <Button small onClick={() => void navigator.clipboard?.writeText(key).then(() => setCopied(true))}>
          {copied ? 'Copied' : 'Copy'}
        </Button>
        <Button small look="quiet" onClick={onDone}>
          Done
        </Button>
      </div>
    </div>
  );
}
