import { useEffect, useRef, useState } from 'react';
import type { FormValues } from '../../web/parts/form.tsx';
import { EnquiryRefused, postEnquiry } from './post-enquiry.web.ts';

/** Form, then sending, then sent or failed (`spec/site.md §4`). */
export type SendingState =
  | { readonly is: 'form' }
  | { readonly is: 'sending' }
  | { readonly is: 'failed'; readonly message: string; readonly detail: string | undefined }
  | { readonly is: 'sent'; readonly id: string };

/** Sends one enquiry to `path`; a failure is told in the words of `message`. */
export function useSending(
  path: Parameters<typeof postEnquiry>[0],
  message: string,
): { state: SendingState; send: (values: FormValues) => Promise<void> } {
  const [state, setState] = useState<SendingState>({ is: 'form' });
  const openedAt = useRef(0);
  const underWay = useRef(false);
  useEffect(() => {
    openedAt.current = performance.now();
  }, []);
  const send = async (values: FormValues): Promise<void> => {
    if (underWay.current) return;
    underWay.current = true;
    setState({ is: 'sending' });
    try {
      const { id } = await postEnquiry(path, values, performance.now() - openedAt.current);
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
