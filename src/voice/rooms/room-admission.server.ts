import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Entry, MeetingRoomBody, MeetingTokenProperties } from './meeting-room.contract.ts';

/** The oldest version of the published call library that the rooms support: the one of the specification. */
const OLDEST_LIBRARY = '0.66.0';

/** Somebody who may enter, and until when they may stay. */
export interface Admission {
  readonly userName: string;
  /** The agency's own id for the person; undefined without a token that names one. */
  readonly userId: string | undefined;
  readonly owner: boolean;
  /** Whether they wait until an owner lets them in. */
  readonly waits: boolean;
  /** When they have to leave, in seconds since 1970, and with which fatal error. */
  readonly until:
    | { readonly second: number; readonly type: 'exp-room' | 'exp-token' | 'ejected' }
    | undefined;
}

/**
 * Whether somebody may enter a room now (docs/contracts/voice.md §2: fatal types).
 *
 * @param token what their verified token grants; undefined without a token
 * @param nowSeconds seconds since 1970
 * @throws ServiceError 426 `end-of-life`, 403 `nbf-room` and `not-allowed`, 410 `exp-room`
 */
export function admit(
  room: MeetingRoomBody,
  entry: Pick<Entry, 'userName' | 'library'>,
  token: MeetingTokenProperties | undefined,
  nowSeconds: number,
): Admission {
  requireLibrary(entry.library);
  const { nbf, exp } = room.properties;
  if (nbf !== undefined && nowSeconds < nbf)
    throw new ServiceError(403, 'nbf-room', `This room opens at ${isoTime(nbf)}.`);
  if (exp !== undefined && nowSeconds >= exp)
    throw new ServiceError(410, 'exp-room', `This room closed at ${isoTime(exp)}.`);
  const waits = token === undefined && room.privacy === 'private';
  if (waits && !room.properties.enable_knocking)
    throw new ServiceError(403, 'not-allowed', 'This room is entered with a token only.');
  return {
    userName: token?.user_name ?? entry.userName ?? '',
    userId: token?.user_id,
    owner: token?.is_owner ?? false,
    waits,
    until: endOf(room, token, nowSeconds),
  };
}

/** When they have to leave: by the token if it says so, otherwise by the room. */
function endOf(
  { properties }: MeetingRoomBody,
  token: MeetingTokenProperties | undefined,
  nowSeconds: number,
): Admission['until'] {
  const ends: Admission['until'][] = [];
  const elapsed = (seconds: number | undefined): void => {
    if (seconds !== undefined) ends.push({ second: nowSeconds + seconds, type: 'ejected' });
  };
  if (token?.eject_at_token_exp || token?.eject_after_elapsed !== undefined) {
    if (token.eject_at_token_exp && token.exp !== undefined)
      ends.push({ second: token.exp, type: 'exp-token' });
    elapsed(token.eject_after_elapsed);
  } else {
    if (properties.eject_at_room_exp && properties.exp !== undefined)
      ends.push({ second: properties.exp, type: 'exp-room' });
    elapsed(properties.eject_after_elapsed);
  }
  return ends.sort((one, other) => (one?.second ?? 0) - (other?.second ?? 0))[0];
}

function requireLibrary(version: string | undefined): void {
  if (version !== undefined && isTooOld(version))
    throw new ServiceError(
      426,
      'end-of-life',
      `Version ${version} of the call library is too old for this server; ${OLDEST_LIBRARY} or later is needed.`,
    );
}

/** Compares major, minor and patch; a text that is not a version does not count as too old. */
function isTooOld(version: string): boolean {
  const parts = (text: string): number[] => text.split(/[.+-]/, 3).map(Number);
  const [given, least] = [parts(version), parts(OLDEST_LIBRARY)];
  if (given.length < 3 || given.some((part) => !Number.isInteger(part))) return false;
  const at = least.findIndex((part, index) => part !== given[index]);
  return at >= 0 && (given[at] ?? 0) < (least[at] ?? 0);
}

const isoTime = (second: number): string => new Date(second * 1000).toISOString();
