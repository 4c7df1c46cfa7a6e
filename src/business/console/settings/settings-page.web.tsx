import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { PAGES, SERVICES } from '../../../kernel/contract/routes.ts';
import { Button, ButtonLink } from '../../../ui/parts/button.tsx';
import { FormError } from '../../../ui/parts/form-error.tsx';
import { Loaded } from '../../../ui/parts/loaded.tsx';
import { CallRefused } from '../../../ui/session/server-call.ts';
import { PageHead } from '../parts/console-parts.web.tsx';
import { operatorQuery, postAsOperator } from '../parts/operator-client.web.ts';
import { RestartPart } from './restart-part.web.tsx';
import {
  SECOND_FACTOR_MISSING,
  type SettingsChange,
  type SettingsPage,
  type SettingsSaved,
  type ShownGroup,
  type ShownSetting,
  type TrialReply,
} from './settings.contract.ts';

/** Where a group goes on, below its fields. */
const FURTHER: Readonly<Record<string, () => ReactNode>> = {
  payments: () => (
    <>
      Stripe sends its events to <code>{window.location.origin + SERVICES.stripeWebhook}</code>.
    </>
  ),
  telephone: () => (
    <>
      Numbers belong to assistants: <a href={PAGES.operatorAssistants.path}>choose them there</a>.
    </>
  ),
  address: () => (
    <>
      Set <code>SITE_URL=https://…</code> where the server is started: before <code>npm start</code>, or in{' '}
      <code>/etc/northline/northline.env</code> for a service. A proxy with a certificate leads that address
      to this server, as the operators' guide shows; then start the product anew.
    </>
  ),
  automations: () => (
    <>
      <a href={PAGES.operatorEvents.path}>Notifications</a> shows what each automation has received.
    </>
  ),
};

/** The console's Settings page: what an owner decides without a terminal. */
export function SettingsView() {
  const query = useQuery({
    ...operatorQuery<SettingsPage>('settings'),
    // A refetch must not replace words that are being typed.
    refetchInterval: false,
    refetchOnWindowFocus: false,
  });
  const needsFactor = query.error instanceof CallRefused && query.error.code === SECOND_FACTOR_MISSING;
  return (
    <>
      <PageHead heading="Settings" about="What your installation uses. Every change is in the audit log.">
        <ButtonLink look="quiet" href={PAGES.operatorAudit.path}>
          Audit log
        </ButtonLink>
      </PageHead>
      {needsFactor ? (
        <div className="panel empty" role="alert">
          <b>Settings need a second factor</b>
          <p className="meta">They lead money and mail, so a password alone does not open them.</p>
          <ButtonLink href={`${PAGES.account.path}#second-factor`}>Set up a second factor</ButtonLink>
        </div>
      ) : (
        <Loaded query={query}>
          {(page) => (
            <>
              <RestartPart {...page} />
              <Groups groups={page.groups} />
            </>
          )}
        </Loaded>
      )}
    </>
  );
}

function Groups({ groups }: Pick<SettingsPage, 'groups'>) {
  const [id, setId] = useState(() => window.location.hash.slice(1));
  const group = groups.find((one) => one.id === id) ?? groups[0];
  return (
    <div className="site-editor">
      <nav className="site-parts" aria-label="Groups of settings">
        {groups.map((one) => (
          <button
            key={one.id}
            type="button"
            aria-current={one === group ? 'true' : undefined}
            onClick={() => {
              setId(one.id);
              window.history.replaceState(window.history.state, '', `#${one.id}`);
            }}
          >
            {one.title}
          </button>
        ))}
      </nav>
      {group === undefined ? null : <Group key={`${group.id} ${stateOf(group)}`} group={group} />}
    </div>
  );
}

/** Changes when the server has other values, so that the fields begin again with them. */
const stateOf = ({ settings }: ShownGroup): string =>
  JSON.stringify(settings.map(({ origin, shown, pending }) => [origin, shown, pending]));

const wordIn = ({ hidden, shown }: ShownSetting): string => (hidden ? '' : shown);

