// The only script that a page runs by itself. It fetches the application when the visitor needs it, and holds
// back presses until then (decision 0060).
const root = document.documentElement;
const { app: address, modules = '' } =
  document.querySelector<HTMLScriptElement>('script[data-app]')?.dataset ?? {};
/** Controls that do nothing, or less, without the application. */
const LIVE = '[data-live]';
const SIGNS = ['pointerdown', 'pointermove', 'touchstart', 'keydown', 'focusin'] as const;

let loading: Promise<void> | undefined;
let held: { target: HTMLElement; submit: boolean } | undefined;
let done = false;

function load(): void {
  if (loading !== undefined || address === undefined) return;
  for (const sign of SIGNS) removeEventListener(sign, loadOnSign, true);
  // The page's own modules load in parallel with the application.
  for (const href of modules.split(' ')) {
    document.head.append(Object.assign(document.createElement('link'), { rel: 'modulepreload', href }));
  }
  loading = import(/* @vite-ignore */ address)
    .then((application: { ready: Promise<void> }) => application.ready)
    // Offline, or replaced by a newer build: links and forms keep working as plain HTML.
    .catch(reportFailure)
    .then(finish);
}

/** A page that appears under a resting mouse also gets a move event, with a distance of zero. */
function loadOnSign(event: Event): void {
  if (!(event instanceof MouseEvent) || event.type !== 'pointermove' || event.movementX || event.movementY)
    load();
}

function reportFailure(): void {
  const notice = document.querySelector<HTMLElement>('.load-failed');
  if (notice !== null) notice.hidden = false;
}

function finish(): void {
  done = true;
  root.dataset.ready = '';
  removeEventListener('click', hold, true);
  removeEventListener('submit', hold, true);
  if (held === undefined) return;
  const { target, submit } = held;
  held = undefined;
  delete target.dataset.held;
  if (!target.isConnected) return;
  if (submit && target instanceof HTMLFormElement) target.requestSubmit();
  else target.click();
}

function hold(event: Event): void {
  const from = event.target instanceof Element ? event.target : null;
  const target = from?.closest<HTMLElement>(LIVE);
  if (done || target === null || target === undefined) return;
  if (event instanceof MouseEvent && (event.ctrlKey || event.metaKey || event.shiftKey || event.button > 0))
    return;
  const submit = event.type === 'submit';
  if (submit !== target instanceof HTMLFormElement) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  held = { target, submit };
  target.dataset.held = '';
  load();
}

function endSplash(): void {
  root.dataset.seen = '';
}

// A link in the phone's menu may lead to a place on this same page; then nothing else closes the menu.
addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('.site-menu a') !== null)
    target.closest<HTMLElement>('.site-menu')?.hidePopover();
});
for (const sign of SIGNS) addEventListener(sign, loadOnSign, { capture: true, passive: true });
addEventListener('click', hold, true);
addEventListener('submit', hold, true);
addEventListener('pointerdown', endSplash, { once: true, capture: true, passive: true });
addEventListener('keydown', endSplash, { once: true, capture: true });
addEventListener('storage', (event) => {
  if (event.key === null || !/^sb-.+-auth-token$/.test(event.key)) return;
  if (event.newValue === null) delete root.dataset.session;
  else root.dataset.session = '';
});

// Shows the visitor's choice in the switch before the application is loaded.
const chosen = document.querySelector<HTMLInputElement>(`.appearance [value="${root.dataset.scheme}"]`);
if (chosen !== null) chosen.checked = true;
if (root.dataset.load === 'now') load();
else {
  const near = new IntersectionObserver(
    (entries) => entries.some((entry) => entry.isIntersecting) && load(),
    {
      rootMargin: '25%',
    },
  );
  for (const section of document.querySelectorAll('[data-near]')) near.observe(section);
}
