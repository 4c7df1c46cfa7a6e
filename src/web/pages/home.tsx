import { PageShell } from '../parts/page-shell.tsx';
import { site } from '../site.ts';

/** The home page. */
export default function HomePage() {
  return (
    <PageShell>
      <h1>Welcome to {site.brand}</h1>
    </PageShell>
  );
}
