import { randomBytes, randomUUID } from 'node:crypto';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Caller } from '../../../kernel/resources/database/caller.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import type { LiveCall } from '../../calls/call-manager.server.ts';
import type { TakenCall } from '../../calls/takeover/call-takeover.server.ts';
import type { HeadsetAddress } from './headset.contract.ts';

/** Time in which the address of a headset has to be opened, ms. */
const PASS_MS = 60_000;

/** The operator who uses a headset. */
interface Wearer {
  readonly caller: Caller;
  /** The operator's name, for other operators. */
  readonly name: string;
}

/** What a headset needs from its socket. */
interface HeadsetSocket {
  /** The assistant has the call again. */
  givenBack(): void;
  /** The operator may not attend the call any more. */
  close(): void;
}

/**
 * An operator's connection to one call in progress: hears both sides, and speaks where the operator has taken
 * the call over.
 */
export class Headset {
  readonly id = randomUUID();
  readonly callId: string;
  readonly wearer: Wearer;
  #socket: HeadsetSocket | undefined;
  #taken: TakenCall | undefined;

  constructor(callId: string, wearer: Wearer) {
    this.callId = callId;
    this.wearer = wearer;
  }

  /** The socket has been opened. */
  open(socket: HeadsetSocket): void {
    this.#socket = socket;
  }

  /** Takes sound of the operator's microphone; nobody hears it unless the call was taken over. */
  speak(pcm: Int16Array): void {
    this.#taken?.write(pcm);
  }

  /** @throws ServiceError 409 `taken_over`, `not_talking` */
  takeOver(call: LiveCall): void {
    this.#taken = call.takeOver(this.wearer.name, () => this.#socket?.givenBack());
  }

  /** @throws ServiceError 409 `not_taken` */
  giveBack(): void {
    if (this.#taken?.holds !== true)
      throw new ServiceError(409, 'not_taken', 'The assistant has this call already.');
    this.#taken.giveBack();
  }

  /** Ends the headset from the server's side, whatever the client does. */
  revoke(): void {
    const socket = this.#socket;
    this.closed();
    socket?.close();
  }

  /** The socket has been closed, for any reason. */
  closed(): void {
    this.#socket = undefined;
    this.#taken?.lost();
  }
}

/** The headsets of this process. */
export interface Headsets {
  /** Issues a headset. Its address opens one socket, once, within a minute. */
  issue(callId: string, wearer: Wearer): HeadsetAddress;
  /** Opens the headset of a pass; undefined where the pass was used, is too old, or is for another call. */
  redeem(callId: string, pass: string): Headset | undefined;
  /** A headset's socket has been closed. */
  end(headset: Headset): void;
  /**
   * @throws ServiceError 409 `no_headset` where it is not open, is for another call, or belongs to somebody
   * else
   */
  find(callId: string, id: string, caller: Caller): Headset;
  /** Ends the headsets of operators who may not attend calls any more. */
  recheck(): Promise<void>;
}

/** Opens the headsets of this process; a headset for another process's call has to be opened there. */
export function openHeadsets({ database, log }: Pick<Resources, 'database' | 'log'>): Headsets {
  const waiting = new Map<string, { readonly headset: Headset; readonly until: number }>();
  const open = new Map<string, Headset>();
  const forgetOld = (): void => {
    for (const [pass, { until }] of waiting) if (until < performance.now()) waiting.delete(pass);
  };
  const mayAttend = async ({ wearer }: Headset): Promise<boolean> => {
    try {
      const { may } = await database.asCaller(wearer.caller, (queries) =>
        queries.one('select operator.may_attend() as may'),
      );
      return may === true;
    } catch (error) {
      // While the database cannot be reached, operators keep their rights.
      log.warn({ err: error }, 'the right to listen to a call could not be checked');
      return true;
    }
  };
  return {
    issue(callId, wearer) {
      forgetOld();
      const headset = new Headset(callId, wearer);
      const pass = randomBytes(24).toString('base64url');
      waiting.set(pass, { headset, until: performance.now() + PASS_MS });
      return { headset: headset.id, path: `${SERVICES.voice}/monitor/${callId}/${pass}/listen` };
    },
    redeem(callId, pass) {
      forgetOld();
      const found = waiting.get(pass);
      if (found === undefined || found.headset.callId !== callId) return undefined;
      waiting.delete(pass);
      open.set(found.headset.id, found.headset);
      return found.headset;
    },
    end(headset) {
      open.delete(headset.id);
      headset.closed();
    },
    find(callId, id, { userId, role }) {
      const found = open.get(id);
      const owner = found?.wearer.caller;
      if (found === undefined || found.callId !== callId || owner?.userId !== userId || owner?.role !== role)
        throw new ServiceError(
          409,
          'no_headset',
          'You are not connected to the sound of this call. Listen in first.',
        );
      return found;
    },
    async recheck() {
      for (const headset of [...open.values()]) if (!(await mayAttend(headset))) headset.revoke();
    },
  };
}
