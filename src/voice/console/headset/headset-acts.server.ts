import { z } from 'zod';
import { declareOperatorWork, type OperatorScope } from '../../../business/console/operator-gate.server.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import type { Caller } from '../../../kernel/resources/database/caller.ts';
import type { CallManager, LiveCall } from '../../calls/call-manager.server.ts';
import { LONGEST_WORDS } from './headset.contract.ts';
import type { Headsets } from './headsets.server.ts';

/** What the functions use. */
interface HeadsetParts {
  readonly manager: CallManager;
  readonly headsets: Headsets;
}

/** The actions, named as `operator.attend_call` audits them. */
type AuditedAct = 'listen_in' | 'say' | 'whisper' | 'take_over' | 'give_back';

const AUDITED = { 'take-over': 'take_over', 'give-back': 'give_back' } as const;
const ID = z.uuid();
const directions = z.discriminatedUnion('act', [
  z.object({ act: z.enum(['say', 'whisper']), id: ID, text: z.string().trim().min(1).max(LONGEST_WORDS) }),
  z.object({ act: z.enum(['take-over', 'give-back']), id: ID, headset: z.uuid() }),
]);

/**
 * What an operator can do in a call in progress: listen in, have the assistant speak, instruct it, speak in
 * its place.
 */
export function serveHeadsets(scope: OperatorScope, { manager, headsets }: HeadsetParts): void {
  const { database } = scope.resources;
  /** Audits the action. @throws ServiceError 409 `not_live`, `carried_elsewhere` */
  async function attend(
    caller: Caller,
    id: string,
    act: AuditedAct,
  ): Promise<{ readonly name: string; readonly call: LiveCall }> {
    const { name } = await database.asCaller(caller, (queries) =>
      queries.one('select operator.attend_call($1, $2) as name', [id, act]),
    );
    if (name === null) throw new ServiceError(409, 'not_live', 'This call does not go on.');
    const call = manager.live(id);
    if (call === undefined)
      throw new ServiceError(
        409,
        'carried_elsewhere',
        'Another process of this installation carries this call: from here it can only be hung up.',
      );
    return { name, call };
  }
  declareOperatorWork(scope, {
    name: 'call-headset',
    input: z.object({ id: ID }),
    async work(caller, { id }) {
      const { name } = await attend(caller, id, 'listen_in');
      return headsets.issue(id, { caller, name });
    },
  });
  declareOperatorWork(scope, {
    name: 'direct-call',
    input: directions,
    async work(caller, direction) {
      const { id } = direction;
      if ('text' in direction) {
        const { call } = await attend(caller, id, direction.act);
        if (direction.act === 'say') call.instruct({ type: 'say', content: direction.text });
        else call.whisper(direction.text);
        return { done: true };
      }
      const { call } = await attend(caller, id, AUDITED[direction.act]);
      const headset = headsets.find(id, direction.headset, caller);
      if (direction.act === 'take-over') headset.takeOver(call);
      else headset.giveBack();
      return { done: true };
    },
  });
}
