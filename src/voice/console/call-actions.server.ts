import { z } from 'zod';
import { declareOperatorWork, type OperatorScope } from '../../business/console/operator-gate.server.ts';
import { LIMITS } from '../../kernel/contract/limits.ts';
import { ServiceError } from '../../kernel/contract/service-error.ts';
import type { CallManager } from '../calls/call-manager.server.ts';
import type { Evidence } from '../calls/record/evidence.server.ts';
import { type RecordingType, signedRecording } from '../recording/recording-object.server.ts';
import type { RecordingAddresses } from './call-list.contract.ts';

const ONE = z.object({ id: z.uuid() });

/**
 * What an operator can do with a call: hang up, delete it, listen to its recording. The procedures
 * `operator.*_call` audit these actions.
 */
export function serveCallActions(
  scope: OperatorScope,
  { manager, evidence }: { readonly manager: CallManager; readonly evidence: Evidence },
): void {
  const { resources } = scope;
  const { database } = resources;
  declareOperatorWork(scope, {
    name: 'end-call',
    input: ONE,
    async work(caller, { id }) {
      const { found } = await database.asCaller(caller, (queries) =>
        queries.one('select operator.end_call($1) as found', [id]),
      );
      if (found !== true)
        throw new ServiceError(409, 'not_live', 'This call does not go on: there is nothing to hang up.');
      const here = manager.activeCalls().includes(id);
      await manager.end(id, 'manually-canceled');
      return { ended: here };
    },
  });
  declareOperatorWork(scope, {
    name: 'delete-call',
    input: ONE,
    async work(caller, { id }) {
      const { found } = await database.asCaller(caller, (queries) =>
        queries.one('select operator.delete_call($1) as found', [id]),
      );
      if (found !== true) {
        const goes = await database.maybe('select call_id from private.voice_live_calls where call_id = $1', [
          id,
        ]);
        throw goes === undefined
          ? new ServiceError(404, 'not_found', 'There is no such call.')
          : new ServiceError(409, 'call_goes_on', 'This call goes on. Hang up first, then delete it.');
      }
      await database.transaction((queries) =>
        evidence.add(queries, id, { kind: 'deleted', data: { what: 'call' } }),
      );
      return { done: true };
    },
  });
  declareOperatorWork(scope, {
    name: 'call-recording',
    input: ONE,
    async work(caller, { id }): Promise<RecordingAddresses> {
      const picture = await database.asCaller(caller, async (queries) => {
        const { found } = await queries.one('select operator.listen_call($1) as found', [id]);
        if (found !== true) return undefined;
        return (await queries.maybe('select recording_video from operator.calls where id = $1', [id]))
          ?.recording_video;
      });
      const address = async (type: RecordingType): Promise<string | undefined> =>
        (await signedRecording(resources, id, LIMITS.signedUrlSeconds, type))?.slice(
          resources.siteUrl.length,
        );
      const video = picture === 'composed';
      const url = picture === undefined ? undefined : await address(video ? 'mp4' : 'wav');
      if (url === undefined) throw new ServiceError(404, 'no_recording', 'This call has no recording.');
      return { url, video, picture_url: (picture === 'separate' && (await address('webm'))) || null };
    },
  });
}
