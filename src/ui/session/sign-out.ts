import { useState } from 'react';
import { useLocation } from 'wouter';
import { signOut } from './client.ts';
import { forgetQueries } from './queries.ts';

/**
 * Sign Out in a bar: ends the session, deletes the data fetched for it, and goes to the home page. `before`
 * runs first.
 */
export function useLeaving(before?: () => void): { busy: boolean; leave(): Promise<void> } {
  const [, navigate] = useLocation();
  const [busy, setBusy] = useState(false);
  return {
    busy,
    async leave() {
      setBusy(true);
      before?.();
      await signOut(() => navigate('/'));
      forgetQueries();
    },
  };
}
