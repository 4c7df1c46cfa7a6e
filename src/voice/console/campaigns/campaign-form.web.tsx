import { May, MayWrite } from '../../../business/console/parts/console-role.web.tsx';
import { useOperatorCall } from '../../../business/console/parts/operator-action.web.ts';
import { localTime } from '../../../business/console/parts/time-words.web.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { Field } from '../../../ui/parts/field.tsx';
import { Form, type FormValues } from '../../../ui/parts/form.tsx';
import { CAMPAIGN_LIMITS, type CampaignDetail } from './campaigns.contract.ts';

interface FormProps {
  readonly detail: CampaignDetail;
  readonly onSaved: (id: string) => void;
}

/** Who calls, from which number, when, and for a new campaign whom. */
export function CampaignForm({ detail: { campaign, draft, assistants, numbers }, onSaved }: FormProps) {
  const { busy, ask } = useOperatorCall();
  if (campaign !== null && draft === null)
    return <p>A squad calls in this campaign. The platform’s API changes it.</p>;
  const save = async ({ people = '', ...given }: FormValues): Promise<void> => {
    const { name, assistantId, phoneNumberId, open, earliestAt = '', attempts, minutesBetween } = given;
    const next = {
      ...{ name, assistantId, phoneNumberId, open },
      earliestAt: earliestAt === '' ? '' : new Date(earliestAt).toISOString(),
      ...{ attempts: Number(attempts), minutesBetween: Number(minutesBetween) },
    };
    const done = campaign === null ? 'The campaign is made.' : 'The campaign is changed.';
    const body = { id: campaign?.id ?? null, draft: next, people };
    const saved = await ask<{ id: string }>('save-campaign', body, done);
    if (saved !== undefined) onSaved(saved.id);
  };
  return (
    <Form label="Campaign" onSubmit={save}>
      <MayWrite call="save-campaign">
        <Field
          label="Name"
          name="name"
          required
          defaultValue={draft?.name ?? ''}
          maxLength={CAMPAIGN_LIMITS.name}
          autoComplete="off"
          missing="Enter a name"
        />
        <Field as="select" label="Assistant" name="assistantId" required defaultValue={draft?.assistantId}>
          {assistants.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Field>
        <Field
          as="select"
          label="Calls from"
          name="phoneNumberId"
          defaultValue={draft?.phoneNumberId ?? ''}
          hint="People with a number need one of yours; SIP addresses are called directly."
        >
          {numbers.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
          <option value="">No number</option>
        </Field>
        {campaign === null && (
          <Field
            as="textarea"
            rows={6}
            label="People"
            name="people"
            required
            maxLength={CAMPAIGN_LIMITS.list}
            missing="Enter whom to call"
            hint="One on each line: +442079460000, Ann Wood. People on the do-not-call list are not called."
          />
        )}
        <Times draft={draft} />
      </MayWrite>
      <May call="save-campaign">
        <div className="console-acts">
          <Button type="submit" look="signal" busy={busy}>
            {campaign === null ? 'Make it and begin' : 'Save'}
          </Button>
        </div>
      </May>
    </Form>
  );
}

function Times({ draft }: Pick<CampaignDetail, 'draft'>) {
  return (
    <>
      <div className="form-pair">
        <Field
          label="Hours"
          name="open"
          defaultValue={draft?.open ?? 'mon-fri 9:00-17:00'}
          autoComplete="off"
          hint="Left empty, it calls at any hour."
        />
        <Field
          label="Not before"
          name="earliestAt"
          type="datetime-local"
          defaultValue={draft?.earliestAt ? localTime(draft.earliestAt) : ''}
          hint="Left empty, it begins at once."
        />
      </div>
      <div className="form-pair">
        <Field
          label="Calls to each person at most"
          name="attempts"
          type="number"
          required
          min={1}
          max={5}
          defaultValue={draft?.attempts ?? 1}
          wrong="Enter a number from 1 to 5"
        />
        <Field
          label="Minutes between them"
          name="minutesBetween"
          type="number"
          required
          min={1}
          max={10_080}
          defaultValue={draft?.minutesBetween ?? 60}
          wrong="Enter a number from 1 to 10080"
        />
      </div>
    </>
  );
}
