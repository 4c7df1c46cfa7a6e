import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { Keys } from '../../kernel/resources/crypto/keys.ts';
import { derivedSecret } from '../../kernel/resources/crypto/secrets.ts';
import type { MeetingTokenProperties } from './meeting-room.contract.ts';

/** Issues and reads the tokens with which people enter rooms. */
export interface MeetingTokens {
  /**
   * A token for a room, a right or a name: a JWT (HS256) with times in seconds since 1970.
   *
   * @param roomId the id of the room: a later room may have the same name
   */
  issue(properties: MeetingTokenProperties, roomId: string): Promise<string>;
  /**
   * What a token grants, at a time in seconds since 1970.
   *
   * @throws ServiceError 403 `nbf-token`, `exp-token`, or `not-allowed` for a token that was not issued here
   */
  read(token: string, nowSeconds: number): Promise<MeetingToken>;
}

/** What a token grants, and the id of the room that it is for. */
export type MeetingToken = MeetingTokenProperties & { readonly roomId: string | undefined };

/** Claims in the short names of the published API, so that its own tools can show our tokens. */
interface Claims extends JWTPayload {
  readonly r: string;
  readonly rid?: string;
  readonly o?: boolean;
  readonly u?: string;
  readonly ud?: string;
  readonly ejt?: boolean;
  readonly eje?: number;
  readonly sr?: boolean;
}

/** @param keys those of the installation; a token of another installation is not valid */
export function createMeetingTokens(keys: Pick<Keys, 'master_secret'>): MeetingTokens {
  const key = derivedSecret(keys, 'meeting tokens');
  return {
    async issue(properties, rid) {
      const { room_name: r, is_owner: o, user_name: u, user_id: ud, nbf, exp } = properties;
      const { eject_at_token_exp: ejt, eject_after_elapsed: eje, start_cloud_recording: sr } = properties;
      const claims = { r, rid, o, u, ud, ejt, eje, sr, nbf, exp };
      return new SignJWT(JSON.parse(JSON.stringify(claims)))
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuedAt()
        .sign(key);
    },
    async read(token, nowSeconds) {
      const currentDate = new Date(nowSeconds * 1000);
      const { payload } = await jwtVerify<Claims>(token, key, { algorithms: ['HS256'], currentDate }).catch(
        refuse,
      );
      const { r, rid: roomId, o = false, u, ud, ejt = false, eje, sr = false, nbf, exp } = payload;
      return {
        room_name: r,
        roomId,
        is_owner: o,
        user_name: u,
        user_id: ud,
        eject_at_token_exp: ejt,
        eject_after_elapsed: eje,
        start_cloud_recording: sr,
        nbf,
        exp,
      };
    },
  };
}

function refuse(error: unknown): never {
  if (error instanceof errors.JWTExpired)
    throw new ServiceError(403, 'exp-token', 'The token of this meeting has expired.', { cause: error });
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'nbf')
    throw new ServiceError(403, 'nbf-token', 'The token of this meeting is not valid yet.', { cause: error });
  throw new ServiceError(403, 'not-allowed', 'The token of this meeting is not valid.', { cause: error });
}
