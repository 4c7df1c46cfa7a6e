type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/** Creates an element: no HTML is parsed, so that a page with Trusted Types can have it, and nothing in a text is markup. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined && value !== false) element.setAttribute(key, value === true ? '' : value);
  element.append(...children);
  return element;
}

/** A button that calls `act` when it is pressed. */
export function button(words: string, act: () => void, look = ''): HTMLButtonElement {
  const element = make('button', { type: 'button', class: look || undefined }, words);
  element.addEventListener('click', act);
  return element;
}

/** A labelled field of a form. */
export function field(
  label: string,
  name: string,
  kind: 'text' | 'email' | 'long',
  most: number,
): HTMLElement {
  const common = { id: name, name, required: true, maxlength: String(most) };
  const complete = kind === 'email' ? 'email' : name === 'name' ? 'name' : 'off';
  return make(
    'div',
    {},
    make('label', { for: name }, label),
    kind === 'long'
      ? make('textarea', { ...common, rows: '4' })
      : make('input', { ...common, type: kind, autocomplete: complete }),
  );
}

/** A form that calls `act` with its texts when it is sent. */
export function form(
  children: readonly Node[],
  act: (fields: Readonly<Record<string, string>>, element: HTMLFormElement) => void,
): HTMLFormElement {
  const element = make('form', {}, ...children);
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    act(
      Object.fromEntries([...new FormData(element)].map(([name, value]) => [name, String(value)])),
      element,
    );
  });
  return element;
}
