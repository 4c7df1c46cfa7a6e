import type { CallTransport, Command, Notice, OpenTransport, Participant } from './transport.ts';

/** A participant as the wire sends it. */
export function person(session_id: string, more: Partial<Participant> = {}): Participant {
  return {
    session_id,
    user_id: session_id,
    user_name: '',
    local: false,
    audio: true,
    video: false,
    tracks: {},
    ...more,
  };
}

/**
 * A room in memory that speaks the wire's messages: it answers commands, and tells whatever a test
 * lets the other side do. Notices are delivered in microtasks of their own.
 */
export class MemoryRoom {
  readonly commands: Command[] = [];
  /** One entry per coming load: an error fails it. Beyond the list every load succeeds. */
  readonly loads: (Error | 'never')[] = [];
  /** Whether a join is answered by being let in. */
  admits = true;
  /** Whether the peer has been told to close. */
  closed = false;
  #onNotice: ((notice: Notice) => void) | undefined;

  readonly open: OpenTransport = (onNotice) => {
    this.#onNotice = onNotice;
    this.closed = false;
    return this.#transport();
  };

  /** The other side sends a notice. */
  tell(notice: Notice): void {
    queueMicrotask(() => {
      if (!this.closed) this.#onNotice?.(notice);
    });
  }

  actions(): string[] {
    return this.commands.map(({ action }) => action);
  }

  #transport(): CallTransport {
    return {
      load: async () => {
        const next = this.loads.shift();
        if (next === 'never') return await new Promise<void>(() => undefined);
        if (next !== undefined) throw next;
      },
      request: async (command) => {
        this.commands.push(command);
        return this.#carryOut(command);
      },
      close: () => {
        this.closed = true;
      },
    };
  }

  #carryOut({ action, state, properties, mediaTag }: Command): Record<string, unknown> {
    if (action === 'start-custom-track') return { mediaTag: Reflect.get(properties as object, 'trackName') };
    if (action === 'stop-custom-track') return { mediaTag };
    const me = person('visitor', { local: true });
    if (action === 'join-meeting' && this.admits)
      this.tell({ action: 'joined-meeting', participants: { local: me } });
    if (action === 'leave-meeting') this.tell({ action: 'left-meeting' });
    if (action === 'local-audio')
      this.tell({ action: 'participant-updated', participant: { ...me, audio: state === true } });
    return {};
  }
}

/** Lets everything that is waiting in microtasks happen. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}
