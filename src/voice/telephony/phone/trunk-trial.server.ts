import { resolvePlace } from '@northline/sip/place-resolution';
import { isLoopbackAddress, type SipPlace } from '@northline/sip/sip-transport';
import { printSipUri } from '@northline/sip/sip-uri';
import { askTrunk, type TrunkAnswer } from '@northline/sip/trunk-question';
import { openUserAgent } from '@northline/sip/user-agent';
import type { Settings } from '../../../kernel/config/settings.ts';
import { type ConfiguredTrunk, readSipTrunks } from '../../../kernel/config/sip-trunks.ts';
import { approveAddress } from '../../../kernel/resources/outbound-http/outbound-http.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { trustedAuthorities } from './phone-service.server.ts';

/** How one trunk did. */
interface TrunkTrial {
  readonly ok: boolean;
  readonly sentence: string;
}

type Parts = Pick<Resources, 'outbound' | 'settingsStore'>;

const PATIENCE_MS = 8000;
const USUAL_PORT = 5060;
/** Statuses by which a trunk refuses the account. */
const REFUSED = [401, 403, 407];

/**
 * Asks each trunk of SIP_TRUNKS something that changes nothing: one that expects a registration which addresses are
 * registered, another one what it can do. The answers show whether a trunk is there and takes the password.
 */
export async function tryTrunks(settings: Settings, parts: Parts): Promise<readonly TrunkTrial[]> {
  const trunks = readSipTrunks(settings.SIP_TRUNKS) ?? [];
  if (trunks.length === 0)
    return [
      { ok: false, sentence: 'No trunk is named, so no call reaches or leaves the telephone network.' },
    ];
  return Promise.all(
    trunks.map(async (trunk, at) => {
      // Two trunks may be two accounts at one provider.
      const name = trunk.username === '' ? trunk.host : `${trunk.username} at ${trunk.host}`;
      const told = await tryTrunk(trunk, settings, parts).catch((error: Error) => failed(error.message));
      return { ...told, sentence: `${at + 1}. ${name}: ${told.sentence}` };
    }),
  );
}

const failed = (sentence: string): TrunkTrial => ({ ok: false, sentence });

async function tryTrunk(
  trunk: ConfiguredTrunk,
  settings: Settings,
  { outbound, settingsStore }: Parts,
): Promise<TrunkTrial> {
  const { host, port, protocol, username, password, register } = trunk;
  if (settingsStore.wanted().originOf('SIP_TRUNKS') === 'console')
    await approveAddress(outbound, `https://${host}:${port ?? USUAL_PORT}`);
  const place = await placeOf(trunk);
  let log = '';
  const agent = await openUserAgent({
    addresses: [{ protocol, host: isLoopbackAddress(place.address) ? '127.0.0.1' : '0.0.0.0', port: 0 }],
    tls: trustedAuthorities(settings),
    log: (line) => {
      log = line;
    },
    admits: ({ address }) => address === place.address,
    called: (call) => void call.incoming.respond(480),
  });
  try {
    const answer = await answered(
      askTrunk(agent, {
        method: register ? 'REGISTER' : 'OPTIONS',
        uri: `sip:${host}`,
        address: printSipUri({ user: username || 'northline', host }),
        credentials: username === '' ? undefined : { username, password },
        place,
      }),
    );
    return toldOf(answer, { trunk, log });
  } finally {
    await agent.close();
  }
}

async function placeOf({ host, port, protocol }: ConfiguredTrunk): Promise<SipPlace> {
  const uri = {
    scheme: 'sip',
    user: '',
    host,
    port,
    parameters: { transport: protocol },
    headers: {},
  } as const;
  return resolvePlace(uri).catch((error: Error) => {
    throw new Error(`the name is not known: ${error.message}.`, { cause: error });
  });
}

/** The answer, or undefined when the trunk takes longer than an operator waits. */
async function answered(asked: Promise<TrunkAnswer>): Promise<TrunkAnswer | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, PATIENCE_MS);
  try {
    return await Promise.race([asked, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function toldOf(
  answer: TrunkAnswer | undefined,
  { trunk, log }: { readonly trunk: ConfiguredTrunk; readonly log: string },
): TrunkTrial {
  if (answer === undefined || (answer.status === 408 && answer.reason === ''))
    return failed('nobody answered. Check the name, the port, and whether a firewall keeps the answers out.');
  const { status, reason, proven, contacts } = answer;
  if (status === 503 && reason === '') return failed(`the question could not be sent: ${log}.`);
  const words = `${status} ${reason}`.trim();
  const isNamed = trunk.username !== '';
  if (REFUSED.includes(status))
    return failed(
      isNamed
        ? `it does not take the name and the password (${words}).`
        : `it wants a name and a password (${words}).`,
    );
  if (trunk.register) return toldOfAccount(status, words, contacts.length);
  if (proven) return { ok: true, sentence: `it answers and takes the name and the password (${words}).` };
  const doubt = isNamed ? ', and did not ask for the password: only a call shows whether it takes it' : '';
  return { ok: true, sentence: `it answers (${words})${doubt}.` };
}

/** @param contacts how many addresses are registered */
function toldOfAccount(status: number, words: string, contacts: number): TrunkTrial {
  if (status >= 300) return failed(`it refuses the registration (${words}).`);
  const where =
    contacts === 0
      ? '. No address is registered there yet, so calls do not come in.'
      : `, and sends calls to ${contacts === 1 ? 'the address' : `${contacts} addresses`} registered there.`;
  return { ok: true, sentence: `it takes the name and the password${where}` };
}
