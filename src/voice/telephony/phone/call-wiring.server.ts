import { systemClock } from '@northline/sip/sip-clock';
import type { RunningCall } from '../../calls/call-manager.server.ts';
import type { EndedReason } from '../../calls/conversation/conversation-events.server.ts';
import { keypadInput } from './keypad-input.server.ts';
import { ConnectionFailure, type PhoneConnection } from './phone-connection.server.ts';

/**
 * Connects a telephone with its conversation: keys become turns, and when the telephone ends, so does the
 * call, which its runner reports once.
 *
 * @param early why a call that never began ended, by its SIP status
 */
export function wireCall(
  line: PhoneConnection,
  running: RunningCall,
  early: (status: number) => EndedReason,
): void {
  const typed = keypadInput(running.assistant.keypadInputPlan, systemClock, (digits) => {
    line.session.message(
      JSON.stringify({
        type: 'add-message',
        message: { role: 'user', content: digits },
        triggerResponseEnabled: true,
      }),
    );
  });
  if (typed !== undefined) line.onTone(typed);
  line.established.catch((error: unknown) =>
    running.end(early(error instanceof ConnectionFailure ? error.status : 500)),
  );
  void line.over.then(() => running.end('customer-ended-call'));
  // The conversation ended first: nobody is left to talk to.
  void running.over.then(() => line.session.close());
}
