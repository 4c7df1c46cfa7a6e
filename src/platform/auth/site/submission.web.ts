import { useRef, useState } from 'react';
import { explainAuthError } from './auth-error-words.web.ts';

/** The submission of an account form: one at a time, with its error as a sentence. */
export interface Submission {
  readonly busy: boolean;
  readonly error: string | undefined;
  /** True when the error concerns the password; it is then shown at that field. */
  readonly aboutPassword: boolean;
  /** Runs the work unless other work is running. */
  run(work: () => Promise<void>): Promise<void>;
}

/** `onBusy` informs the page, because its dialog cannot be closed during a submission. */
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
