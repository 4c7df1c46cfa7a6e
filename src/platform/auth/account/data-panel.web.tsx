import { type ComponentType, useState } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import { Field } from '../../../ui/parts/field.tsx';
import { Form } from '../../../ui/parts/form.tsx';
import { FormError } from '../../../ui/parts/form-error.tsx';
import { callServer } from '../../../ui/session/server-call.ts';
import { signOutAndGoHome } from '../../../ui/session/stored-session.ts';
import { useSignInWays } from '../providers/sign-in-settings.web.ts';
import { useSubmission } from '../site/submission.web.ts';
import { reloadSession } from './deletion-notice.web.tsx';
import { download } from './download.web.ts';

const DELETE_ACCOUNT = '/functions/v1/delete-account';
const EXPORT_ACCOUNT = '/functions/v1/export-account';

/**
 * What another feature shows before an account is deleted; it calls `onEnds` with whether something that
 * other people use may end with the account.
 */
export type BeforeDeletion = ComponentType<{ readonly onEnds: (ends: boolean) => void }>;

/** Downloads all data about the user as one file, and deletes the account. */
export function DataPanel({ Before }: { Before?: BeforeDeletion | undefined }) {
  const [deleting, setDeleting] = useState(false);
  const { busy, error, run } = useSubmission(() => {});
  const save = (): Promise<void> =>
    run(async () => {
      const reply = await callServer(EXPORT_ACCOUNT, { as: 'user', body: {} });
      const content = JSON.stringify(await reply.json(), null, 2);
      download(
        `account-${new Date().toISOString().slice(0, 10)}.json`,
        new Blob([content], { type: 'application/json' }),
      );
    });
  return (
    <section className="panel pad" aria-labelledby="data">
      <h2 id="data" tabIndex={-1}>
        Your data
      </h2>
      <p className="meta">
        One JSON file with what is kept about you: your account, picture and sign-ins, the list of your files,
        their reports, credits and plans, and your enquiries. Once your address is proven by a mailed link,
        also the mails to it. The documents themselves are on the Files tab.
      </p>
      {error !== undefined && (
        <p className="fault" role="alert">
          {error}
        </p>
      )}
      <p className="data-acts">
        <Button look="quiet" busy={busy} onClick={() => void save()}>
          Download your data
        </Button>
        {!deleting && (
          <Button look="quiet" onClick={() => setDeleting(true)}>
            Delete this account
          </Button>
        )}
      </p>
      {deleting && <Deletion Before={Before} onCancel={() => setDeleting(false)} />}
    </section>
  );
}

function Deletion({ Before, onCancel }: { Before: BeforeDeletion | undefined; onCancel: () => void }) {
  const { busy, error, run } = useSubmission(() => {});
  const graceDays = useSignInWays()?.graceDays;
  const [atOnce, setAtOnce] = useState(false);
  const [teamEnds, setTeamEnds] = useState(false);
  const end = (): Promise<void> =>
    run(async () => {
      const body = { confirm: 'delete', at_once: atOnce, team_ends: teamEnds };
      const reply = await callServer(DELETE_ACCOUNT, { as: 'user', body });
      const { deleted } = (await reply.json()) as { deleted: boolean };
      if (deleted) return signOutAndGoHome();
      await reloadSession();
      onCancel();
    });
  return (
    <Form label="Delete this account" onSubmit={end}>
      {error !== undefined && <FormError>{error}</FormError>}
      {graceDays !== undefined && graceDays > 0 && (
        <p>
          For {graceDays} {graceDays === 1 ? 'day' : 'days'} nothing is deleted, and you can keep the account
          by signing in or by the link that we mail to you. Payments that fall due until then are taken,
          unless you end the plan on the Billing tab. An account without files, credits and purchases is
          deleted at once.
        </p>
      )}
      <p>
        Then your documents, their reports, your enquiries and your sign-ins are deleted, and running plans
        end without a refund. This cannot be undone. What the law makes us keep, such as the books of what you
        bought, stays without your account.
      </p>
      {Before !== undefined && <Before onEnds={setTeamEnds} />}
      {graceDays !== undefined && graceDays > 0 && (
        <label className="notice-choice">
          <input
            type="checkbox"
            checked={atOnce}
            onChange={({ currentTarget }) => setAtOnce(currentTarget.checked)}
          />
          <span>Delete it now, without these days</span>
        </label>
      )}
      <Field
        label="Type delete to confirm"
        name="confirm"
        autoComplete="off"
        autoCapitalize="none"
        required
        missing="Type the word delete"
        check={(value) => (value.toLowerCase() === 'delete' ? undefined : 'Type the word delete')}
      />
      <div className="form-foot">
        <Button type="submit" look="danger" busy={busy}>
          {busy ? 'Deleting...' : 'Delete account'}
        </Button>
        <Button look="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </Form>
  );
}
