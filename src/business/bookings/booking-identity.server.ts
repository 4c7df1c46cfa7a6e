import { nearestWord } from '@northline/nearest-word/nearest-word';
import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js';
import type { Settings } from '../../kernel/config/settings.ts';

/** Two numbers whose last this many digits agree are the same, with or without a country code. */
const NATIONAL_DIGITS = 9;
/** How many letters of a name may be misheard when the number is exactly right. */
const MOST_MISHEARD = 2;
const LONG_NAME = 7;

/** Whether two spellings are the same number, as `+44 7700 900123` and `07700 900 123` are. */
export function samePhone(one: string, other: string): boolean {
  const [first, second] = [digitsOf(one), digitsOf(other)];
  const shorter = Math.min(first.length, second.length);
  if (shorter < NATIONAL_DIGITS) return first === second && first !== '';
  return first.slice(-NATIONAL_DIGITS) === second.slice(-NATIONAL_DIGITS);
}

/**
 * Whether a name that a caller said is the one of a booking. A machine heard it both times, so two letters
 * may differ. A part of the name alone proves nothing.
 */
export function sameName(booked: string, heard: string): boolean {
  const [one, other] = [plainName(booked), plainName(heard)];
  const misheard = Math.min(one.length, other.length) >= LONG_NAME ? MOST_MISHEARD : 0;
  return one !== '' && nearestWord(other, [one], misheard) !== undefined;
}

/**
 * The digits, with country code, of a number that can get text messages. Null when no provider is set
 * (SMS_URL) or the number's country is not known (VOICE_COUNTRY, or a number with its country code).
 */
export function textNumber(
  { SMS_URL, VOICE_COUNTRY }: Pick<Settings, 'SMS_URL' | 'VOICE_COUNTRY'>,
  phone: string,
): string | null {
  if (SMS_URL === '') return null;
  const country: CountryCode | undefined = isSupportedCountry(VOICE_COUNTRY) ? VOICE_COUNTRY : undefined;
  const number = parsePhoneNumberFromString(phone.replace(/^00/, '+'), country);
  return number?.isValid() ? number.number.slice(1) : null;
}

const digitsOf = (phone: string): string => phone.replace(/\D/g, '').replace(/^00/, '');

const plainName = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L} ]/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
