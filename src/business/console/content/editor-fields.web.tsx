import { useId } from 'react';

interface WrittenProps {
  readonly label: string;
  readonly value: string;
  readonly onWrite: (value: string) => void;
  /** Under the field. */
  readonly hint?: string;
  /** The number of lines that the field has at first; a field without it has one line. */
  readonly rows?: number;
  readonly type?: 'text' | 'email' | 'url' | 'number' | 'color';
  readonly step?: string;
  /** Hides the label from sight where a heading says the same. */
  readonly quiet?: boolean;
}

/** A field of the editor: no message of its own, the server says what is wrong with the whole. */
export function WrittenField({
  label,
  value,
  onWrite,
  hint,
  rows,
  type = 'text',
  step,
  quiet,
}: WrittenProps) {
  const id = useId();
  const described = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div className="field">
      <label htmlFor={id} className={quiet ? 'hidden-text' : undefined}>
        {label}
      </label>
      {rows === undefined ? (
        <input
          id={id}
          type={type}
          step={step}
          value={value}
          aria-describedby={described}
          onChange={(event) => onWrite(event.target.value)}
        />
      ) : (
        <textarea
          id={id}
          rows={rows}
          value={value}
          aria-describedby={described}
          onChange={(event) => onWrite(event.target.value)}
        />
      )}
      {hint === undefined ? null : (
        <p className="field-hint" id={described}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface OrderProps {
  readonly name: string;
  readonly at: number;
  readonly count: number;
  readonly onMove: (to: number) => void;
  readonly onRemove?: () => void;
}

/** Up, down and away, for the keyboard as for the mouse. */
export function OrderButtons({ name, at, count, onMove, onRemove }: OrderProps) {
  return (
    <span className="site-order">
      <button
        type="button"
        className="text-btn"
        aria-label={`Move ${name} up`}
        disabled={at === 0}
        onClick={() => onMove(at - 1)}
      >
        Up
      </button>
      <button
        type="button"
        className="text-btn"
        aria-label={`Move ${name} down`}
        disabled={at === count - 1}
        onClick={() => onMove(at + 1)}
      >
        Down
      </button>
      {onRemove === undefined ? null : (
        <button type="button" className="text-btn" aria-label={`Remove ${name}`} onClick={onRemove}>
          Remove
        </button>
      )}
    </span>
  );
}

/** The list with one entry at another place. */
export function moved<Entry>(list: readonly Entry[], from: number, to: number): Entry[] {
  const rest = list.filter((_, at) => at !== from);
  const entry = list[from];
  return entry === undefined ? rest : [...rest.slice(0, to), entry, ...rest.slice(to)];
}

/** The list with one entry changed. */
export function changed<Entry>(list: readonly Entry[], at: number, change: Partial<Entry>): Entry[] {
  return list.map((entry, index) => (index === at ? { ...entry, ...change } : entry));
}
