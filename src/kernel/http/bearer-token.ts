import type { IncomingHttpHeaders } from 'node:http';

/** The token of `Authorization: Bearer …` (RFC 6750 §2.1); undefined without one. */
export function bearerToken(headers: Pick<IncomingHttpHeaders, 'authorization'>): string | undefined {
  return /^Bearer +(\S.*?) *$/i.exec(headers.authorization ?? '')?.[1];
}
