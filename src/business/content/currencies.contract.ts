/**
 * Currencies in which an agency can sell: those that Stripe charges in and whose smallest unit is a hundredth or the
 * unit itself. Those in thousandths, and those of which Stripe counts hundredths that nobody can pay (ISK, UGX), are not
 * among them.
 */
export const CURRENCIES: readonly string[] =
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BIF BMD BND BOB BRL BSD BWP BYN BZD CAD CDF CHF CLP CNY COP CRC CVE CZK DJF DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR JMD JPY KES KGS KHR KMF KRW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RWF SAR SBD SCR SEK SGD SHP SOS SRD SZL THB TJS TOP TRY TTD TWD TZS UAH USD UYU UZS VND VUV WST XAF XCD XOF XPF YER ZAR ZMW'.split(
    ' ',
  );

/** Why a currency cannot be sold in. */
export function currencyFault(code: string): string {
  if (/^(BHD|IQD|JOD|KWD|LYD|OMR|TND)$/.test(code))
    return `${code} has thousandths, which prices here do not have. Choose another currency`;
  if (/^(ISK|UGX)$/.test(code))
    return `the payment provider counts ${code} in hundredths that nobody can pay. Choose another currency`;
  return 'must be a currency that the payment provider charges in, such as GBP, EUR, USD or JPY';
}
