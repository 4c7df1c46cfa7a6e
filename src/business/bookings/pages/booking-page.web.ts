// A classic script in the head of the booking page. The page works without it: this adds the visitor's own time zone,
// arrow keys in the calendar, the scheme that was chosen on the site, and the name and address of a session.
/** Calls are offered for thirty days. */
const BOOKABLE_DAYS = 31;

/** Whether two time zones show another time on some day on which calls can be booked. */
const clocksDiffer = (one: string, other: string): boolean => {
  const [first, second] = [one, other].map((timeZone) => {
    const clock = new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'short', timeStyle: 'short' });
    return Array.from({ length: BOOKABLE_DAYS }, (_, day) =>
      clock.format(Date.now() + day * 86_400_000),
    ).join();
  });
  return first !== second;
};

/** The times of the page stay as they are; it names the visitor's zone, and the links lead to pages in it. */
const keepZone = (chosen: HTMLSelectElement, own: string): void => {
  const [said] = document.querySelector('.zone summary')?.childNodes ?? [];
  const named = (zone: string): string => zone.replaceAll('_', ' ');
  if (said?.nodeValue) said.nodeValue = said.nodeValue.replace(named(chosen.value), named(own));
  chosen.value = own;
  for (const link of document.querySelectorAll<HTMLAnchorElement>('main a')) {
    const goal = new URL(link.href);
    if (goal.pathname.split('/')[1] !== location.pathname.split('/')[1]) continue;
    goal.searchParams.set('zone', own);
    link.href = goal.href;
  }
};

(() => {
  const { dataset } = document.documentElement;
  const here = new URL(location.href);
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  let scheme: string | null = null;
  let session: Session = {};
  try {
    scheme = localStorage.getItem('northline-appearance');
    const key = Object.keys(localStorage).find((name) => /^sb-.+-auth-token$/.test(name));
    session = key === undefined ? {} : (JSON.parse(localStorage.getItem(key) ?? '{}') as Session);
  } catch {
    // Storage is refused, or holds something else: the visitor fills in the form without help.
  }
  if (scheme !== null) dataset.scheme = scheme;

  addEventListener('DOMContentLoaded', () => {
    const chosen = document.querySelector<HTMLSelectElement>('#zone');
    const knows = [...(chosen?.options ?? [])].some(({ value }) => value === own);
    if (chosen !== null && knows && chosen.value !== own && !here.searchParams.has('zone')) {
      if (clocksDiffer(chosen.value, own)) {
        here.searchParams.set('zone', own);
        location.replace(here);
        return;
      }
      keepZone(chosen, own);
    }
    fill('#name', session.user?.user_metadata?.full_name);
    fill('#email', session.user?.email);
    document.querySelector('.days table')?.addEventListener('keydown', move as EventListener);
    document.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
    addEventListener('resize', tellHeight);
    tellHeight();
  });

  const fill = (place: string, value: unknown): void => {
    const field = document.querySelector<HTMLInputElement>(place);
    if (field !== null && field.value === '' && typeof value === 'string') field.value = value;
  };

  // The page around a frame may make the frame as high as its content.
  const tellHeight = (): void => {
    if (parent !== window)
      parent.postMessage({ type: 'booking-height', height: document.documentElement.scrollHeight }, '*');
  };

  /** Days to go for a key; the keys of pages go to the month before and after. */
  const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
  const MONTHS: Readonly<Record<string, string>> = { PageUp: 'prev', PageDown: 'next' };

  const goalOf = (key: string): HTMLElement | undefined => {
    const link = (place: string) => document.querySelector<HTMLElement>(`.days ${place}`) ?? undefined;
    if (MONTHS[key] !== undefined) return link(`a[rel=${MONTHS[key]}]`);
    const days = [...document.querySelectorAll<HTMLElement>('.days td :is(a, span)')];
    const free = days.filter((day) => day.matches('a'));
    if (key === 'Home') return free[0];
    if (key === 'End') return free.at(-1);
    const step = STEPS[key];
    const at = days.indexOf(document.activeElement as HTMLElement);
    if (step === undefined || at < 0) return undefined;
    // Days without a free time are stepped over.
    const ahead = step < 0 ? days.slice(0, at).reverse() : days.slice(at + 1);
    return ahead.find((day, away) => day.matches('a') && (away + 1) % step === 0);
  };

  const move = (event: KeyboardEvent): void => {
    const goal = goalOf(event.key);
    if (goal === undefined) return;
    event.preventDefault();
    if (MONTHS[event.key] === undefined) goal.focus();
    else goal.click();
  };

  interface Session {
    readonly user?: { readonly email?: unknown; readonly user_metadata?: { readonly full_name?: unknown } };
  }
})();

export {};
