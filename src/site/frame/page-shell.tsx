import type { ReactNode } from 'react';
import { Footer } from './footer.tsx';
import { Nav } from './nav.tsx';

/** A public page: skip link, header, content, footer. */
export function PageShell({ children, className = '' }: { children: ReactNode; className?: string }) {
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <Nav />
      <main id="main" className={`wrap ${className}`.trim()} tabIndex={-1}>
        {children}
      </main>
      <Footer />
    </>
  );
}
