import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatDate } from '../../../kernel/contract/dates.ts';
import { PAGES } from '../../../kernel/contract/routes.ts';
import { Button, ButtonLink } from '../../../ui/parts/button.tsx';
import { Field } from '../../../ui/parts/field.tsx';
import { Form, type FormValues } from '../../../ui/parts/form.tsx';
import { Loaded } from '../../../ui/parts/loaded.tsx';
import { QuestionDialog } from '../../../ui/parts/question-dialog.tsx';
import { OPERATOR_ROLES, type OperatorFunctionName, type OperatorRole } from '../operator-roles.contract.ts';
import { PageHead } from '../parts/console-parts.web.tsx';
import { May, useMay } from '../parts/console-role.web.tsx';
import { useOperatorCall } from '../parts/operator-action.web.ts';
import { operatorQuery } from '../parts/operator-client.web.ts';
import { shortTime } from '../parts/time-words.web.ts';
import { ROLE_NAMES, ROLE_SENTENCES } from './colleague-words.web.ts';
import type { ColleaguesPage } from './colleagues.contract.ts';

type Colleague = ColleaguesPage['colleagues'][number];

/** Does one change at a time and reports its outcome; returns whether it was done. */
type Change = (name: OperatorFunctionName, body: object, done: string) => Promise<boolean>;

interface PartProps {
  readonly busy: boolean;
  readonly change: Change;
}

/** The console's Colleagues page: who is here with which role; owners invite, change and remove. */
export function ColleaguesView() {
  const query = useQuery(operatorQuery<ColleaguesPage>('colleagues'));
  const { busy, ask } = useOperatorCall();
  const change: Change = async (name, body, done) => (await ask(name, body, done)) !== undefined;
  return (
    <>
      <PageHead heading="Colleagues" about="Who may do what at the console." />
      <ul className="role-words">
        {OPERATOR_ROLES.map((role) => (
          <li key={role}>{ROLE_SENTENCES[role]}</li>
        ))}
      </ul>
      <Loaded query={query}>
        {({ colleagues, invitations }) => (
          <>
            <ul className="panel rows colleagues" aria-label="Colleagues">
              {colleagues.map((colleague) => (
                <ColleagueRow key={colleague.user_id} colleague={colleague} busy={busy} change={change} />
              ))}
            </ul>
            <May
              call="invite-colleague"
              otherwise={<p className="meta">Owners invite colleagues and change roles.</p>}
            >
              {colleagues.some((one) => one.is_own && one.has_factor === false) ? (
                <div className="panel empty" role="alert">
                  <b>Colleagues need a second factor</b>
                  <p className="meta">
                    They get into everything, so a password alone invites and changes nobody.
                  </p>
                  <ButtonLink href={`${PAGES.account.path}#second-factor`}>Set up a second factor</ButtonLink>
                </div>
              ) : (
                <>
                  <Invitations invitations={invitations} busy={busy} change={change} />
                  <Invite busy={busy} change={change} />
                </>
              )}
            </May>
          </>
        )}
      </Loaded>
    </>
  );
}

function ColleagueRow({ colleague, busy, change }: PartProps & { readonly colleague: Colleague }) {
  const { user_id: id, email, role, is_own: isOwn } = colleague;
  const [asked, setAsked] = useState<OperatorRole | 'gone'>();
  const isOwner = useMay('change-colleague');
  const name = colleague.name ?? email ?? 'A colleague';
  const setRole = (next: OperatorRole): Promise<boolean> =>
    change('change-colleague', { user_id: id, role: next }, `${name}: ${ROLE_NAMES[next]} from now on.`);
  const remove = (): Promise<boolean> =>
    isOwn
      ? change('leave', {}, 'You have left the console.')
      : change('remove-colleague', { user_id: id }, `${name} has no access any more.`);
  return (
    <li className="row">
      <div className="name">
        <b>{name}</b>
        <p className="meta num">{aboutWords(colleague, name)}</p>
      </div>
      <Mark colleague={colleague} />
      <div className="console-acts">
        {isOwner ? (
          <select
            className="line-field"
            aria-label={`Role of ${name}`}
            value={role}
            disabled={busy}
            onChange={({ currentTarget }) => {
              const next = currentTarget.value as OperatorRole;
              // A person who gives up their own rights cannot take them back.
              if (isOwn) setAsked(next);
              else void setRole(next);
            }}
          >
            <RoleOptions />
          </select>
        ) : (
          <span className="meta">{ROLE_NAMES[role]}</span>
        )}
        {(isOwner || isOwn) && (
          <Button
            small
            look="quiet"
            busy={busy}
            aria-label={isOwn ? 'Leave the console' : `Remove ${name}`}
            onClick={() => setAsked('gone')}
          >
            {isOwn ? 'Leave' : 'Remove'}
          </Button>
        )}
      </div>
      {asked !== undefined && (
        <QuestionDialog
          heading={
            asked === 'gone' ? (isOwn ? 'Leave the console?' : `Remove ${name}?`) : 'Give up being an owner?'
          }
          busy={busy}
          onClose={() => setAsked(undefined)}
          keep="Keep as it is"
          act={
            <Button
              look="danger"
              busy={busy}
              onClick={() =>
                void (asked === 'gone' ? remove() : setRole(asked)).then(() => setAsked(undefined))
              }
            >
              {asked === 'gone' ? (isOwn ? 'Leave' : 'Remove') : 'Give it up'}
            </Button>
          }
        >
          <p>{askedWords(asked, isOwn)}</p>
        </QuestionDialog>
      )}
    </li>
  );
}

