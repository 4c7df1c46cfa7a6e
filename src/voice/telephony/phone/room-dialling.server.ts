import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { DialWish, RoomConnection, RoomTelephone } from '../../rooms/meeting-telephones.server.ts';
import type { CallingNumber } from './call-dialling.server.ts';
import { ownNumber, type PhoneParts, plainNumber } from './phone-parts.server.ts';

/** Calls telephones for meetings, by the rules for all outgoing calls of this installation. */
export function openRoomTelephone(parts: PhoneParts): RoomTelephone {
  return {
    async dial(wish) {
      try {
        return await dialOne(parts, wish);
      } catch (error) {
        if (!(error instanceof ServiceError)) parts.log(`a meeting could not call: ${String(error)}`);
        throw error;
      }
    },
  };
}

async function dialOne(parts: PhoneParts, wish: DialWish): Promise<RoomConnection> {
  const { dialling, doNotCall } = parts;
  const { phoneNumber: number, sipUri } = wish;
  const customer = {
    ...(number === undefined ? {} : { number }),
    ...(sipUri === undefined ? {} : { sipUri }),
  };
  await doNotCall.requireCallable(customer);
  const route = await dialling.route(customer, await callingNumber(parts, wish.callerId));
  const line = await dialling.call(route, randomUUID());
  const { session, leg } = line;
  return {
    established: line.established,
    over: line.over,
    onPcm16k: (listener) => session.onPcm16k(listener),
    writePcm: (pcm) => session.writePcm(pcm),
    queuedMs: () => session.queuedMs(),
    flush: () => void session.flush(),
    sendTones: (tones) => leg.sendTones(tones),
    hangUp: () => line.hangUp(),
  };
}

/** @throws ServiceError 400 `validation_failed` for a number that is not this installation's */
async function callingNumber(
  parts: PhoneParts,
  callerId: string | undefined,
): Promise<CallingNumber | undefined> {
  if (callerId === undefined) return undefined;
  const own = await ownNumber(parts, plainNumber(callerId));
  if (own !== undefined) return own;
  throw new ServiceError(400, 'validation_failed', 'callerId: is not a number of this installation.');
}
