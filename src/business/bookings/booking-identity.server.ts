import { nearestWord } from '@northline/nearest-word/nearest-word';
import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js';
import type { Settings } from '../../kernel/config/settings.ts';

/** Digits by which a number with and without its country are the same. */
const NATIONAL_DIGITS = 9;
/** Letters that may be misheard in a name, where its number is right to the digit. */
const MOST_MISHEARD = 2;
const LONG_NAME = 7;

/** Whether two spellings are one number: `+44 7700 900123` and `07700 900 123` are. */
export function samePhone(one: string, other: string): boolean {
  const [first, second] = [digitsOf(one), digitsOf(other)];
  const shorter = Math.min(first.length, second.length);
  if (shorter < NATIONAL_DIGITS) return first === second && first !== '';
  return first.slice(-NATIONAL_DIGITS) === second.slice(-NATIONAL_DIGITS);
}

/**
 * Whether a name that was heard is the one of a booking: it was heard by a machine both times, so two letters
 * may differ. A part of the name alone proves nothing.
 */
export function sameName(booked: string, heard: string): boolean {
  const [one, other] = [plainName(booked), plainName(heard)];
  const misheard = Math.min(one.length, other.length) >= LONG_NAME ? MOST_MISHEARD : 0;
  return one !== '' && nearestWord(other, [one], misheard) !== undefined;
}

/**
 * The digits, with country, of a number that text messages can be sent to; null where there is no provider
 * of them (SMS_URL) or the country of the number is not known (VOICE_COUNTRY, or a number with its country).
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
