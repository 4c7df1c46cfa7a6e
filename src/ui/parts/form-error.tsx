import { type ReactNode, useEffect, useRef } from 'react';

/** Why a form was not taken: said aloud, and brought into view, as on a phone the button that was pressed may be far from it. */
export function FormError({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Its result, a promise in newer browsers, is no clean-up.
    place.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <div ref={place} className="form-error" role="alert">
      {children}
    </div>
  );
}
