import { useRef, useState } from 'react';
import { explainAuthError } from './auth-error-words.web.ts';

/** A submission of an account form: one at a time, its error in words. */
export interface Submission {
  readonly busy: boolean;
  readonly error: string | undefined;
  /** The error is about the password: it is shown at that field. */
  readonly aboutPassword: boolean;
  /** Runs the work unless one is running already. */
  run(work: () => Promise<void>): Promise<void>;
}

/** `onBusy` tells the page, whose dialog cannot be closed meanwhile. */
export function useSubmission(onBusy: (busy: boolean) => void): Submission {
  const running = useRef(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Error>();
  return {
    busy,
    error: failure === undefined ? undefined : explainAuthError(failure),
    aboutPassword: failure?.name === 'AuthWeakPasswordError',
    async run(work) {
      if (running.current) return;
      running.current = true;
      setBusy(true);
      onBusy(true);
      setFailure(undefined);
      try {
        await work();
      } catch (error) {
        setFailure(error instanceof Error ? error : new Error(String(error)));
      }
      running.current = false;
      setBusy(false);
      onBusy(false);
    },
  };
}
