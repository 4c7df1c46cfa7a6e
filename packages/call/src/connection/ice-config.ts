import { isRecord } from '../rules/rule.ts';

/** How a connection is made. */
export interface IceWay {
  readonly iceServers: RTCIceServer[];
  readonly iceTransportPolicy?: RTCIceTransportPolicy;
}

const PLACEMENTS: readonly unknown[] = ['front', 'back', 'replace'];
const POLICIES: readonly unknown[] = ['all', 'relay'];

/**
 * The room's settings with the page's own `iceConfig` applied; the page's servers come first unless
 * `placement` says otherwise.
 *
 * @throws Error with a sentence for an invalid config
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

/** @throws Error with a sentence for a config that does not have the library's form */
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
