// Runs before the first paint, as a classic script: decides what the styles must
// know of this browser, so that nothing moves later. No library, no request.
(() => {
  const { dataset } = document.documentElement;
  try {
    if (Object.keys(localStorage).some((key) => /^sb-.+-auth-token$/.test(key))) dataset.session = '';
    if (sessionStorage.getItem('northline-seen') !== null) dataset.seen = '';
    if (location.pathname === '/') sessionStorage.setItem('northline-seen', '');
  } catch {
    // Storage is refused (private modes): a visitor without a session who has seen nothing.
  }
  // Light or dark, where somebody chose: the switch, and other tabs, tell of a change by the same event.
  const dress = (): void => {
    let chosen: string | null = null;
    try {
      chosen = localStorage.getItem('northline-appearance');
    } catch {
      // The system decides.
    }
    if (chosen === null) delete dataset.scheme;
    else dataset.scheme = chosen;
    const metas = document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]');
    for (const [at, own] of ['light', 'dark'].entries())
      (metas[at] as HTMLMetaElement).media =
        chosen === null ? `(prefers-color-scheme: ${own})` : chosen === own ? 'all' : 'not all';
  };
  dress();
  addEventListener('storage', dress);
  // A mailed link that names no page leads to the home page: what it brings is the login page's to take.
  if (location.pathname === '/' && /[#&](access_token|error_description|error)=/.test(location.hash))
    location.replace(`/login${location.search}${location.hash}`);
  dataset.script = '';
})();

export {};
