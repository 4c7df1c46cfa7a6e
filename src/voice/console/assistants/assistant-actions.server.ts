import { z } from 'zod';
import {
  declareOperatorWork,
  type OperatorScope,
  signAsOperator,
} from '../../../business/console/operator-gate.server.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { utcMoment } from '../../../kernel/contract/times.ts';
import type { Caller } from '../../../kernel/resources/database/caller.ts';
import type { CallManager } from '../../calls/call-manager.server.ts';
import type { FirstSounds } from '../../calls/first-sound.server.ts';
import type { DailyCaps } from '../../calls/record/daily-caps.server.ts';
import type { VoiceEngines } from '../../engines/engines.server.ts';
import { requireAssistantParts } from '../../records/assistant-parts.server.ts';
import { openAssistantVersions } from '../../records/assistant-versions.server.ts';
import { configuredEngines, settingWarnings } from '../../records/setting-warnings.server.ts';
import { ASSISTANT_DEFAULTS } from '../../records/voice-assistant.contract.ts';
import type { VoiceRecord, VoiceRecords } from '../../records/voice-records.server.ts';
import { webCallSchema } from '../../records/voice-resources.contract.ts';
import { parseVoice } from '../../records/voice-scope.server.ts';
import { DRAFT, draftOf, withDraft } from './assistant-draft.server.ts';
import type { AssistantDraft, AssistantSaved, DraftCall } from './assistant-editor.contract.ts';
import { noSuchAssistant } from './assistant-queries.server.ts';
import { serveFileAdding } from './file-adding.server.ts';
import { serveVoicePreview } from './voice-preview.server.ts';

type Body = Record<string, unknown>;

/** What the actions use. */
export interface AssistantWork {
  readonly records: VoiceRecords;
  readonly manager: CallManager;
  readonly engines: VoiceEngines;
  readonly caps: DailyCaps;
  readonly firstSounds: FirstSounds;
}

const BODY_LIMIT = 256 * 1024;
const CALLS_A_MINUTE = 20;

/**
 * What an operator can do with assistants; the audit log records each action in the transaction of its
 * change.
 */
export function serveAssistantActions(scope: OperatorScope, work: AssistantWork): void {
  serveSaving(scope, work);
  serveGoingBack(scope, work);
  serveDeleting(scope);
  serveTalking(scope, work);
  serveVoicePreview(scope, work);
  serveFileAdding(scope);
}

function serveSaving(scope: OperatorScope, { records, firstSounds }: AssistantWork): void {
  declareOperatorWork(scope, {
    name: 'save-assistant',
    input: z.object({ id: z.uuid().nullable(), seen: utcMoment.nullable(), draft: DRAFT }),
    bodyLimit: BODY_LIMIT,
    async work(caller, { id, seen, draft }): Promise<AssistantSaved> {
      const saved =
        id === null
          ? await createAssistant(scope, records, caller, draft)
          : await changeAssistant(records, caller, { id, seen, draft });
      const { id: savedId, orgId: _org, createdAt: _made, updatedAt, ...body } = saved;
      const warnings = settingWarnings(
        'assistant',
        body,
        await records.providers(),
        configuredEngines(scope.resources.settings),
      );
      const silent = await firstSounds.warning(draft.firstMessage);
      return {
        id: savedId,
        updated_at: updatedAt,
        warnings: silent === undefined ? warnings : [...warnings, silent],
      };
    },
  });
}

async function createAssistant(
  { resources }: OperatorScope,
  records: VoiceRecords,
  caller: Caller,
  draft: AssistantDraft,
): Promise<VoiceRecord> {
  const body = { ...ASSISTANT_DEFAULTS, ...withDraft({}, draft) };
  await requireAssistantParts(records, body);
  const id = crypto.randomUUID();
  return resources.database.transaction(async (queries) => {
    await signAsOperator(queries, caller, { action: 'assistant.create', subject: id });
    return records.create('assistant', body, id, queries);
  });
}

interface Saving {
  readonly id: string;
  /** When the version on the page was last changed; null to overwrite any version. */
  readonly seen: string | null;
  readonly draft: AssistantDraft;
}

async function changeAssistant(
  records: VoiceRecords,
  caller: Caller,
  { id, seen, draft }: Saving,
): Promise<VoiceRecord> {
  await requireAssistantParts(records, withDraft(await records.body('assistant', id), draft));
  return records.change(
    'assistant',
    id,
    (present) => ({ body: withDraft(present, draft), replaced: movedEngines(present, draft) }),
    async (queries) => {
      await signAsOperator(queries, caller, { action: 'assistant.save', subject: id });
      const { updated_at: now } = await queries.one(
        'select updated_at from private.voice_records where id = $1',
        [id],
      );
      if (seen !== null && now.getTime() !== Date.parse(seen)) throw changedMeanwhile();
    },
  );
}

/** Parts that now name another provider: their secrets were meant for the one before. */
function movedEngines(present: Body, draft: AssistantDraft): string[] {
  const before = draftOf(present);
  return (['voice', 'transcriber'] as const).filter((name) => before[name].provider !== draft[name].provider);
}

const changedMeanwhile = (): ServiceError =>
  new ServiceError(
    409,
    'changed_meanwhile',
    'Somebody changed this assistant meanwhile. Copy what you wrote, discard your changes and put it in again.',
  );

function serveGoingBack(scope: OperatorScope, { records }: AssistantWork): void {
  const versions = openAssistantVersions(scope.resources, records);
  declareOperatorWork(scope, {
    name: 'restore-assistant',
    input: z.object({ id: z.uuid(), version: z.int().min(1) }),
    async work(caller, { id, version }) {
      await versions.restore(id, version, (queries) =>
        signAsOperator(queries, caller, { action: 'assistant.restore', subject: id, details: { version } }),
      );
      return { done: true };
    },
  });
}

function serveDeleting(scope: OperatorScope): void {
  const { database, keys } = scope.resources;
  declareOperatorWork(scope, {
    name: 'delete-assistant',
    input: z.object({ id: z.uuid() }),
    async work(caller, { id }) {
      if (id === keys.voice_assistant_id) {
        throw new ServiceError(409, 'default_assistant', "The site's own assistant is changed, not deleted.");
      }
      const { found } = await database.asCaller(caller, (queries) =>
        queries.one('select operator.delete_assistant($1) as found', [id]),
      );
      if (found !== true) throw noSuchAssistant();
      return { done: true };
    },
  });
}

function serveTalking(scope: OperatorScope, { records, manager }: AssistantWork): void {
  const { database } = scope.resources;
  declareOperatorWork(scope, {
    name: 'try-assistant',
    input: z.object({ id: z.uuid().nullable(), draft: DRAFT }),
    bodyLimit: BODY_LIMIT,
    perMinute: CALLS_A_MINUTE,
    async work(caller, { id, draft }): Promise<DraftCall> {
      const present = id === null ? { ...ASSISTANT_DEFAULTS } : await records.whole('assistant', id);
      const assistant = withDraft(present, draft);
      await requireAssistantParts(records, assistant);
      await database.transaction((queries) =>
        signAsOperator(queries, caller, { action: 'assistant.try', subject: id ?? 'new' }),
      );
      // The panel of the call says that nothing is recorded.
      const call = parseVoice(webCallSchema, { assistant, assistantOverrides: { recordingEnabled: false } });
      const made = await manager.create(call, { publicKey: false, address: '' });
      return { id: made.id, webCallUrl: String(made.webCallUrl) };
    },
  });
}
