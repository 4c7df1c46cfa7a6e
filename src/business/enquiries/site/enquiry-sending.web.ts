import { useEffect, useRef, useState } from 'react';
import type { FormValues } from '../../../ui/parts/form.tsx';
import { removeDraft } from '../../../ui/parts/form-draft.ts';
import type { WorkProof } from '../proof-of-work/proof-of-work.contract.ts';
import { EnquiryRefused, postEnquiry } from './enquiry-post.web.ts';

/** Form, then sending, then sent or failed (docs/specification/site.md §4). */
export type SendingState =
  | { readonly is: 'form' }
  | { readonly is: 'sending' }
  | { readonly is: 'failed'; readonly message: string; readonly detail: string | undefined }
  | { readonly is: 'sent'; readonly id: string };

/** A visitor with a slow machine waits no longer than this; then the enquiry is sent without the proof. */
const LONGEST_WAIT_MS = 15_000;

/** Sends one enquiry to `path`; a failure is shown with `message`. */
export function useSending(
  path: Parameters<typeof postEnquiry>[0],
  message: string,
): { state: SendingState; send: (values: FormValues) => Promise<void> } {
  const [state, setState] = useState<SendingState>({ is: 'form' });
  const openedAt = useRef(0);
  const underWay = useRef(false);
  const proof = useProof();
  useEffect(() => {
    openedAt.current = performance.now();
  }, []);
  const send = async (values: FormValues): Promise<void> => {
    if (underWay.current) return;
    underWay.current = true;
    setState({ is: 'sending' });
    try {
      const elapsedMs = performance.now() - openedAt.current;
      const { id } = await postEnquiry(path, values, { elapsedMs, proof: await proof.take() });
      removeDraft(path);
      setState({ is: 'sent', id });
    } catch (error) {
      const detail = error instanceof EnquiryRefused ? error.detail : undefined;
      setState({ is: 'failed', message, detail });
    } finally {
      underWay.current = false;
    }
  };
  return { state, send };
}

/** Computes a proof while the visitor types. A proof works for one enquiry, so taking it starts the next. */
function useProof(): { take(): Promise<WorkProof | undefined> } {
  const pending = useRef<Promise<WorkProof | undefined>>(undefined);
  const stop = useRef(new AbortController());
  const begin = (): void => {
    const { signal } = stop.current;
    // Fetched when the first form opens: visitors who only read the home page do not need it.
    pending.current = import('../proof-of-work/proof-of-work.web.ts')
      .then(({ proveWork }) => proveWork(signal))
      .catch(() => undefined);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the form opens
  useEffect(() => {
    stop.current = new AbortController();
    begin();
    return () => stop.current.abort();
  }, []);
  return {
    async take() {
      const timeout = new Promise<undefined>((resolve) => setTimeout(resolve, LONGEST_WAIT_MS));
      const proof = await Promise.race([pending.current, timeout]);
      begin();
      return proof;
    },
  };
}
