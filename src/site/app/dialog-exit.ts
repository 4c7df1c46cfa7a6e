import { useCallback } from 'react';
import { useLocation } from 'wouter';

/**
 * Closes a dialog that is a page of its own: goes back when the visitor came from this site, and to the home
 * page otherwise.
 */
export function useDialogExit(): () => void {
  const [, go] = useLocation();
  return useCallback(() => {
    const cameFromHere =
      document.referrer.startsWith(`${location.origin}/`) && URL.parse(document.referrer)?.pathname === '/';
    if (cameFromHere && history.length > 1) history.back();
    else go('/');
  }, [go]);
}
