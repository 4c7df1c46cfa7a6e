import { COUNTRIES } from '@northline/vat/countries';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../../ui/parts/button.tsx';
import { Field } from '../../../ui/parts/field.tsx';
import { Form, type FormValues } from '../../../ui/parts/form.tsx';
import { FormError } from '../../../ui/parts/form-error.tsx';
import { CallRefused } from '../../../ui/session/server-call.ts';
import {
  type BillingDetails,
  DETAIL_FUNCTIONS,
  DETAIL_LENGTHS,
} from '../subscription/billing-details.contract.ts';
import { callBilling } from '../subscription/billing-read.web.ts';

const names = new Intl.DisplayNames('en-GB', { type: 'region' });
const NAMED_COUNTRIES = COUNTRIES.map((code) => ({ code, name: names.of(code) ?? code })).sort((one, other) =>
  one.name.localeCompare(other.name),
);

/** Company, address and VAT number for later invoices; collapsed until somebody opens it. */
export function BillingDetailsForm({ userId }: { userId: string }) {
  const [open, setOpen] = useState(false);
  return (
    <section aria-labelledby="billing-details">
      <div className="invoices-head">
        <h2 id="billing-details">Billing details</h2>
        <button type="button" className="text-btn" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Close' : 'Company, address, VAT number'}
        </button>
      </div>
      {open && <Details userId={userId} />}
    </section>
  );
}

function Details({ userId }: { userId: string }) {
  const { data, isError } = useQuery({
    queryKey: ['billing details', userId],
    queryFn: () => callBilling<BillingDetails>(DETAIL_FUNCTIONS.read, {}),
  });
  if (isError) {
    return (
      <p className="panel pad meta" role="alert">
        Your billing details cannot be reached just now. Please try again later.
      </p>
    );
  }
  return data === undefined ? (
    <div className="panel pad ghost-line" />
  ) : (
    <Fields userId={userId} kept={data} />
  );
}

function Fields({ userId, kept }: { userId: string; kept: BillingDetails }) {
  const queries = useQueryClient();
  const [state, setState] = useState<'idle' | 'saving' | 'saved'>('idle');
  const [refusal, setRefusal] = useState<CallRefused>();
  const save = async (values: FormValues): Promise<void> => {
    setState('saving');
    setRefusal(undefined);
    try {
      const saved = await callBilling<BillingDetails>(DETAIL_FUNCTIONS.save, values);
      queries.setQueryData(['billing details', userId], saved);
      setState('saved');
    } catch (error) {
      setState('idle');
      setRefusal(error instanceof CallRefused ? error : new CallRefused(0, {}));
    }
  };
  const field = (name: keyof BillingDetails) => ({
    name,
    maxLength: DETAIL_LENGTHS[name],
    defaultValue: kept[name],
    error: refusal?.fields[name],
  });
  return (
    <div className="panel pad">
      <Form label="Billing details" onSubmit={save}>
        {refusal !== undefined && <FormError>{refusal.message}</FormError>}
        <Field label="Company or name" autoComplete="organization" {...field('name')} />
        <div className="form-pair">
          <Field label="Address" autoComplete="address-line1" {...field('line1')} />
          <Field label="Second line" autoComplete="address-line2" {...field('line2')} />
        </div>
        <div className="form-pair">
          <Field label="Town or city" autoComplete="address-level2" {...field('city')} />
          <Field label="Postcode" autoComplete="postal-code" {...field('postal_code')} />
        </div>
        <div className="form-pair">
          <Field
            as="select"
            label="Country"
            name="country"
            autoComplete="country"
            defaultValue={kept.country}
            error={refusal?.fields.country}
          >
            <option value="">None</option>
            {NAMED_COUNTRIES.map(({ code, name }) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </Field>
          <Field label="VAT number" {...field('vat_number')} />
        </div>
        <div className="form-foot">
          <Button type="submit" look="quiet" busy={state === 'saving'}>
            {state === 'saving' ? 'Saving...' : 'Save'}
          </Button>
          <p className="meta" role="status">
            {state === 'saved' ? 'Saved. They stand on your next invoice.' : ''}
          </p>
        </div>
      </Form>
    </div>
  );
}
