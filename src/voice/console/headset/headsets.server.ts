import { randomBytes, randomUUID } from 'node:crypto';
import { SERVICES } from '../../../kernel/contract/routes.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Caller } from '../../../kernel/resources/database/caller.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import type { LiveCall } from '../../calls/call-manager.server.ts';
import type { TakenCall } from '../../calls/takeover/call-takeover.server.ts';
import type { HeadsetAddress } from './headset.contract.ts';

/** Milliseconds in which the address of a headset has to be opened. */
const PASS_MS = 60_000;

/** Whose headset it is. */
interface Wearer {
  readonly caller: Caller;
  /** As other operators are told it. */
  readonly name: string;
}

/** What a headset does at its socket. */
interface HeadsetSocket {
  /** The assistant has the call again. */
  givenBack(): void;
  /** The operator may not attend any more. */
  close(): void;
}

/** An operator's connection to one call that goes on: hears both sides, and speaks where the operator has taken it over. */
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

  /** The socket is open. */
  open(socket: HeadsetSocket): void {
    this.#socket = socket;
  }

  /** Sound of the operator's microphone; nobody hears it unless the call was taken over. */
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

  /** Ends it from here, whatever its other end does. */
  revoke(): void {
    const socket = this.#socket;
    this.closed();
    socket?.close();
  }

  /** The socket is closed, whyever. */
  closed(): void {
    this.#socket = undefined;
    this.#taken?.lost();
  }
}

/** The headsets of this process. */
export interface Headsets {
  /** A new headset: its address opens one socket, once and soon. */
  issue(callId: string, wearer: Wearer): HeadsetAddress;
  /** The headset that a pass opens, from now on open; undefined where it was used, is too old, or is for another call. */
  redeem(callId: string, pass: string): Headset | undefined;
  /** A headset's socket is closed. */
  end(headset: Headset): void;
  /** @throws ServiceError 409 `no_headset` where it is not open, for another call, or somebody else's */
  find(callId: string, id: string, caller: Caller): Headset;
  /** Ends those whose operators may not attend calls any more. */
  recheck(): Promise<void>;
}

/** Opens the headsets of this process; those of calls that other processes carry are opened there. */
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
      // A database that is away takes no rights.
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
