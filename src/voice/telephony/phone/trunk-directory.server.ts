import { BlockList, isIPv4 } from 'node:net';
import type { DigestCredentials } from '@northline/sip/digest-challenge';
import type { SipProtocol } from '@northline/sip/sip-transport';
import type { ConfiguredTrunk } from '../../../kernel/config/sip-trunks.ts';
import { readSipTrunks } from '../../../kernel/config/sip-trunks.ts';
import type { Resources } from '../../../kernel/resources/resources.ts';
import { type SipTrunkCredential, sipTrunkSchema } from '../../records/sip-trunk.contract.ts';
import type { VoiceRecords } from '../../records/voice-records.server.ts';

/** A server of a trunk. */
interface Gateway {
  readonly host: string;
  readonly port: number | undefined;
  readonly protocol: SipProtocol;
}

/** A connection to the telephone network. */
export interface Trunk {
  /** The credential's id, or `setting:` and its position. */
  readonly id: string;
  /** The gateways for outgoing calls, tried in this order. */
  readonly outbound: readonly Gateway[];
  readonly credentials: DigestCredentials | undefined;
  /** The registrar's name, where the trunk expects a registration. */
  readonly registrar: string | undefined;
  readonly sendsPlus: boolean;
  readonly prefix: string;
  /** Whether calls from that address belong to the trunk without further proof. */
  trusts(address: string): boolean;
}

/** The present trunks of the settings and of the stored credentials. */
export interface TrunkDirectory {
  all(): Promise<readonly Trunk[]>;
  find(id: string): Promise<Trunk | undefined>;
  /** Notes an address at which a trunk's registrar was found: calls come from there too. */
  foundAt(id: string, address: string): void;
}

/** Most addresses of one registrar that are remembered: those that its name had last. */
const MOST_ADDRESSES = 16;

/** Opens the directory of trunks. */
export function openTrunkDirectory(
  { settings, log }: Pick<Resources, 'settings' | 'log'>,
  records: VoiceRecords,
): TrunkDirectory {
  const found = new Map<string, readonly string[]>();
  const knows = (trunk: Trunk): Trunk => ({
    ...trunk,
    trusts: (address) => trunk.trusts(address) || found.get(trunk.id)?.includes(address) === true,
  });
  const configured = (readSipTrunks(settings.SIP_TRUNKS) ?? []).map(ofSetting).map(knows);
  async function stored(id: string): Promise<Trunk | undefined> {
    const body = await records.whole('credential', id).catch(() => undefined);
    if (body?.provider !== 'byo-sip-trunk') return undefined;
    const read = sipTrunkSchema.safeParse(body);
    // It was stored before these rules existed.
    if (!read.success) log.warn({ credential: id }, 'a trunk cannot be used: its fields are wrong');
    return read.success ? knows(ofCredential(id, read.data)) : undefined;
  }
  return {
    async all() {
      const listed = await records.list('credential', { limit: 1000 });
      const own = listed.filter(({ provider }) => provider === 'byo-sip-trunk');
      const read = await Promise.all(own.map(({ id }) => stored(id)));
      return [...configured, ...read.filter((one) => one !== undefined)];
    },
    async find(id) {
      return configured.find((one) => one.id === id) ?? stored(id);
    },
    foundAt(id, address) {
      const others = (found.get(id) ?? []).filter((one) => one !== address);
      found.set(id, [...others, address].slice(-MOST_ADDRESSES));
    },
  };
}

function ofSetting(trunk: ConfiguredTrunk, at: number): Trunk {
  const { host, port, protocol, username, password, register, plus } = trunk;
  return {
    id: `setting:${at + 1}`,
    outbound: [{ host, port, protocol }],
    credentials: username === '' ? undefined : { username, password },
    registrar: register ? host : undefined,
    sendsPlus: plus,
    prefix: '',
    trusts: (address) => address === host,
  };
}

function ofCredential(id: string, given: SipTrunkCredential): Trunk {
  const { gateways, outboundAuthenticationPlan: plan, outboundLeadingPlusEnabled, techPrefix } = given;
  const known = new BlockList();
  for (const { ip, netmask = 32, inboundEnabled = true } of gateways)
    if (inboundEnabled && isIPv4(ip)) known.addSubnet(ip, netmask);
  const { authUsername: username, authPassword: password } = plan ?? {};
  return {
    id,
    outbound: gateways
      .filter(({ outboundEnabled = true }) => outboundEnabled)
      .map(({ ip, port, outboundProtocol = 'udp' }) => ({
        host: ip,
        port,
        protocol: outboundProtocol === 'tls/srtp' ? 'tls' : outboundProtocol,
      })),
    credentials: username === undefined || password === undefined ? undefined : { username, password },
    registrar:
      plan?.sipRegisterPlan === undefined ? undefined : (plan.sipRegisterPlan.domain ?? gateways[0]?.ip),
    sendsPlus: outboundLeadingPlusEnabled ?? false,
    prefix: techPrefix ?? '',
    trusts: (address) => isIPv4(address) && known.check(address),
  };
}
