import { outboundFetch } from '../../kernel/resources/outbound-http/outbound-fetch.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { CallContext } from '../engines/engines.server.ts';
import type {
  ProviderAccess,
  ProviderChooser,
  ProviderGuard,
} from '../engines/providers/provider-access.server.ts';
import { type ProviderRow, providerRow } from '../records/provider-list.contract.ts';
import type { VoiceRecords } from '../records/voice-records.server.ts';
import { spentBy } from './credential-spending.server.ts';

type Fields = Readonly<Record<string, unknown>>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * Chooses providers by what an assistant names, with the credentials that are stored or come with it: its own
 * `credentials` first, then those of `credentialIds`, and where it names none, the newest of the provider. Their
 * addresses are called through the outbound client, so private ones only where the operator names them.
 */
export function createProviderChooser(
  resources: Pick<Resources, 'outbound' | 'database'>,
  records: VoiceRecords,
): ProviderChooser {
  const { outbound } = resources;
  const guard: ProviderGuard = {
    fetch: outboundFetch(outbound),
    socket(url) {
      const { lookup } = outbound.approve(url);
      return lookup === undefined ? {} : { lookup };
    },
  };
  return async (call, engine) => {
    const part = call.assistant[engine] as Fields | undefined;
    const row = part === undefined ? undefined : providerRow(engine, textOf(part.provider));
    if (part === undefined || row === undefined) return undefined;
    const credential = await credentialOf(records, call, row.provider);
    if (credential === undefined && row.keyless !== true) {
      call.log(
        'WARN',
        `${engine}.provider: no credential of ${row.provider} is stored; the embedded engine works`,
      );
      return undefined;
    }
    if (await isSpent(resources, credential)) {
      call.log(
        'WARN',
        `${engine}.provider: the credential of ${row.provider} has spent its daily limit; the embedded engine works`,
      );
      return undefined;
    }
    return accessOf({ row, part, credential: credential ?? {}, guard });
  };
}

/** Whether a stored credential has paid as much in 24 hours as it may; a call that goes on is not cut for it. */
async function isSpent(
  resources: Pick<Resources, 'database'>,
  credential: Fields | undefined,
): Promise<boolean> {
  const { id, dailySpend } = credential ?? {};
  if (typeof id !== 'string' || typeof dailySpend !== 'number') return false;
  return (await spentBy(resources, id)) >= dailySpend;
}

/** The credential of a provider that an assistant has, whole; undefined where there is none. */
async function credentialOf(
  records: VoiceRecords,
  { assistant }: CallContext,
  provider: string,
): Promise<Fields | undefined> {
  const own = assistant.credentials?.find((one) => one.provider === provider);
  if (own !== undefined) return own;
  const stored = await records.list('credential', { limit: 1000 });
  const allowed = assistant.credentialIds;
  const found = stored.find(
    (one) =>
      one.provider === provider &&
      (allowed === undefined || allowed.length === 0 || allowed.includes(one.id)),
  );
  return found === undefined ? undefined : { id: found.id, ...(await records.whole('credential', found.id)) };
}

interface AccessParts {
  readonly row: ProviderRow;
  readonly part: Fields;
  readonly credential: Fields;
  readonly guard: ProviderGuard;
}

function accessOf({ row, part, credential, guard }: AccessParts): ProviderAccess {
  const { id, prices } = credential;
  // A stored key goes where its credential says, never where an assistant does; custom-llm has no other place.
  const asked = row.provider === 'custom-llm' ? textOf(part.url) : '';
  const url = textOf(credential.url) || asked || row.url;
  return {
    provider: row.provider,
    address: {
      url: url.replace(/\/chat\/completions\/?$/, '').replace(/\/$/, ''),
      key: textOf(credential.apiKey),
      model: textOf(part.model) || row.model,
      voice: textOf(part.voiceId),
    },
    options: part,
    guard,
    ...(typeof id === 'string' ? { credentialId: id } : {}),
    ...(typeof prices === 'object' && prices !== null ? { prices } : {}),
  };
}
