/**
 * A listener for messages that strangers send. An exception in it is a fault of ours: it is reported, that one message
 * is dropped, and the process goes on.
 *
 * @param report gets what was thrown; it throws nothing itself
 */
export function guardedListener<Message extends unknown[]>(
  report: (fault: unknown) => void,
  listen: (...message: Message) => void,
): (...message: Message) => void {
  return (...message) => {
    try {
      listen(...message);
    } catch (fault) {
      report(fault);
    }
  };
}
