import { isRecord } from '../rules/rule.ts';

/** How a connection is looked for. */
export interface IceWay {
  readonly iceServers: RTCIceServer[];
  readonly iceTransportPolicy?: RTCIceTransportPolicy;
}

const PLACEMENTS: readonly unknown[] = ['front', 'back', 'replace'];
const POLICIES: readonly unknown[] = ['all', 'relay'];

/**
 * The way that the room names with the page's own `iceConfig` laid over it; own servers come first unless they say
 * otherwise by `placement`.
 *
 * @throws Error with a sentence for what is no such config
 */
export function withIceConfig(iceServers: RTCIceServer[], config: unknown): IceWay {
  if (config === undefined || config === null) return { iceServers };
  requireIceConfig(config);
  const { iceServers: own = [], placement = 'front', iceTransportPolicy } = config;
  const orders = { front: [...own, ...iceServers], back: [...iceServers, ...own], replace: own };
  return {
    iceServers: orders[placement],
    ...(iceTransportPolicy === undefined ? {} : { iceTransportPolicy }),
  };
}

interface IceConfig {
  readonly iceServers?: RTCIceServer[];
  readonly placement?: 'front' | 'back' | 'replace';
  readonly iceTransportPolicy?: RTCIceTransportPolicy;
}

/** @throws Error with a sentence for what is no config of the library's form */
export function requireIceConfig(config: unknown): asserts config is IceConfig {
  const { iceServers = [], placement = 'front', iceTransportPolicy = 'all' } = isRecord(config) ? config : {};
  if (!isRecord(config)) throw new Error('iceConfig must be an object');
  if (!Array.isArray(iceServers) || !iceServers.every((server) => isRecord(server) && 'urls' in server))
    throw new Error('iceConfig.iceServers must be a list of servers with urls');
  if (!PLACEMENTS.includes(placement))
    throw new Error("iceConfig.placement must be 'front', 'back' or 'replace'");
  if (!POLICIES.includes(iceTransportPolicy))
    throw new Error("iceConfig.iceTransportPolicy must be 'all' or 'relay'");
}