function Mark({ colleague: { has_factor: factor, is_own: isOwn } }: { readonly colleague: Colleague }) {
  if (factor === false)
    return (
      <span className="badge" data-status="due">
        No second factor
      </span>
    );
  return isOwn ? <span className="badge">You</span> : <span />;
}

function aboutWords({ email, seen_at: seen, has_factor: factor }: Colleague, name: string): string {
  return [
    ...(email !== null && email !== name ? [email] : []),
    ...(seen === null ? [] : [`last seen ${shortTime(seen)}`]),
    ...(factor === true ? ['second factor'] : []),
  ].join(' · ');
}

function askedWords(asked: OperatorRole | 'gone', isOwn: boolean): string {
  if (asked !== 'gone') return 'Only another owner can make you one again.';
  return isOwn
    ? 'At once you see nothing of the console. Your account and its own files stay yours.'
    : 'At once open pages and API keys of this person get nothing more of the console. The account stays, with its own files.';
}

const RoleOptions = () =>
  OPERATOR_ROLES.map((role) => (
    <option key={role} value={role}>
      {ROLE_NAMES[role]}
    </option>
  ));

function Invitations({ invitations, busy, change }: PartProps & Pick<ColleaguesPage, 'invitations'>) {
  if (invitations.length === 0) return null;
  return (
    <section className="console-section" aria-labelledby="invited">
      <h2 id="invited">Invited</h2>
      <ul className="panel rows">
        {invitations.map(({ id, email, role, expires_at: expires }) => (
          <li className="row" key={id}>
            <div className="name">
              <b>{email}</b>
              <p className="meta">
                {ROLE_NAMES[role]}, until {formatDate(new Date(expires))}
              </p>
            </div>
            <span />
            <div className="console-acts">
              <Button
                small
                look="quiet"
                busy={busy}
                aria-label={`Withdraw the invitation of ${email}`}
                onClick={() => void change('withdraw-colleague', { id }, 'The invitation is withdrawn.')}
              >
                Withdraw
              </Button>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Invite({ busy, change }: PartProps) {
  const [sent, setSent] = useState(0);
  const invite = async ({ email = '', role = 'staff' }: FormValues): Promise<void> => {
    if (await change('invite-colleague', { email, role }, `An invitation is on its way to ${email}.`))
      setSent(sent + 1);
  };
  return (
    <section className="console-section" aria-labelledby="invite">
      <h2 id="invite">Invite a colleague</h2>
      {/* Empty again after each invitation, for the next one. */}
      <Form key={sent} label="Invite a colleague" className="panel pad" onSubmit={invite}>
        <div className="form-pair">
          <Field
            label="Email Address"
            name="email"
            type="email"
            autoComplete="off"
            required
            missing="Enter an email address"
            wrong="Enter an email address like name@example.com"
          />
          <Field as="select" label="Role" name="role" defaultValue="staff" required>
            <RoleOptions />
          </Field>
        </div>
        <p className="meta">
          The link in the mail works for a week. The console opens with an account of that address and a
          second factor.
        </p>
        <div className="form-foot">
          <Button type="submit" look="ink" busy={busy}>
            Send the invitation
          </Button>
        </div>
      </Form>
    </section>
  );
}
