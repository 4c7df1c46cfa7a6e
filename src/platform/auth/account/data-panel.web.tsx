import { useState } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import { Field } from '../../../ui/parts/field.tsx';
import { Form } from '../../../ui/parts/form.tsx';
import { FormError } from '../../../ui/parts/form-error.tsx';
import { callServer } from '../../../ui/session/server-call.ts';
import { signOutAndGoHome } from '../../../ui/session/stored-session.ts';
import { useSubmission } from '../site/submission.web.ts';

const DELETE_ACCOUNT = '/functions/v1/delete-account';
const EXPORT_ACCOUNT = '/functions/v1/export-account';

/** Everything that is kept about the user as one file, and the end of the account. */
export function DataPanel() {
  const [deleting, setDeleting] = useState(false);
  const { busy, error, run } = useSubmission(() => {});
  const save = (): Promise<void> =>
    run(async () => {
      const reply = await callServer(EXPORT_ACCOUNT, { as: 'user', body: {} });
      download(`account-${new Date().toISOString().slice(0, 10)}.json`, (await reply.json()) as object);
    });
  return (
    <section className="panel pad" aria-labelledby="data">
      <h2 id="data" tabIndex={-1}>
        Your data
      </h2>
      <p className="meta">
        One JSON file with what is kept about you: your account and sign-ins, the list of your files, their
        reports, credits and plans, and your enquiries. Once your address is proven by a mailed link, also the
        mails to it. The documents themselves are on the Files tab.
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
      {deleting && <Deletion onCancel={() => setDeleting(false)} />}
    </section>
  );
}

function Deletion({ onCancel }: { onCancel: () => void }) {
  const { busy, error, run } = useSubmission(() => {});
  const end = (): Promise<void> =>
    run(async () => {
      await callServer(DELETE_ACCOUNT, { as: 'user', body: { confirm: 'delete' } });
      await signOutAndGoHome();
    });
  return (
    <Form label="Delete this account" onSubmit={end}>
      {error !== undefined && <FormError>{error}</FormError>}
      <p>
        Your documents, their reports, your enquiries and your sign-ins are deleted at once, and running plans
        end without a refund. This cannot be undone. What the law makes us keep, such as the books of what you
        bought, stays without your account.
      </p>
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

function download(name: string, content: object): void {
  const address = URL.createObjectURL(
    new Blob([JSON.stringify(content, null, 2)], { type: 'application/json' }),
  );
  const link = Object.assign(document.createElement('a'), { href: address, download: name });
  link.click();
  URL.revokeObjectURL(address);
}
