import { useState } from 'react';
import { NEW_ROW, useConsoleList } from '../../../business/console/parts/console-list.web.ts';
import {
  ConsoleListView,
  ConsolePanel,
  OpenRows,
} from '../../../business/console/parts/console-list-page.web.tsx';
import { PageHead } from '../../../business/console/parts/console-parts.web.tsx';
import { useOperatorCall } from '../../../business/console/parts/operator-action.web.ts';
import { shortTime } from '../../../business/console/parts/time-words.web.ts';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { Field } from '../../../ui/parts/field.tsx';
import { Form, type FormValues } from '../../../ui/parts/form.tsx';
import { DeleteButton } from '../delete-button.web.tsx';
import {
  type ConsoleCredential,
  type CredentialsPage,
  type CredentialTrial,
  TOOL_LENGTHS,
} from './tools.contract.ts';

/** The console's Credentials page, for owners: keys of providers, which are written and never shown. */
export function CredentialsView() {
  const list = useConsoleList<CredentialsPage>('credentials', {
    filters: {},
    address: PAGES.operatorCredentials.path,
  });
  const { rows = [], providers = [] } = list.query.data ?? {};
  return (
    <>
      <PageHead
        heading="Credentials"
        about="Keys of the providers that assistants name. They are written here and never shown."
      >
        <Button look="quiet" onClick={() => list.open(NEW_ROW)}>
          New credential
        </Button>
      </PageHead>
      <ConsoleListView
        list={list}
        searchLabel="Search provider, name or id"
        empty="There are no credentials."
        hint="Choose a credential to change, try or delete it."
        rows={(found) => <OpenRows list={list} rows={found.map(wordsOf)} />}
        panel={(id, onBack) => {
          const credential = rows.find((row) => row.id === id);
          if (credential === undefined && id !== NEW_ROW) return null;
          return (
            <ConsolePanel label="Credential" onBack={onBack}>
              <h2>{credential === undefined ? 'New credential' : credential.provider}</h2>
              <CredentialForm
                key={credential?.updated_at ?? NEW_ROW}
                credential={credential}
                providers={providers}
                onSaved={list.open}
              />
              {credential?.can_try === true && <Trial id={credential.id} />}
              {credential !== undefined && (
                <DeleteButton
                  does="delete-credential"
                  id={credential.id}
                  label="Delete credential"
                  done="The credential is deleted."
                  onDeleted={onBack}
                />
              )}
            </ConsolePanel>
          );
        }}
      />
    </>
  );
}

const wordsOf = ({ id, provider, name, updated_at: at }: ConsoleCredential) => ({
  id,
  name: provider,
  about: [...(name === null ? [] : [name]), shortTime(at)].join(', '),
});

interface FormProps {
  /** Undefined for a new one. */
  readonly credential: ConsoleCredential | undefined;
  readonly providers: readonly string[];
  readonly onSaved: (id: string) => void;
}

function CredentialForm({ credential, providers, onSaved }: FormProps) {
  const { busy, ask } = useOperatorCall();
  const [provider, setProvider] = useState(credential?.provider ?? 'openai');
  const isNew = credential === undefined;
  if (!isNew && !providers.includes(credential.provider))
    return <p>The platform’s API makes and changes credentials of this provider.</p>;
  const save = async (given: FormValues): Promise<void> => {
    const body = { ...given, provider, id: credential?.id ?? null };
    const saved = await ask<{ id: string }>('save-credential', body, 'The credential is saved.');
    if (saved !== undefined) onSaved(saved.id);
  };
  const stays = isNew ? '' : ' Left empty, the present one stays.';
  const secret = { type: 'password', autoComplete: 'new-password', maxLength: TOOL_LENGTHS.secret } as const;
  return (
    <Form label="Credential" onSubmit={save}>
      {isNew && (
        <Field
          as="select"
          label="Provider"
          name="provider"
          required
          value={provider}
          onChange={({ currentTarget }) => setProvider(currentTarget.value)}
        >
          {providers.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </Field>
      )}
      <Field
        label="Name"
        name="name"
        defaultValue={credential?.name ?? ''}
        maxLength={40}
        autoComplete="off"
      />
      <Field
        {...secret}
        label="Key"
        name="key"
        required={isNew}
        missing="Enter the key"
        hint={`It is kept encrypted.${stays}`}
      />
      {provider === 'vonage' && (
        <Field {...secret} label="Secret" name="secret" required={isNew} missing="Enter the secret" />
      )}
      <Field
        label="Address"
        name="url"
        type="url"
        autoComplete="off"
        maxLength={TOOL_LENGTHS.secret}
        wrong="Enter an address like https://example.com/v1"
        hint={`Only for another server with the same API; it is not shown again.${stays}`}
      />
      <div className="console-acts">
        <Button type="submit" look="signal" busy={busy}>
          Save
        </Button>
      </div>
    </Form>
  );
}

function Trial({ id }: { readonly id: string }) {
  const { busy, ask } = useOperatorCall();
  const [trial, setTrial] = useState<CredentialTrial>();
  return (
    <section className="console-section console-trial" aria-labelledby="try-credential">
      <h2 id="try-credential">Try it</h2>
      <p className="meta">It asks the provider for a list that every key may read.</p>
      <div className="console-acts">
        <Button
          look="quiet"
          busy={busy}
          onClick={() => void ask<CredentialTrial>('try-credential', { id }).then(setTrial)}
        >
          Try it
        </Button>
      </div>
      <div role="status">
        {trial?.results.map(({ sentence }) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
    </section>
  );
}
