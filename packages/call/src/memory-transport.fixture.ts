import type { CallTransport, Command, Notice, OpenTransport, Participant } from './transport.ts';

/** A participant in the form of the wire. */
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
 * A room in memory that speaks the wire's messages: it answers commands, and sends the notices that a test
 * asks for. Each notice is delivered in a microtask of its own.
 */
export class MemoryRoom {
  readonly commands: Command[] = [];
  /** The outcomes of the next loads: an error fails it. Further loads succeed. */
  readonly loads: (Error | 'never')[] = [];
  /** Whether a join lets the client in. */
  admits = true;
  /** Whether the transport was closed. */
  closed = false;
  #onNotice: ((notice: Notice) => void) | undefined;

  readonly open: OpenTransport = (onNotice) => {
    this.#onNotice = onNotice;
    this.closed = false;
    return this.#transport();
  };

  /** Sends a notice to the client. */
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

/** Lets all waiting microtasks run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}
