import { createHmac } from 'node:crypto';
import type { Keys } from '../../kernel/resources/crypto/keys.ts';
import { derivedSecret, equalSecrets } from '../../kernel/resources/crypto/secrets.ts';

/** The last part of a room's address, which only those who were given the address know. */
export interface RoomProofs {
  of(id: string): string;
  belongs(id: string, proof: string): boolean;
}

/** Proofs for the rooms and calls of this installation. */
export function createRoomProofs(keys: Pick<Keys, 'master_secret'>): RoomProofs {
  const key = derivedSecret(keys, 'voice rooms');
  const of = (id: string): string => createHmac('sha256', key).update(id).digest('base64url').slice(0, 32);
  return { of, belongs: (id, proof) => equalSecrets(proof, of(id)) };
}