function Group({ group }: { group: ShownGroup }) {
  const queries = useQueryClient();
  const [words, setWords] = useState<Readonly<Record<string, string>>>({});
  const [busy, setBusy] = useState<'save' | 'try'>();
  const [refused, setRefused] = useState('');
  const [trial, setTrial] = useState<TrialReply['results']>([]);
  const changed = group.settings.filter((one) => (words[one.name] ?? wordIn(one)) !== wordIn(one));

  async function run(what: 'save' | 'try', work: () => Promise<void>): Promise<void> {
    if (busy !== undefined) return;
    setBusy(what);
    setRefused('');
    setTrial([]);
    try {
      await work();
    } catch (error) {
      setRefused((error as Error).message);
    } finally {
      setBusy(undefined);
    }
  }
  const save = (what: SettingsChange['words']) =>
    run('save', async () => {
      const { pending } = await postAsOperator<SettingsSaved>(queries, 'save-settings', {
        group: group.id,
        words: what,
      });
      setWords({});
      toast.success(pending.length === 0 ? 'Saved and in use.' : 'Saved. It takes effect at the next start.');
    });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void save(Object.fromEntries(changed.map(({ name }) => [name, words[name] ?? ''])));
  };
  const isOpen = group.settings.some(({ origin, fixed }) => origin !== 'environment' && !fixed);
  const Further = FURTHER[group.id];
  return (
    <form className="site-part panel pad" aria-label={group.title} onSubmit={submit}>
      <h2>{group.title}</h2>
      {refused === '' ? null : <FormError>{refused}</FormError>}
      {group.settings.map((setting) => (
        <SettingField
          key={setting.name}
          setting={setting}
          word={words[setting.name] ?? wordIn(setting)}
          onWrite={(word) => setWords((before) => ({ ...before, [setting.name]: word }))}
          onReset={() => void save({ [setting.name]: null })}
        />
      ))}
      {Further === undefined ? null : (
        <p className="meta">
          <Further />
        </p>
      )}
      <div className="console-acts">
        {isOpen && (
          <Button type="submit" look="signal" busy={busy === 'save'} disabled={changed.length === 0}>
            {busy === 'save' ? 'Saving...' : 'Save'}
          </Button>
        )}
        {group.trial !== null && (
          <Button
            look="quiet"
            busy={busy === 'try'}
            disabled={changed.length > 0}
            onClick={() =>
              void run('try', async () =>
                setTrial(
                  (await postAsOperator<TrialReply>(queries, 'try-settings', { group: group.id })).results,
                ),
              )
            }
          >
            {busy === 'try' ? 'Trying...' : 'Try it'}
          </Button>
        )}
      </div>
      {group.trial === null ? null : (
        <p className="meta">
          {changed.length > 0 ? 'Save first: a trial uses the saved values.' : group.trial}
        </p>
      )}
      <div role="status">
        {trial.length > 0 && (
          <ul className="setting-trial">
            {trial.map(({ ok, sentence }) => (
              <li key={sentence} data-ok={ok}>
                <b>{ok ? 'Works' : 'Does not work'}</b> {sentence}
              </li>
            ))}
          </ul>
        )}
      </div>
    </form>
  );
}

interface FieldProps {
  readonly setting: ShownSetting;
  readonly word: string;
  readonly onWrite: (word: string) => void;
  readonly onReset: () => void;
}

function SettingField({ setting, word, onWrite, onReset }: FieldProps) {
  const id = useId();
  const { label, about, kind, origin, fixed, hidden, shown, usual, pending, fault } = setting;
  const isFixed = fixed || origin === 'environment';
  return (
    <div className="field setting">
      <label htmlFor={id}>{label}</label>
      {kind === 'switch' ? (
        <select
          id={id}
          value={word}
          disabled={isFixed}
          aria-describedby={`${id}-about`}
          onChange={({ currentTarget }) => onWrite(currentTarget.value)}
        >
          <option value="false">No</option>
          <option value="true">Yes</option>
        </select>
      ) : (
        <input
          id={id}
          value={word}
          readOnly={isFixed}
          autoComplete="off"
          spellCheck={false}
          placeholder={hidden ? `${shown} (not shown; write to replace)` : usual}
          aria-describedby={`${id}-about`}
          onChange={({ currentTarget }) => onWrite(currentTarget.value)}
        />
      )}
      <div className="field-hint" id={`${id}-about`}>
        <p>{about}</p>
        {fixed ? (
          <p>
            <b>Only the environment of the server decides this.</b>
          </p>
        ) : isFixed ? (
          <p>
            <b>Set in the environment of the server, which wins.</b> Change <code>{setting.name}</code> there.
          </p>
        ) : null}
        {pending && <p className="setting-pending">Saved. It takes effect at the next start.</p>}
        {fault === null ? null : <p className="fault">Not in use: {fault}</p>}
      </div>
      {(origin === 'console' || fault !== null) && (
        <button type="button" className="text-btn" onClick={onReset}>
          Back to the default<span className="hidden-text"> of {label}</span>
        </button>
      )}
    </div>
  );
}
