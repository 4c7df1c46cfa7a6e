import { outboundFetch } from '../../kernel/resources/outbound-http/outbound-fetch.ts';
import type { OutboundHttp } from '../../kernel/resources/outbound-http/outbound-http.ts';
import type { Resources } from '../../kernel/resources/resources.ts';
import type { CallContext } from '../engines/engines.server.ts';
import type {
  ProviderAccess,
  ProviderChooser,
  ProviderGuard,
} from '../engines/providers/provider-access.server.ts';
import { type Given, textOf } from '../records/given-fields.server.ts';
import { type ProviderRow, providerRow } from '../records/provider-list.contract.ts';
import type { VoiceRecords } from '../records/voice-records.server.ts';
import { spentBy } from './credential-spending.server.ts';

/** Connections that reach private addresses only where OUTBOUND_ALLOW_HOSTS allows them. */
export function providerGuard(outbound: Pick<OutboundHttp, 'approve'>): ProviderGuard {
  return {
    fetch: outboundFetch(outbound),
    socket(url) {
      const { lookup } = outbound.approve(url);
      return lookup === undefined ? {} : { lookup };
    },
  };
}

/**
 * Chooses the providers that an assistant names, with a credential that is stored or comes with the
 * assistant: first from its own `credentials`, then from those that `credentialIds` names; where it names
 * none, the provider's newest. Addresses are called with the outbound client, which reaches private ones only
 * where the operator allows them.
 */
export function createProviderChooser(
  resources: Pick<Resources, 'outbound' | 'database' | 'settingsStore'>,
  records: VoiceRecords,
): ProviderChooser {
  const { outbound, settingsStore } = resources;
  const guard = providerGuard(outbound);
  const choose: ProviderChooser = async (call, engine) => {
    const part = call.assistant[engine] as Given | undefined;
    const row = part === undefined ? undefined : providerRow(engine, textOf(part.provider));
    if (part === undefined || row === undefined) return undefined;
    const credential = await credentialOf(records, call, row.provider);
    if (credential === undefined && row.keyless !== true) {
      call.log(
        'WARN',
        `${engine}.provider: no credential of ${row.provider} is stored; our own engine is used`,
      );
      return undefined;
    }
    if (await isSpent(resources, credential)) {
      call.log(
        'WARN',
        `${engine}.provider: the credential of ${row.provider} has reached its daily limit; our own engine is used`,
      );
      return undefined;
    }
    return accessOf({ row, part, credential: credential ?? {}, guard });
  };
  choose.guardOf = (setting) => (settingsStore.wanted().originOf(setting) === 'console' ? guard : undefined);
  return choose;
}

/** Whether a stored credential has paid its limit of 24 hours; calls in progress are not ended for it. */
async function isSpent(
  resources: Pick<Resources, 'database'>,
  credential: Given | undefined,
): Promise<boolean> {
  const { id, dailySpend } = credential ?? {};
  if (typeof id !== 'string' || typeof dailySpend !== 'number') return false;
  return (await spentBy(resources, id)) >= dailySpend;
}

/** The credential for a provider that an assistant uses, with its secrets; undefined where there is none. */
async function credentialOf(
  records: VoiceRecords,
  { assistant }: CallContext,
  provider: string,
): Promise<Given | undefined> {
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
  readonly part: Given;
  readonly credential: Given;
  readonly guard: ProviderGuard;
}

function accessOf({ row, part, credential, guard }: AccessParts): ProviderAccess {
  const { id, prices } = credential;
  // A stored key is sent where its credential says, never where an assistant says; only custom-llm has no
  // other address.
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
