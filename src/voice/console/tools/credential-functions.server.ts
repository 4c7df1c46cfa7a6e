import { z } from 'zod';
import {
  containing,
  declareDeletion,
  declareForOperators,
  declareOperatorWork,
  type OperatorScope,
  pageOf,
  SEARCH,
  signAsOperator,
} from '../../../business/console/operator-gate.server.ts';
import { ServiceError } from '../../../kernel/contract/service-error.ts';
import { PROVIDERS } from '../../records/provider-list.contract.ts';
import type { VoiceRecords } from '../../records/voice-records.server.ts';
import { credentialFieldsSchema, credentialSchema } from '../../records/voice-resources.contract.ts';
import { parseVoice } from '../../records/voice-scope.server.ts';
import { canTry, tryCredential } from './credential-trial.server.ts';
import { type CredentialsPage, type CredentialTrial, TOOL_LENGTHS } from './tools.contract.ts';

const PER_PAGE = 50;
const TRIALS_A_MINUTE = 20;
const VONAGE = 'vonage';
/** Providers that a form with a key and an address can describe. */
const OFFERED: readonly string[] = [
  ...new Set(Object.values(PROVIDERS).flatMap((rows) => rows.map(({ provider }) => provider))),
  VONAGE,
].toSorted();

const secretText = z.string().trim().max(TOOL_LENGTHS.secret).default('');
const DRAFT = z.object({
  id: z.uuid().nullable(),
  provider: z.enum(OFFERED as [string, ...string[]]),
  name: z.string().trim().max(40),
  key: secretText,
  secret: secretText,
  url: secretText.refine((url) => url === '' || /^(https?|wss?):\/\/\S+$/.test(url), {
    error: 'must be an address',
  }),
});

/** Credentials at the console, for owners: list, save, delete, and a trial. No answer holds a key. */
export function serveCredentials(scope: OperatorScope, records: VoiceRecords): void {
  declareForOperators(scope, {
    name: 'credentials',
    method: 'GET',
    input: z.object({ q: SEARCH, after: z.uuid().or(z.literal('')).default('') }),
    async answer(queries, { q, after }): Promise<CredentialsPage> {
      const rows = await queries.many(
        `select id /* not null */, provider /* not null */, name, updated_at /* not null */ from operator.credentials
          where ($1 = '' or concat_ws(' ', id, provider, name) ilike $2)
            and ($3 = '' or (created_at, id) < (select created_at, id from operator.credentials where id::text = $3))
          order by created_at desc, id desc limit $4`,
        [q, containing(q), after, PER_PAGE + 1],
      );
      const page = pageOf(
        rows,
        PER_PAGE,
        ({ updated_at: at, ...row }) => ({
          ...row,
          ...{ updated_at: at.toISOString(), can_try: canTry(row.provider) },
        }),
        ({ id }) => id,
      );
      return { ...page, providers: OFFERED };
    },
  });
  serveChanges(scope, records);
  declareOperatorWork(scope, {
    name: 'try-credential',
    input: z.object({ id: z.uuid() }),
    perMinute: TRIALS_A_MINUTE,
    async work(caller, { id }): Promise<CredentialTrial> {
      const credential = await records.whole('credential', id);
      await scope.resources.database.transaction((queries) =>
        signAsOperator(queries, caller, { action: 'credential.try', subject: id }),
      );
      return { results: [await tryCredential(scope.resources, credential)] };
    },
  });
}

function serveChanges(scope: OperatorScope, records: VoiceRecords): void {
  declareOperatorWork(scope, {
    name: 'save-credential',
    input: DRAFT,
    async work(caller, { id, provider, name, key, secret, url }) {
      const written = {
        ...{ provider, ...(name && { name }), ...(key && { apiKey: key }), ...(url && { url }) },
        ...(provider === VONAGE && secret && { apiSecret: secret }),
      };
      if (id === null) {
        const body = parseVoice(credentialSchema, written);
        const made = crypto.randomUUID();
        await scope.resources.database.transaction(async (queries) => {
          await signAsOperator(queries, caller, { action: 'credential.create', subject: made });
          await records.create('credential', body, made, queries);
        });
        return { id: made };
      }
      await records.change(
        'credential',
        id,
        ({ name: _before, ...present }) => {
          if (present.provider !== provider)
            throw new ServiceError(
              409,
              'other_provider',
              'A credential stays with its provider: make another.',
            );
          if (url !== '' && key === '') throw keyWithAddress();
          return { body: parseVoice(credentialFieldsSchema, { ...present, ...written }), replaced: [] };
        },
        (queries) => signAsOperator(queries, caller, { action: 'credential.save', subject: id }),
      );
      return { id };
    },
  });
  declareDeletion(scope, 'credential', (id, within) => records.remove('credential', id, within));
}

/** A key was meant for the address beside it: another address would be sent the key of the one before. */
const keyWithAddress = (): ServiceError =>
  new ServiceError(400, 'validation_failed', 'Write the key once more: it goes to the new address.');
