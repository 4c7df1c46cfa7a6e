import { readFile } from 'node:fs/promises';
import type { FastifyRequest } from 'fastify';
import { isLoopback, type Settings } from '../../kernel/config/settings.ts';
import { bearerToken } from '../../kernel/http/bearer-token.ts';
import { derivedSecret, equalSecrets } from '../../kernel/resources/crypto/secrets.ts';
import type { Resources } from '../../kernel/resources/resources.ts';

/** The cookie that the address with the token sets in the browser, for `/dev` only. */
const COOKIE = 'mailbox';
/** Headers of a proxy, which makes every caller look local: their presence closes the mailbox. */
const PROXY_HEADER =
  /^(?:forwarded|via|cf-.+|cdn-.+|true-client-ip|x-(?:forwarded|real|client|original|cluster|envoy|proxy|request).*)$/;

/** Whether a request may read the mailbox: yes, the mailbox does not exist for it, or only with the token. */
export type MailboxAccess = 'open' | 'absent' | 'token needed';

/** The token that opens the mailbox. It belongs to the installation, so that bookmarks survive a restart. */
export function mailboxToken(keys: Resources['keys']): string {
  return derivedSecret(keys, 'mailbox').toString('base64url').slice(0, 32);
}

/** Whether there is a mailbox at all: messages stay in it, and it cannot be reached from other machines. */
export function servesMailbox(settings: Settings, siteUrl: string): boolean {
  return isOwnMachine(settings, siteUrl) && (settings.SMTP_URL === '' || settings.SMS_URL === '');
}

/** Whether the server and the site are on this machine, so that nobody elsewhere reaches a mailbox here. */
export function isOwnMachine({ HOST }: Settings, siteUrl: string): boolean {
  return isLoopback(HOST) && isLoopback(hostName(siteUrl));
}

/**
 * The address that opens the mailbox in a browser, printed when the product starts; undefined without a
 * mailbox.
 */
export function mailboxAddress({
  settings,
  siteUrl,
  keys,
}: Pick<Resources, 'settings' | 'siteUrl' | 'keys'>): string | undefined {
  return servesMailbox(settings, siteUrl) && settings.SMTP_URL === ''
    ? `${siteUrl}/dev/mail?token=${mailboxToken(keys)}`
    : undefined;
}

/**
 * Who may read the mailbox. It contains links that sign people in, so a local address is not enough: a proxy
 * on this machine that hides itself has one too. The token decides. Programs of the product's own account may
 * also read JSON, because they could read the token from keys.json (Linux tells whose a connection is).
 */
export async function mailboxAccess(
  request: FastifyRequest,
  { siteUrl, keys }: Pick<Resources, 'siteUrl' | 'keys'>,
): Promise<MailboxAccess> {
  if (!isLocal(request, siteUrl)) return 'absent';
  const token = mailboxToken(keys);
  if (tokensOf(request).some((given) => equalSecrets(given, token))) return 'open';
  const isJson = request.url.split('?', 1)[0]?.endsWith('.json') === true;
  return isJson && (await isOwnAccount(request)) ? 'open' : 'token needed';
}

/** The header that stores the token in the browser. */
export function mailboxCookie(keys: Resources['keys']): string {
  return `${COOKIE}=${mailboxToken(keys)}; Path=/dev; HttpOnly; SameSite=Strict`;
}

function tokensOf({ headers, query }: FastifyRequest): string[] {
  const { token } = query as { token?: unknown };
  const cookies = (headers.cookie ?? '').split(/;\s*/).map((pair) => pair.split('='));
  return [
    token,
    bearerToken(headers),
    ...cookies.filter(([name]) => name === COOKIE).map(([, value]) => value),
  ].filter((given) => typeof given === 'string');
}

function isLocal({ socket, headers, raw }: FastifyRequest, siteUrl: string): boolean {
  return (
    isLoopback(plain(socket.remoteAddress)) &&
    isLoopback(hostName(siteUrl)) &&
    isLoopback(hostName(`http://${headers.host ?? ''}`)) &&
    // Browsers and programs have used 1.1 for decades; nginx uses 1.0 by default.
    raw.httpVersion !== '1.0' &&
    !Object.keys(headers).some((name) => PROXY_HEADER.test(name))
  );
}

/**
 * Whether the program at the other end of a local connection runs as our own account; false where the system
 * does not tell.
 */
async function isOwnAccount({ socket }: FastifyRequest): Promise<boolean> {
  const { remoteAddress, remotePort, localPort } = socket;
  const place = plain(remoteAddress);
  const known = place === '::1' ? ['tcp6', SIX_LOOPBACK] : ['tcp', fourAddress(place)];
  const isMapped = remoteAddress?.startsWith('::ffff:') === true;
  // A server for both protocols sees IPv4 clients as mapped addresses; the client's own end is in the table
  // for IPv4.
  const tables = isMapped ? ['tcp', 'tcp6'] : [known[0]];
  const client = `${known[1]}:${portText(remotePort)}`;
  for (const table of tables) {
    const lines = (await readFile(`/proc/self/net/${table}`, 'utf8').catch(() => '')).split('\n');
    for (const line of lines) {
      const [, local = '', remote = '', , , , , uid] = line.trim().split(/\s+/);
      if (local === client && remote.endsWith(`:${portText(localPort)}`)) {
        return Number(uid) === process.geteuid?.();
      }
    }
  }
  return false;
}

/** `::1` as the kernel prints it: four words, each with its bytes reversed. */
const SIX_LOOPBACK = '00000000000000000000000001000000';
const fourAddress = (address: string): string =>
  address
    .split('.')
    .reverse()
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase();
const portText = (port: number | undefined): string =>
  (port ?? 0).toString(16).padStart(4, '0').toUpperCase();
const plain = (address: string | undefined): string => (address ?? '').replace(/^::ffff:/, '');

function hostName(address: string): string {
  return (URL.parse(address)?.hostname ?? '').replace(/^\[|\]$/g, '');
}
