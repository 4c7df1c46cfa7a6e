import { ServiceError } from '../../../kernel/contract/service-error.ts';

/**
 * Numbers that cost more than a usual call: premium and personal ones of the United Kingdom and of North
 * America, shared-cost and premium ones of no country, satellites (ITU-T E.164.1, E.164.3), and the
 * Caribbean's area codes, which look like those of the United States but are charged differently.
 */
const COSTLY =
  /^\+(44(9|70|84|87)|1(900|242|246|264|268|284|345|441|473|649|658|664|721|758|767|784|809|829|849|868|869|876)|979|87[0-8]|88[1-3]|808)/;

/**
 * Requires that a telephone number may be called through a trunk (the setting SIP_CALL_PREFIXES). A costly
 * number has to be allowed explicitly: by a prefix as long as the part that makes it costly.
 *
 * @throws ServiceError 403 `destination_not_allowed`
 */
export function requireAllowedNumber(number: string, prefixes: readonly string[]): void {
  const [costly = ''] = COSTLY.exec(number) ?? [];
  const allowed = prefixes.some((prefix) => number.startsWith(prefix) && prefix.length >= costly.length);
  if (allowed) return;
  throw new ServiceError(
    403,
    'destination_not_allowed',
    costly === ''
      ? `${number} may not be called: the setting SIP_CALL_PREFIXES names no beginning of it.`
      : `${number} may not be called: it is charged specially. SIP_CALL_PREFIXES has to name ${costly} to allow it.`,
  );
}
