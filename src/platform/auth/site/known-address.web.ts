import { type RefObject, useEffect } from 'react';

/** Fills an address that becomes known into the email field in `place`, unless the person has typed one meanwhile. */
export function useFilledIn(place: RefObject<HTMLElement | null>, email: string): void {
  useEffect(() => {
    const field = place.current?.querySelector<HTMLInputElement>('[name=email]');
    if (field?.value === '') field.value = email;
  }, [place, email]);
}
