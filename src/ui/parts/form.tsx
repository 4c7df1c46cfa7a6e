import {
  createContext,
  type FormEvent,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';

import { restoreDraft, saveDraft } from './form-draft.ts';

/** The values of a form by field name, trimmed except for passwords. */
export type FormValues = Record<string, string>;

type Check = (value: string, values: FormValues) => string | undefined;

interface FormState {
  errors: Record<string, string>;
  /** Adds a rule that the browser does not have. */
  register(name: string, check: Check): () => void;
}

const FormContext = createContext<FormState>({ errors: {}, register: () => () => {} });

/** The error message of each field, and a function that adds a rule. */
export const useFormState = (): FormState => useContext(FormContext);

interface FormProps {
  /** Runs when every field is valid. */
  onSubmit: (values: FormValues) => void | Promise<void>;
  /** Where the form is sent without scripts. */
  action?: string;
  className?: string;
  label?: string;
  /**
   * Name under which entries are saved in this tab until `removeDraft`, so that Back and Escape lose nothing.
   */
  draft?: string;
  children: ReactNode;
}

/**
 * A form with the browser's own validation: messages beside the fields and in one summary, focus on the first
 * wrong field. Entries always stay.
 */
export function Form({ onSubmit, action, className = '', label, draft, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const checks = useRef(new Map<string, Check>());
  const [errors, setErrors] = useState<Record<string, string>>({});
  const register = useCallback((name: string, check: Check) => {
    checks.current.set(name, check);
    return () => {
      checks.current.delete(name);
    };
  }, []);
  useEffect(() => {
    // The browser's own error bubbles are for pages whose scripts have not loaded.
    if (form.current !== null) form.current.noValidate = true;
  }, []);
  useEffect(() => {
    if (draft !== undefined && form.current !== null) restoreDraft(draft, form.current);
  }, [draft]);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const found = findErrors(event.currentTarget, checks.current);
    setErrors(found);
    const [first] = Object.keys(found);
    if (first === undefined) void onSubmit(valuesOf(event.currentTarget));
    else fieldOf(event.currentTarget, first)?.focus();
  };
  const changed = (event: FormEvent<HTMLFormElement>): void => {
    if (draft !== undefined) saveDraft(draft, event.currentTarget);
    const name = (event.target as HTMLInputElement).name;
    setErrors((before) => {
      if (!(name in before)) return before;
      const { [name]: _gone, ...rest } = before;
      return rest;
    });
  };
  const state = useMemo(() => ({ errors, register }), [errors, register]);
  return (
    <FormContext value={state}>
      <form
        ref={form}
        className={`form ${className}`.trim()}
        aria-label={label}
        method="post"
        {...(action === undefined ? {} : { action })}
        onSubmit={submit}
        onInput={changed}
        data-live=""
      >
        <ErrorSummary errors={errors} onPick={(name) => fieldOf(form.current, name)?.focus()} />
        {children}
      </form>
    </FormContext>
  );
}

/** One summary of all messages; a single message is beside its field already. */
function ErrorSummary({
  errors,
  onPick,
}: {
  errors: Record<string, string>;
  onPick: (name: string) => void;
}) {
  const entries = Object.entries(errors);
  return (
    <div role="alert" className="form-summary" hidden={entries.length < 2}>
      {entries.length < 2 ? null : (
        <>
          <p>{entries.length} fields need another look:</p>
          <ul>
            {entries.map(([name, message]) => (
              <li key={name}>
                <button type="button" onClick={() => onPick(name)}>
                  {message}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

function fieldOf(form: HTMLFormElement | null, name: string): HTMLElement | null {
  const field = form?.elements.namedItem(name);
  return field instanceof HTMLElement ? field : null;
}

function valuesOf(form: HTMLFormElement): FormValues {
  return Object.fromEntries(
    [...new FormData(form)].map(([name, value]) => {
      // By its purpose, not its type: a password that is shown is in a text field.
      const isSecret = /password/.test((fieldOf(form, name) as HTMLInputElement | null)?.autocomplete ?? '');
      return [name, typeof value === 'string' ? (isSecret ? value : value.trim()) : ''];
    }),
  );
}

function findErrors(form: HTMLFormElement, checks: Map<string, Check>): Record<string, string> {
  const values = valuesOf(form);
  const found: Record<string, string> = {};
  for (const control of form.elements) {
    if (!isControl(control) || control.name === '') continue;
    const value = values[control.name] ?? '';
    const message = browserError(control, value) ?? checks.get(control.name)?.(value, values);
    if (message !== undefined) found[control.name] = message;
  }
  return found;
}

function isControl(element: Element): element is Control {
  return 'validity' in element;
}

/** The message of the browser's own rules; a value of blanks counts as empty. */
function browserError(control: Control, value: string): string | undefined {
  const { validity, validationMessage, dataset, required } = control;
  if (validity.valueMissing || (validity.valid && required && value === '')) {
    return dataset.missing ?? validationMessage;
  }
  return validity.valid ? undefined : (dataset.wrong ?? validationMessage);
}
