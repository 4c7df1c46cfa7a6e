// Runs before the first paint, as a classic script: sets what the styles need to know about this browser, so
// that nothing moves later. No library, no request.
(() => {
  const { dataset } = document.documentElement;
  try {
    if (Object.keys(localStorage).some((key) => /^sb-.+-auth-token$/.test(key))) dataset.session = '';
    if (sessionStorage.getItem('northline-seen') !== null) dataset.seen = '';
    if (location.pathname === '/') sessionStorage.setItem('northline-seen', '');
  } catch {
    // Storage is refused (private mode): treated as a visitor without a session on a first visit.
  }
  // Light or dark, if the visitor chose; the switch and other tabs report a change with the same event.
  const dress = (): void => {
    let chosen: string | null = null;
    try {
      chosen = localStorage.getItem('northline-appearance');
    } catch {
      // Storage is refused: the system's scheme applies.
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
  // A link in a mail that names no page opens the home page; its tokens and errors are for the login page.
  if (location.pathname === '/' && /[#&](access_token|error_description|error)=/.test(location.hash))
    location.replace(`/login${location.search}${location.hash}`);
  dataset.script = '';
})();

export {};
