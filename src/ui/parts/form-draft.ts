/** Fields that are never saved: secrets, and the field that only programs fill in. */
const LEFT_OUT = /password|nickname|code/i;

const keyOf = (name: string): string => `draft ${name}`;

/** Saves the entries of a form for this tab, until the form is sent. */
export function saveDraft(name: string, form: HTMLFormElement): void {
  const entries = [...new FormData(form)].filter(
    ([field, value]) => typeof value === 'string' && !LEFT_OUT.test(field),
  );
  try {
    sessionStorage.setItem(keyOf(name), JSON.stringify(Object.fromEntries(entries)));
  } catch {
    // Storage is refused (private mode): the form works without a draft.
  }
}

/** Fills empty fields with the saved entries. */
export function restoreDraft(name: string, form: HTMLFormElement): void {
  for (const [field, value] of Object.entries(readDraft(name))) {
    const control = form.elements.namedItem(field);
    const isField =
      control instanceof HTMLInputElement ||
      control instanceof HTMLTextAreaElement ||
      control instanceof HTMLSelectElement;
    if (isField && control.value === '' && typeof value === 'string') control.value = value;
  }
}

/** Deletes the saved entries, once the form is sent. */
export function removeDraft(name: string): void {
  try {
    sessionStorage.removeItem(keyOf(name));
  } catch {
    // Storage is refused, so nothing was saved either.
  }
}

function readDraft(name: string): Record<string, unknown> {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(keyOf(name)) ?? '{}');
    return typeof stored === 'object' && stored !== null ? { ...stored } : {};
  } catch {
    return {};
  }
}
