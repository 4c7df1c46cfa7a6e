import { useEffect, useState } from 'react';

/**
 * Local storage key: `light` or `dark`; not set while the system decides. `prepare-head.ts` reads it before
 * the first paint.
 */
const KEY = 'northline-appearance';

const CHOICES = [
  ['system', 'As the system says'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;
type Appearance = (typeof CHOICES)[number][0];

/** Light, dark or the system's choice, for every page in this browser. Hidden when scripts do not run. */
export function AppearanceSwitch({ labelledBy }: { labelledBy?: string }) {
  const [chosen, setChosen] = useState<Appearance>('system');
  useEffect(() => {
    const read = (): void => setChosen(readAppearance());
    read();
    addEventListener('storage', read);
    return () => removeEventListener('storage', read);
  }, []);
  const choose = (wanted: Appearance): void => {
    setChosen(wanted);
    keep(wanted);
  };
  return (
    <fieldset className="appearance" aria-labelledby={labelledBy}>
      {labelledBy === undefined && <legend>Appearance</legend>}
      {CHOICES.map(([value, text]) => (
        <label key={value}>
          <input
            type="radio"
            name="appearance"
            value={value}
            checked={chosen === value}
            onChange={() => choose(value)}
            data-live
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

/** The appearance of the page now, whichever tab chose it. */
function readAppearance(): Appearance {
  const { scheme } = document.documentElement.dataset;
  return scheme === 'light' || scheme === 'dark' ? scheme : 'system';
}

function keep(wanted: Appearance): void {
  try {
    if (wanted === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, wanted);
    // Informs the script in this tab's head by the event with which the browser informs other tabs.
    dispatchEvent(new StorageEvent('storage', { key: KEY }));
  } catch {
    // Without storage the choice lasts as long as the page.
    const { dataset } = document.documentElement;
    if (wanted === 'system') delete dataset.scheme;
    else dataset.scheme = wanted;
  }
}
