import { type ReactNode, useEffect, useRef } from 'react';

/**
 * Why a form was refused. It is announced to screen readers and scrolled into view, because on a phone the
 * button may be far from it.
 */
export function FormError({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // In newer browsers this returns a promise, which is not a clean-up function.
    place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div ref={place} className="form-error" role="alert">
      {children}
    </div>
  );
}
