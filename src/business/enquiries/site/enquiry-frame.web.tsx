import type { ReactNode } from 'react';
import type { SERVICES } from '../../../kernel/contract/routes.ts';
import { Dialog } from '../../../ui/parts/dialog.tsx';
import { Form } from '../../../ui/parts/form.tsx';
import { SendRow, TrapField } from './enquiry-fields.web.tsx';
import { useSending } from './enquiry-sending.web.ts';
import { Sent } from './enquiry-sent.web.tsx';

/** One view of the dialog: the form or the thanks. */
interface View {
  readonly heading: string;
  readonly lead: string;
}

interface EnquiryFrameProps {
  /** The function that receives the enquiry. */
  readonly path: typeof SERVICES.enquiry | typeof SERVICES.courseInquiry;
  /** The sentence for a failure (docs/specification/site.md §8). */
  readonly failure: string;
  readonly asking: View;
  readonly thanks: View;
  /** The label of the button. */
  readonly send: string;
  /** The panel beside the form; `at` is the index of the step that is reached. */
  readonly board: (at: number) => ReactNode;
  readonly page: boolean;
  readonly onClose: () => void;
  /** The fields. */
  readonly children: ReactNode;
}

/**
 * What both enquiries share (docs/specification/site.md §2, §4): form, submitting, then thanks, or an error
 * in the form that keeps the entries. It cannot be closed while submitting.
 */
export function EnquiryFrame(props: EnquiryFrameProps) {
  const { path, failure, asking, thanks, send: label, board, page, onClose, children } = props;
  const { state, send } = useSending(path, failure);
  const { heading, lead } = state.is === 'sent' ? thanks : asking;
  return (
    <Dialog
      heading={heading}
      lead={lead}
      busy={state.is === 'sending'}
      page={page}
      onClose={onClose}
      board={board(state.is === 'sent' ? 1 : 0)}
    >
      {state.is === 'sent' ? (
        <Sent id={state.id} onLater={onClose} />
      ) : (
        <Form onSubmit={send} action={path} draft={path}>
          {children}
          <TrapField />
          <SendRow state={state} label={label} />
        </Form>
      )}
    </Dialog>
  );
}
