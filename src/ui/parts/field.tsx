import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useEffect,
  useId,
} from 'react';
import { type FormValues, useFormState } from './form.tsx';

interface FieldProps {
  label: string;
  name: string;
  /** The message for an empty required field; a sentence that says what to do. */
  missing?: string;
  /** The message for a value that the browser finds wrong. */
  wrong?: string;
  hint?: ReactNode;
  /** A rule of our own: returns the message, or undefined for a valid value. */
  check?: (value: string, values: FormValues) => string | undefined;
  /** A message from the server. */
  error?: string | undefined;
}

type InputProps = FieldProps & InputHTMLAttributes<HTMLInputElement> & { as?: 'input' };
type TextProps = FieldProps & TextareaHTMLAttributes<HTMLTextAreaElement> & { as: 'textarea' };
type SelectProps = FieldProps & SelectHTMLAttributes<HTMLSelectElement> & { as: 'select' };

/** A labelled control with its hint and its error message. Optional fields are marked as such in words. */
export function Field(props: InputProps | TextProps | SelectProps) {
  const { label, missing, wrong, hint, check, error, as = 'input', ...control } = props;
  const id = useId();
  const { errors, register } = useFormState();
  const { name, required } = control;
  useEffect(() => (check === undefined ? undefined : register(name, check)), [check, name, register]);
  const message = errors[name] ?? error;
  const described = [hint === undefined ? '' : `${id}-hint`, message === undefined ? '' : `${id}-error`];
  const common = {
    id,
    'data-missing': missing,
    'data-wrong': wrong,
    'aria-invalid': message === undefined ? undefined : true,
    'aria-describedby': described.filter(Boolean).join(' ') || undefined,
  };
  return (
    <div className="field" data-wrong-now={message === undefined ? undefined : ''}>
      <label htmlFor={id}>
        {label}
        {required === true ? null : <span className="optional"> (optional)</span>}
      </label>
      {as === 'textarea' ? (
        <textarea rows={4} {...(control as TextareaHTMLAttributes<HTMLTextAreaElement>)} {...common} />
      ) : as === 'select' ? (
        <select {...(control as SelectHTMLAttributes<HTMLSelectElement>)} {...common} />
      ) : (
        <input type="text" {...(control as InputHTMLAttributes<HTMLInputElement>)} {...common} />
      )}
      {hint === undefined ? null : (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <p className="field-error" id={`${id}-error`} hidden={message === undefined}>
        {message}
      </p>
    </div>
  );
}
