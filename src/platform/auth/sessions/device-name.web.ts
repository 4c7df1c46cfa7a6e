/** Most specific first: Edge and Opera also call themselves Chrome, and Chrome also calls itself Safari. */
const BROWSERS: readonly [mark: RegExp, name: string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly [mark: RegExp, name: string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'Mac'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** A readable name for a device, e.g. `Firefox on Windows`, from the browser's user agent. */
export function nameDevice(userAgent: string | null): string {
  const text = userAgent ?? '';
  const find = (list: readonly [RegExp, string][]) => list.find(([mark]) => mark.test(text))?.[1];
  const [browser, system] = [find(BROWSERS), find(SYSTEMS)];
  if (browser === undefined && system === undefined) return 'Another program';
  return [browser ?? 'A browser', system].filter((word) => word !== undefined).join(' on ');
}
