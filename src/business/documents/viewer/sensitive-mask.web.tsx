import type { Cite, SensitiveData } from '@northline/document-reader/report.contract';
import { createContext, type ReactNode, useContext, useState } from 'react';

/** Whether the page shows sensitive data, and where they stand in the document. */
interface SensitiveState {
  readonly shown: boolean;
  readonly places: readonly Cite[];
  setShown(shown: boolean): void;
}

const SensitiveContext = createContext<SensitiveState>({ shown: true, places: [], setShown: () => {} });

/** Masks the sensitive data of a report in all parts of its page together, until the reader asks for them. */
export function SensitiveMask({
  pii = [],
  children,
}: {
  pii: readonly SensitiveData[] | undefined;
  children: ReactNode;
}) {
  const [shown, setShown] = useState(false);
  const places = pii.flatMap(({ cites }) => cites);
  return <SensitiveContext value={{ shown, setShown, places }}>{children}</SensitiveContext>;
}

/** The state of `SensitiveMask`. */
export const useSensitive = (): SensitiveState => useContext(SensitiveContext);

/** Whether one of the quotes holds sensitive data that the page masks at the moment. */
export function isMasked(cites: readonly Cite[], { shown, places }: SensitiveState): boolean {
  if (shown) return false;
  return cites.some((cite) =>
    places.some(({ block, start, end }) => block === cite.block && start < cite.end && cite.start < end),
  );
}

/** Dots, and the last two characters of a long enough text. */
export function masked(quote: string): string {
  const signs = [...quote.replace(/\s+/g, '')];
  return signs.length < 8 ? '••••' : `•••• ${signs.slice(-2).join('')}`;
}
