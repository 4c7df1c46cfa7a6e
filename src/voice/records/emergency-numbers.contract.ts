import { ServiceError } from '../../kernel/contract/service-error.ts';

/** Numbers that reach emergency services from most telephones of the world, whatever the country. */
const UNIVERSAL = ['112', '911', '999'];

/** Further emergency numbers by country (ITU-T E.161.1; the European Union's list of national numbers). */
const EMERGENCY: Readonly<Record<string, readonly string[]>> = {
  AT: ['122', '133', '140', '144'],
  AU: ['000', '106'],
  BE: ['100', '101'],
  CH: ['117', '118', '144', '1414'],
  CZ: ['150', '155', '158'],
  DE: ['110'],
  ES: ['061', '062', '080', '085', '091', '092'],
  FR: ['15', '17', '18', '114', '119', '191', '196'],
  IN: ['100', '101', '102', '108'],
  IT: ['113', '115', '118'],
  JP: ['110', '118', '119'],
  NZ: ['111'],
  PL: ['997', '998'],
  US: ['988'],
};
/** Numbers that are urgent, but short enough to be an extension of an exchange: the police and doctors of Britain, and others. */
const URGENT = ['101', '105', '111', '116117', '116123'];

const SHORT = new Set([...UNIVERSAL, ...URGENT, ...Object.values(EMERGENCY).flat()]);

/**
 * Whether a telephone number reaches an emergency service: alone, or behind the code of a country, which some
 * trunks leave out.
 */
export function isEmergencyNumber(number: string): boolean {
  const digits = number.replace(/^\+/, '00').replace(/\D/g, '');
  if (SHORT.has(digits)) return true;
  const [, abroad] = /^00(\d{2,9})$/.exec(digits) ?? [];
  // No number has fewer than four digits behind its country's code (ITU-T E.164), so none is taken for one of these.
  return abroad !== undefined && [0, 1, 2, 3].some((code) => SHORT.has(abroad.slice(code)));
}

/**
 * Whether the name of a SIP address is an emergency number, or `sos` (RFC 5031). Short names may be
 * extensions of an exchange, so only the universal numbers and those of the installation's country count.
 *
 * @param country two letters, as `GB`; empty where it is not known
 */
export function isEmergencyName(name: string, country: string): boolean {
  const user = name.replace(/[\s().-]/g, '');
  const known = [...UNIVERSAL, ...(EMERGENCY[country] ?? [])];
  return (
    /^sos(\.|$)/i.test(name) || known.includes(user) || (user.startsWith('+') && isEmergencyNumber(user))
  );
}

/** What a request hears that wants to call an emergency service. */
export const NO_EMERGENCY_CALLS =
  'is an emergency number. No assistant, campaign, transfer or meeting calls one: a person who needs help calls it from their own telephone. Give the number of a person or an office.';

/** What a caller hears who would be put through to an emergency service. */
export const CALL_YOURSELF =
  'I cannot call the emergency services for you. Please hang up now, and call them yourself from your telephone.';

/** The refusal of a call to an emergency service. */
export const emergencyRefusal = (destination: string): ServiceError =>
  new ServiceError(403, EMERGENCY_CODE, `${destination} ${NO_EMERGENCY_CALLS}`);

/** The code of that refusal. */
export const EMERGENCY_CODE = 'emergency_number';
