const HOSTS = [
  'gmail.com',
  'googlemail.com',
  'outlook.com',
  'hotmail.com',
  'hotmail.co.uk',
  'yahoo.com',
  'yahoo.co.uk',
  'icloud.com',
  'live.com',
  'live.co.uk',
  'btinternet.com',
  'proton.me',
  'aol.com',
];

/**
 * The address with the well-known mail host from which it differs by one typing error; undefined when there
 * is nothing to suggest.
 *
 * @example nearMailHost('ada@gmial.com') // 'ada@gmail.com'
 */
export function nearMailHost(address: string): string | undefined {
  const at = address.lastIndexOf('@');
  const host = address
    .slice(at + 1)
    .trim()
    .toLowerCase();
  if (at < 1 || host === '' || HOSTS.includes(host)) return undefined;
  const near = HOSTS.find((known) => isSingleTypo(host, known));
  return near === undefined ? undefined : `${address.slice(0, at)}@${near}`;
}

/** Whether one letter was left out, added, changed or swapped with its neighbour. */
function isSingleTypo(typed: string, meant: string): boolean {
  let start = 0;
  while (start < typed.length && typed[start] === meant[start]) start += 1;
  const [a, b] = [typed.slice(start), meant.slice(start)];
  return (
    a.slice(1) === b.slice(1) ||
    a.slice(1) === b ||
    a === b.slice(1) ||
    (a[0] === b[1] && a[1] === b[0] && a.slice(2) === b.slice(2))
  );
}
