/** A trunk of the settings. */
export interface ConfiguredTrunk {
  readonly host: string;
  readonly port: number | undefined;
  readonly protocol: 'udp' | 'tcp' | 'tls';
  readonly username: string;
  readonly password: string;
  /** Whether it wants to be told where we are. */
  readonly register: boolean;
  /** Whether numbers are sent with their plus. */
  readonly plus: boolean;
}

/** The trunks of `SIP_TRUNKS`; undefined where a word is no trunk. */
export function readSipTrunks(words: readonly string[]): ConfiguredTrunk[] | undefined {
  const read = words.map((one) => {
    const url = URL.parse(one.replace(/^sips?:(?:\/\/)?/, 'http://'));
    const scheme = /^(sips?):/.exec(one)?.[1];
    if (url === null || scheme === undefined || url.hostname === '') return undefined;
    const transport = url.searchParams.get('transport') ?? (scheme === 'sips' ? 'tls' : 'udp');
    if (!/^(udp|tcp|tls)$/.test(transport)) return undefined;
    return {
      host: url.hostname,
      port: url.port === '' ? (/:80(?:[/?]|$)/.test(one) ? 80 : undefined) : Number(url.port),
      protocol: transport as ConfiguredTrunk['protocol'],
      username: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      register: url.searchParams.get('register') === 'true',
      plus: url.searchParams.get('plus') !== 'false',
    };
  });
  const all = read.filter((one) => one !== undefined);
  return all.length === words.length ? all : undefined;
}
