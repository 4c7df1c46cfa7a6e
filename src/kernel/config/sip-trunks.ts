import { decoded } from './setting-rules.ts';

/** A trunk as the settings name it. */
export interface ConfiguredTrunk {
  readonly host: string;
  readonly port: number | undefined;
  readonly protocol: 'udp' | 'tcp' | 'tls';
  readonly username: string;
  readonly password: string;
  /** Whether we register our address with the trunk. */
  readonly register: boolean;
  /** Whether we send numbers with their leading plus. */
  readonly plus: boolean;
}

/** The trunks of `SIP_TRUNKS`; undefined when one of the words is not a trunk. */
export function readSipTrunks(words: readonly string[]): ConfiguredTrunk[] | undefined {
  const read = words.map((one) => {
    const url = URL.parse(one.replace(/^sips?:(?:\/\/)?/, 'http://'));
    const scheme = /^(sips?):/.exec(one)?.[1];
    if (url === null || scheme === undefined || url.hostname === '') return undefined;
    const transport = url.searchParams.get('transport') ?? (scheme === 'sips' ? 'tls' : 'udp');
    const [username, password] = [decoded(url.username), decoded(url.password)];
    if (!isTransport(transport) || username === undefined || password === undefined) return undefined;
    return {
      host: url.hostname,
      port: portOf(url, one),
      protocol: transport,
      username,
      password,
      register: url.searchParams.get('register') === 'true',
      plus: url.searchParams.get('plus') !== 'false',
    };
  });
  const all = read.filter((one) => one !== undefined);
  return all.length === words.length ? all : undefined;
}

function isTransport(word: string): word is ConfiguredTrunk['protocol'] {
  return /^(udp|tcp|tls)$/.test(word);
}

/** The port as written. It has to be read from the text because `URL` leaves out port 80. */
function portOf({ port }: URL, written: string): number | undefined {
  if (port !== '') return Number(port);
  return /:80(?:[/?]|$)/.test(written) ? 80 : undefined;
}
