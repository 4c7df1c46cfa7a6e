import { type CardErrors, type CardForm, TEST_CARDS } from '../ledger/test-cards.ts';
import { type Html, html } from './page-frame.ts';

interface Field {
  readonly name: keyof CardForm;
  readonly label: string;
  readonly autocomplete: string;
  readonly kind: 'email' | 'text';
  readonly keypad?: 'numeric';
  readonly example: string;
}

const FIELDS: readonly Field[] = [
  { name: 'email', label: 'Email', autocomplete: 'email', kind: 'email', example: 'name@example.com' },
  {
    name: 'number',
    label: 'Card number',
    autocomplete: 'cc-number',
    kind: 'text',
    keypad: 'numeric',
    example: '4242 4242 4242 4242',
  },
  {
    name: 'expiry',
    label: 'Expiry date',
    autocomplete: 'cc-exp',
    kind: 'text',
    keypad: 'numeric',
    example: 'MM / YY',
  },
  {
    name: 'cvc',
    label: 'Security code',
    autocomplete: 'cc-csc',
    kind: 'text',
    keypad: 'numeric',
    example: '3 digits',
  },
  { name: 'name', label: 'Name on card', autocomplete: 'cc-name', kind: 'text', example: '' },
];

/** The inputs of a card form, with what was entered before and why it was refused. */
export function cardFields(
  entered: Partial<CardForm>,
  errors: CardErrors,
  options: { fixedEmail: string | undefined },
): Html {
  const fields = FIELDS.map((field) => {
    const fixed = field.name === 'email' ? options.fixedEmail : undefined;
    // The security code is never shown again.
    const value = fixed ?? (field.name === 'cvc' ? '' : (entered[field.name] ?? ''));
    return cardField(field, { value, readonly: fixed !== undefined, error: errors[field.name] });
  });
  return html`<div class="fields">${fields}</div>`;
}

function cardField(
  field: Field,
  { value, readonly, error }: { value: string; readonly: boolean; error: string | undefined },
): Html {
  return html`<div class="field field-${field.name}">
<label for="${field.name}">${field.label}</label>
<input id="${field.name}" name="${field.name}" type="${field.kind}" autocomplete="${field.autocomplete}" placeholder="${field.example}" required maxlength="254"${
    field.keypad === undefined ? undefined : html` inputmode="numeric"`
  }${value === '' ? undefined : html` value="${value}"`}${readonly ? html` readonly` : undefined}${error === undefined ? undefined : html` aria-invalid="true" aria-describedby="${field.name}-error"`}>
${error === undefined ? undefined : html`<p class="error" id="${field.name}-error">${error}</p>`}
</div>`;
}

/** The list of test cards below a card form. */
export function testCards(): Html {
  const rows = TEST_CARDS.map(
    (card) => html`<li><code class="number">${card.number}</code> <span>${card.about}</span></li>`,
  );
  return html`<details class="test-cards" open><summary>Test cards</summary><ul>${rows}</ul><p>Any future expiry date and any security code will do.</p></details>`;
}

/** The card form as it was sent; missing fields are empty. */
export function cardFormOf(form: Map<string, string>): CardForm {
  const field = (name: keyof CardForm): string => form.get(name)?.trim() ?? '';
  return {
    email: field('email'),
    number: field('number'),
    expiry: field('expiry'),
    cvc: field('cvc'),
    name: field('name'),
  };
}
