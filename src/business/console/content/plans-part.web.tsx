import { currencyWord, placesOf } from '@northline/vat/money';
import { SPECIFIED_PLANS, USUAL_CURRENCY } from '../../../kernel/contract/plans.ts';
import { type QuotedTier, type SitePlan, SPECIFIED_TIER } from '../../../kernel/contract/site-content.ts';
import { Button } from '../../../ui/parts/button.tsx';
import { CURRENCIES } from '../../content/currencies.contract.ts';
import { sitePlan } from '../../content/site-plan.contract.ts';
import type { PartProps } from './content-page.web.tsx';
import { changed, moved, OrderButtons, WrittenField } from './editor-fields.web.tsx';

const NEW: Readonly<Record<SitePlan['line'], SitePlan>> = {
  documents: {
    line: 'documents',
    tier: '',
    name: '',
    description: '',
    pricePence: 1000,
    features: [],
    mostPopular: false,
    limits: { creditsPerMonth: 10, storageMb: 1000, videoMinutes: null },
  },
  courses: {
    line: 'courses',
    tier: '',
    name: '',
    description: '',
    pricePence: 10_000,
    features: [],
    mostPopular: false,
    limits: { creditsPerMonth: 1, storageMb: 250, videoMinutes: 15 },
  },
};

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
const whole = (text: string): number => Math.round(Number(text) || 0);

const NAMES = new Intl.DisplayNames('en', { type: 'currency' });

/** Prices keep the number that people read: 49 pounds become 49 euros, and 49 yen. */
function inCurrency(
  plans: readonly SitePlan[],
  from: string,
  to: string,
): Parameters<PartProps['change']>[0] {
  const times = 10 ** (placesOf(to) - placesOf(from));
  const currency = to === USUAL_CURRENCY ? undefined : to;
  if (times === 1) return { currency };
  return {
    currency,
    plans: plans.map((plan) => ({ ...plan, pricePence: Math.round(plan.pricePence * times) })),
  };
}

/** The plans of both lines: what they are called, cost and allow. */
export function PlansPart({ draft, change }: PartProps) {
  const { currency = USUAL_CURRENCY } = draft;
  const plans = draft.plans ?? SPECIFIED_PLANS.map(sitePlan);
  return (
    <>
      <p className="meta">
        Another price or allowance counts for people who buy from now on. People with a subscription keep it
        as they bought it.
      </p>
      <div className="field">
        <label htmlFor="site-currency">Currency of all prices</label>
        <select
          id="site-currency"
          value={currency}
          onChange={({ currentTarget }) => change(inCurrency(plans, currency, currentTarget.value))}
        >
          {CURRENCIES.map((code) => (
            <option key={code} value={code}>
              {code}, {NAMES.of(code)}
            </option>
          ))}
        </select>
      </div>
      {plans.map((plan, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a name changes with every letter that is typed.
        <fieldset key={at} className="site-entry">
          <legend>
            {plan.line === 'documents' ? 'Document plan' : 'Course plan'}: {plan.name || 'a new one'}
          </legend>
          <PlanFields
            plan={plan}
            currency={currency}
            write={(part) => change({ plans: changed(plans, at, part) })}
          />
          <OrderButtons
            name={plan.name}
            at={at}
            count={plans.length}
            onMove={(to) => change({ plans: moved(plans, at, to) })}
            onRemove={() => change({ plans: plans.filter((_, index) => index !== at) })}
          />
        </fieldset>
      ))}
      <div className="console-acts">
        <Button small look="quiet" onClick={() => change({ plans: [...plans, NEW.documents] })}>
          Add a document plan
        </Button>
        <Button small look="quiet" onClick={() => change({ plans: [...plans, NEW.courses] })}>
          Add a course plan
        </Button>
      </div>
      <TierFields tier={draft.quotedTier ?? SPECIFIED_TIER} write={(quotedTier) => change({ quotedTier })} />
    </>
  );
}

interface TierFieldsProps {
  readonly tier: QuotedTier | false;
  readonly write: (tier: QuotedTier | false) => void;
}

/** The tier for people for whom no document plan is large enough, if the agency has one. */
function TierFields({ tier, write }: TierFieldsProps) {
  return (
    <fieldset className="site-entry">
      <legend>Beyond the document plans</legend>
      <label className="site-check">
        <input
          type="checkbox"
          checked={tier !== false}
          onChange={({ target }) => write(target.checked ? SPECIFIED_TIER : false)}
        />
        Offered for a price that people ask for
      </label>
      {tier === false ? null : (
        <>
          <div className="form-pair">
            <WrittenField label="Name" value={tier.name} onWrite={(name) => write({ ...tier, name })} />
            <WrittenField
              label="In place of a price"
              value={tier.price}
              onWrite={(price) => write({ ...tier, price })}
            />
          </div>
          <WrittenField
            label="What it is"
            value={tier.description}
            onWrite={(description) => write({ ...tier, description })}
          />
        </>
      )}
    </fieldset>
  );
}

interface PlanFieldsProps {
  readonly plan: SitePlan;
  readonly currency: string;
  readonly write: (part: Partial<SitePlan>) => void;
}

function PlanFields({ plan, currency, write }: PlanFieldsProps) {
  const { limits } = plan;
  const unit = 10 ** placesOf(currency);
  return (
    <>
      <div className="form-pair">
        <WrittenField label="Name" value={plan.name} onWrite={(name) => write({ name })} />
        <WrittenField
          label="Internal name"
          hint="Small letters; your other tools see this name."
          value={plan.tier}
          onWrite={(tier) => write({ tier })}
        />
        <WrittenField
          label={`${capital(currencyWord(currency))} a month`}
          type="number"
          step={String(1 / unit)}
          value={String(plan.pricePence / unit)}
          onWrite={(price) => write({ pricePence: whole(String(Number(price) * unit)) })}
        />
        <WrittenField
          label={plan.line === 'documents' ? 'Documents a month' : 'Uploads a month'}
          type="number"
          value={String(limits.creditsPerMonth)}
          onWrite={(count) => write({ limits: { ...limits, creditsPerMonth: whole(count) } })}
        />
        <WrittenField
          label="Storage, MB"
          type="number"
          value={String(limits.storageMb)}
          onWrite={(megabytes) => write({ limits: { ...limits, storageMb: whole(megabytes) } })}
        />
        {limits.videoMinutes === null ? null : (
          <WrittenField
            label="Minutes of a video"
            hint="-1 means no limit."
            type="number"
            value={String(limits.videoMinutes)}
            onWrite={(minutes) => write({ limits: { ...limits, videoMinutes: whole(minutes) } })}
          />
        )}
      </div>
      <WrittenField
        label="Who it is for"
        value={plan.description}
        onWrite={(description) => write({ description })}
      />
      <WrittenField
        label="What is in it, one in each line"
        rows={3}
        value={plan.features.join('\n')}
        onWrite={(text) => write({ features: text === '' ? [] : text.split('\n') })}
      />
      <label className="site-check">
        <input
          type="checkbox"
          checked={plan.mostPopular}
          onChange={({ target }) => write({ mostPopular: target.checked })}
        />
        Marked “Most Popular”
      </label>
    </>
  );
}
