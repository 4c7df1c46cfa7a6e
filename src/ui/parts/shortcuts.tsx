import { useLayoutEffect, useRef, useState } from 'react';
import { Button } from './button.tsx';

/** Local storage key; `off` when the shortcuts are switched off. */
const KEY = 'northline-shortcuts';

/** The keyboard shortcuts of the dashboard (WCAG 2.2, 2.1.4: they can be switched off). */
const SHORTCUTS: readonly Shortcut[] = [
  { key: 'u', does: 'Upload files' },
  { key: '/', does: 'Filter the files' },
  { key: '?', does: 'Show this list' },
];

/** A key, as the event names it, and what it does. */
interface Shortcut {
  readonly key: string;
  readonly does: string;
}

/** Runs an action when its key is pressed outside fields and dialogs, without Ctrl, Alt or Meta. */
export function useShortcuts(actions: Readonly<Record<string, () => void>>): void {
  const current = useRef(actions);
  // In the layout phase, so that a key pressed as soon as the page is visible is not lost.
  useLayoutEffect(() => {
    current.current = actions;
  });
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const action = current.current[event.key];
      if (action === undefined || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
      if (isTyping(event.target) || document.querySelector('dialog[open]') !== null || !areOn()) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

function areOn(): boolean {
  try {
    return localStorage.getItem(KEY) !== 'off';
  } catch {
    return true;
  }
}

function turn(on: boolean): void {
  try {
    if (on) localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, 'off');
  } catch {
    // Without storage the choice lasts only as long as this dialog.
  }
}

/** Opens the list of shortcuts: a button at the bottom of the page, or `?`. */
export function ShortcutHelp({ shortcuts = SHORTCUTS }: { readonly shortcuts?: readonly Shortcut[] }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [on, setOn] = useState(true);
  const open = (): void => {
    setOn(areOn());
    dialog.current?.showModal();
  };
  useShortcuts({ '?': open });
  return (
    <div className="shortcut-foot">
      <button type="button" className="text-btn" onClick={open}>
        Keyboard shortcuts
      </button>
      <dialog ref={dialog} className="confirm" aria-labelledby="shortcuts-title">
        <h2 id="shortcuts-title">Keyboard shortcuts</h2>
        <dl className="facts">
          {shortcuts.map(({ key, does }) => (
            <div key={key}>
              <dt>{does}</dt>
              <dd>
                <kbd>{key}</kbd>
              </dd>
            </div>
          ))}
        </dl>
        <label className="shortcut-switch">
          <input
            type="checkbox"
            checked={on}
            onChange={({ currentTarget }) => {
              turn(currentTarget.checked);
              setOn(currentTarget.checked);
            }}
          />
          Use keyboard shortcuts
        </label>
        <div className="confirm-acts">
          <Button look="quiet" onClick={() => dialog.current?.close()}>
            Close
          </Button>
        </div>
      </dialog>
    </div>
  );
}
