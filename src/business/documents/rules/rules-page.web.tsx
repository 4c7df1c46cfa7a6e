import { KIND_NAMES } from '@northline/document-reader/kind-names.contract';
import type { DocumentKind } from '@northline/document-reader/report.contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { toast } from 'react-hot-toast/headless';
import { Link } from 'wouter';
import { analysisPath } from '../../../kernel/contract/routes.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { EmptyMark } from '../../../ui/parts/empty-mark.tsx';
import { LoadedPage } from '../../../ui/parts/loaded.tsx';
import { CallRefused } from '../../../ui/session/server-call.ts';
import { announce } from '../../files/list/announcer.web.tsx';
import {
  type Acts,
  type DocumentRule,
  DRY_RUN_DOCUMENTS,
  type DryRun,
  type Wanted,
} from './rule.contract.ts';
import { removeRule, rulesQuery, saveRule, tryRule } from './rule.web.ts';

/** The rules for documents that arrive. */
export function RulesPage({ userId }: { userId: string }) {
  const rules = useQuery(rulesQuery(userId));
  const [edited, setEdited] = useState<DocumentRule | 'new'>();
  return (
    <>
      <div className="lead-in">
        <div>
          <h1 tabIndex={-1}>Rules</h1>
          <p className="meta">
            What is done with a document once it has been read. A rule acts once on each document that you
            upload from now on.
          </p>
        </div>
        {edited === undefined && (
          <Button look="signal" onClick={() => setEdited('new')}>
            New rule
          </Button>
        )}
      </div>
      {edited !== undefined && (
        <RuleForm
          key={edited === 'new' ? 'new' : edited.id}
          rule={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
      <LoadedPage query={rules} failed="The rules could not be loaded">
        {(all) =>
          all.length === 0 ? (
            edited === undefined && (
              <section className="panel empty">
                <EmptyMark />
                <h2>No rules yet</h2>
                <p className="meta">Make one, and try it on your latest documents before you save it.</p>
              </section>
            )
          ) : (
            <ul className="panel rows rules">
              {all.map((rule) => (
                <RuleRow key={rule.id} rule={rule} onEdit={() => setEdited(rule)} />
              ))}
            </ul>
          )
        }
      </LoadedPage>
    </>
  );
}

const failed = (error: unknown, sentence: string): string =>
  (error instanceof CallRefused ? (Object.values(error.fields)[0] ?? error.sentence) : undefined) ?? sentence;

function RuleRow({ rule, onEdit }: { rule: DocumentRule; onEdit: () => void }) {
  const queries = useQueryClient();
  const [asks, setAsks] = useState(false);
  const change = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      await queries.invalidateQueries({ queryKey: ['files'] });
    } catch (error) {
      toast.error(failed(error, 'That could not be saved. Try again.'));
    }
  };
  return (
    <li>
      <div>
        <b>{rule.name}</b>
        <span className="meta">
          {wantedWords(rule.wanted)}: {actWords(rule.acts)}.{' '}
          {rule.runs === 1 ? 'Acted on 1 document.' : `Acted on ${rule.runs} documents.`}
        </span>
        {rule.secret !== null && (
          <details className="meta">
            <summary>The secret of its webhooks</summary>
            <code>{rule.secret}</code>
          </details>
        )}
      </div>
      <label className="paid-box">
        <input
          type="checkbox"
          checked={rule.active}
          onChange={(event) => void change(() => saveRule({ ...rule, active: event.target.checked }))}
        />
        On<span className="hidden-text"> {rule.name}</span>
      </label>
      <div className="rule-acts">
        <Button small look="quiet" onClick={onEdit}>
          Change<span className="hidden-text"> {rule.name}</span>
        </Button>
        {asks ? (
          <Button small look="danger" onClick={() => void change(() => removeRule(rule.id))}>
            Remove it for good
          </Button>
        ) : (
          <Button small look="quiet" onClick={() => setAsks(true)}>
            Remove<span className="hidden-text"> {rule.name}</span>
          </Button>
        )}
      </div>
    </li>
  );
}

function wantedWords({ kind, sender, least, most, field }: Wanted): string {
  return [
    kind === undefined ? 'Any document' : KIND_NAMES[kind],
    sender === undefined ? '' : `from “${sender}”`,
    least === undefined ? '' : `of at least ${least}`,
    most === undefined ? '' : `of at most ${most}`,
    field === undefined
      ? ''
      : `with “${field.label}”${field.contains === undefined ? '' : ` that has “${field.contains}”`}`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function actWords({ tag, name, mail, webhook, remind }: Acts): string {
  return [
    tag === undefined ? '' : `tag “${tag}”`,
    name === undefined ? '' : `name “${name}”`,
    mail === true ? 'mail to you' : '',
    webhook === undefined ? '' : `send to ${webhook}`,
    remind === undefined ? '' : `remind ${remind.days} days before “${remind.label}”`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** What the form says, or the sentence about what is missing. */
function readForm(form: HTMLFormElement): { name: string; wanted: Wanted; acts: Acts } | string {
  const data = new FormData(form);
  const text = (key: string): string | undefined => String(data.get(key) ?? '').trim() || undefined;
  const number = (key: string): number | undefined => {
    const given = text(key);
    return given === undefined ? undefined : Number(given);
  };
  const [label, contains] = [text('field'), text('contains')];
  const [remindLabel, days] = [text('remind-field'), number('remind-days')];
  const wanted = {
    kind: text('kind') as DocumentKind | undefined,
    sender: text('sender'),
    least: number('least'),
    most: number('most'),
    field: label === undefined ? undefined : { label, contains },
  };
  const acts = {
    tag: text('tag'),
    name: text('pattern'),
    mail: data.get('mail') === 'on' ? (true as const) : undefined,
    webhook: text('webhook'),
    remind: remindLabel === undefined ? undefined : { label: remindLabel, days: days ?? 0 },
  };
  const name = text('name');
  if (Object.values(wanted).every((each) => each === undefined))
    return 'Say which documents: a kind, a sender, an amount or a field.';
  if (Object.values(acts).every((each) => each === undefined)) return 'Say what is done with them.';
  return { name: name ?? '', wanted, acts };
}

const FAILED = {
  save: 'The rule could not be saved. Try again.',
  try: 'Your documents could not be loaded. Try again.',
} as const;

function RuleForm({ rule, onClose }: { rule: DocumentRule | undefined; onClose: () => void }) {
  const queries = useQueryClient();
  const [fault, setFault] = useState<string>();
  const [busy, setBusy] = useState<'save' | 'try'>();
  const [tried, setTried] = useState<DryRun>();
  const work = async (form: HTMLFormElement, how: 'save' | 'try'): Promise<void> => {
    const read = readForm(form);
    setTried(undefined);
    if (typeof read === 'string') {
      setFault(read);
      return;
    }
    if (how === 'save' && read.name === '') {
      setFault('Give the rule a name.');
      return;
    }
    setBusy(how);
    setFault(undefined);
    try {
      if (how === 'try') setTried(await tryRule(read.wanted, read.acts));
      else {
        await saveRule({
          ...read,
          active: rule?.active ?? true,
          ...(rule === undefined ? {} : { id: rule.id }),
        });
        announce(`${read.name} saved`);
        await queries.invalidateQueries({ queryKey: ['files'] });
        onClose();
      }
    } catch (error) {
      setFault(failed(error, FAILED[how]));
    } finally {
      setBusy(undefined);
    }
  };
  const { wanted, acts } = rule ?? { wanted: {} as Wanted, acts: {} as Acts };
  return (
    <form
      className="panel pad rule-form"
      aria-label={rule === undefined ? 'New rule' : `Change ${rule.name}`}
      onSubmit={(event) => {
        event.preventDefault();
        void work(event.currentTarget, 'save');
      }}
    >
      <Text label="Name of the rule" name="name" value={rule?.name} most={60} />
      <WantedFields wanted={wanted} />
      <ActFields acts={acts} />
      {fault !== undefined && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
      <div className="rule-acts">
        <Button type="submit" look="signal" busy={busy === 'save'}>
          Save the rule
        </Button>
        <Button
          look="quiet"
          busy={busy === 'try'}
          onClick={(event) => {
            const { form } = event.currentTarget;
            if (form !== null) void work(form, 'try');
          }}
        >
          Try it on your last {DRY_RUN_DOCUMENTS} documents
        </Button>
        <Button look="quiet" onClick={onClose}>
          Leave it
        </Button>
      </div>
      {tried !== undefined && <Tried run={tried} />}
    </form>
  );
}

function WantedFields({ wanted }: { wanted: Wanted }) {
  return (
    <fieldset>
      <legend>When a document arrives that is</legend>
      <label>
        of the kind
        <select name="kind" defaultValue={wanted.kind ?? ''}>
          <option value="">any</option>
          {Object.entries(KIND_NAMES).map(([kind, name]) => (
            <option key={kind} value={kind}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Text label="from a sender whose name has" name="sender" value={wanted.sender} most={100} />
      <Amount label="with a total of at least" name="least" value={wanted.least} />
      <Amount label="and at most" name="most" value={wanted.most} />
      <Text label="with the field" name="field" value={wanted.field?.label} most={60} />
      <Text label="whose value has" name="contains" value={wanted.field?.contains} most={100} />
    </fieldset>
  );
}

function ActFields({ acts }: { acts: Acts }) {
  return (
    <fieldset>
      <legend>do this</legend>
      <Text label="Give it the tag" name="tag" value={acts.tag} most={40} />
      <Text
        label="Name it"
        name="pattern"
        value={acts.name}
        most={150}
        hint="{date} {sender} {number} {total} {due} {kind} {title} stand for its values, and so does the name of any field in such brackets."
      />
      <label className="paid-box">
        <input type="checkbox" name="mail" defaultChecked={acts.mail === true} />
        Send a mail to your address
      </label>
      <Text
        label="Send its fields to the address of a program"
        name="webhook"
        value={acts.webhook}
        most={500}
        hint="We ask it once whether it is yours: it has to answer our question with the word “challenge” from it."
      />
      <Text
        label="Remind you before the day in this field"
        name="remind-field"
        value={acts.remind?.label}
        most={60}
      />
      <label>
        Days before it
        <input name="remind-days" type="number" min={0} max={365} defaultValue={acts.remind?.days ?? 3} />
      </label>
    </fieldset>
  );
}

function Tried({ run: { looked, met } }: { run: DryRun }) {
  return (
    <section className="tried" aria-label="What would have happened" aria-live="polite">
      <p>
        {met.length === 0
          ? `None of your last ${looked} documents meets this rule.`
          : `${met.length} of your last ${looked} documents would have met this rule. Nothing was changed.`}
      </p>
      <ul>
        {met.map(({ file_id: id, file_name: name, acts }) => (
          <li key={id}>
            <Link href={analysisPath(id)}>{name}</Link>
            <span className="meta">{acts.map(({ text }) => text).join(', ')}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface TextProps {
  readonly label: string;
  readonly name: string;
  readonly value: string | undefined;
  readonly most: number;
  readonly hint?: ReactNode;
}

function Text({ label, name, value, most, hint }: TextProps) {
  return (
    <div>
      <label>
        {label}
        <input
          name={name}
          maxLength={most}
          defaultValue={value ?? ''}
          aria-describedby={hint === undefined ? undefined : `${name}-hint`}
        />
      </label>
      {hint !== undefined && (
        <span className="meta" id={`${name}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
}

function Amount({ label, name, value }: { label: string; name: string; value: number | undefined }) {
  return (
    <label>
      {label}
      <input name={name} type="number" min={0} step="0.01" defaultValue={value ?? ''} />
    </label>
  );
}
