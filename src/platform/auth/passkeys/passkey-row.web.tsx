import type { PasskeyListItem } from '@supabase/supabase-js';
import { type FormEvent, useState } from 'react';
import { formatDay } from '../../../kernel/contract/dates.ts';

interface PasskeyRowProps {
  readonly passkey: PasskeyListItem;
  readonly onRename: (name: string) => Promise<void>;
  readonly onRemove: () => Promise<void>;
}

type Mode = 'shown' | 'naming' | 'removing';

const MAX_NAME = 120;

/** Moves the focus here, because the person has just asked to rename the key. */
function focusAndSelect(input: HTMLInputElement | null): void {
  input?.select();
}

/** One passkey with its name and dates; it is renamed in place, and removed after a second press. */
export function PasskeyRow({ passkey, onRename, onRemove }: PasskeyRowProps) {
  const [mode, setMode] = useState<Mode>('shown');
  const name = passkey.friendly_name ?? 'Passkey';
  if (mode === 'naming') {
    const save = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
      event.preventDefault();
      const given = String(new FormData(event.currentTarget).get('name') ?? '').trim();
      if (given !== '' && given !== name) await onRename(given);
      setMode('shown');
    };
    return (
      <li>
        <form className="passkey-name" onSubmit={(event) => void save(event)}>
          <input
            name="name"
            aria-label="Name of the passkey"
            defaultValue={name}
            maxLength={MAX_NAME}
            ref={focusAndSelect}
          />
          <button type="submit" className="btn small">
            Save
          </button>
          <button type="button" className="btn quiet small" onClick={() => setMode('shown')}>
            Cancel
          </button>
        </form>
      </li>
    );
  }
  return (
    <li>
      <span className="name">
        <b>{name}</b>
        <span className="meta num">
          added {formatDay(new Date(passkey.created_at))}
          {passkey.last_used_at === undefined ? '' : ` · used ${formatDay(new Date(passkey.last_used_at))}`}
        </span>
      </span>
      <span className="acts">
        {mode === 'removing' ? (
          <>
            <button type="button" className="btn quiet small" onClick={() => setMode('shown')}>
              Keep
            </button>
            <button type="button" className="btn danger small" onClick={() => void onRemove()}>
              Remove {name}
            </button>
          </>
        ) : (
          <>
            <button
              type="button"
              className="btn quiet small"
              aria-label={`Rename ${name}`}
              onClick={() => setMode('naming')}
            >
              Rename
            </button>
            <button
              type="button"
              className="btn quiet small"
              aria-label={`Remove ${name}`}
              onClick={() => setMode('removing')}
            >
              Remove
            </button>
          </>
        )}
      </span>
    </li>
  );
}
