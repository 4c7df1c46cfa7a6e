import { systemClock } from '@northline/sip/sip-clock';
import type { RunningCall } from '../../calls/call-manager.server.ts';
import type { EndedReason } from '../../calls/conversation/conversation-events.server.ts';
import { keypadInput } from './keypad-input.server.ts';
import { ConnectionFailure, type PhoneConnection } from './phone-connection.server.ts';

/**
 * Connects a telephone with its conversation: keys become turns, and when the telephone ends, so does the
 * call, which its runner reports once.
 *
 * @param early why a call that never began ended, by its SIP status and whether the other side reacted to it
 */
export function wireCall(
  line: PhoneConnection,
  running: RunningCall,
  early: (status: number, reached: boolean) => EndedReason,
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
    running.end(error instanceof ConnectionFailure ? early(error.status, error.reached) : early(500, true)),
  );
  void line.over.then((how) => running.end(how === 'silent' ? 'silence-timed-out' : 'customer-ended-call'));
  // The conversation ended first: nobody is left to talk to.
  void running.over.then(() => line.session.close());
}
