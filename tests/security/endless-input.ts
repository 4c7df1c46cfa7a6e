const deep = '['.repeat(500_000) + ']'.repeat(500_000);
const wide = `{"a":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`;

/** Requests whose size or depth would be expensive for a careless server (attack 48): name, path, request. */
export const ENDLESS_INPUT: readonly [name: string, path: string, init: RequestInit][] = [
  ['a deep list as an account', '/auth/v1/signup', { method: 'POST', body: deep }],
  ['a deep object as an account', '/auth/v1/signup', { method: 'POST', body: wide }],
  ['a deep list as a row', '/rest/v1/letters', { method: 'POST', body: deep }],
  ['a deep object as a row', '/rest/v1/letters', { method: 'POST', body: wide }],
  ['or of brackets', `/rest/v1/letters?or=${'('.repeat(5000)}`, {}],
  ['embedding in embedding', `/rest/v1/letters?select=${'a('.repeat(3000)}`, {}],
  ['an endless list of values', `/rest/v1/letters?id=in.(${','.repeat(11_000)})`, {}],
  ['a thousand filters', `/rest/v1/letters?${'a=eq.1&'.repeat(1000)}`, {}],
  ['an endless order', `/rest/v1/letters?order=${'id.'.repeat(3000)}`, {}],
  ['a pattern that backtracks', `/rest/v1/letters?body=imatch.${'(a*)*'.repeat(300)}%24`, {}],
  ['a deep list as an enquiry', '/functions/v1/enquiry', { method: 'POST', body: deep }],
  ['a deep list as a broadcast', '/realtime/v1/api/broadcast', { method: 'POST', body: deep }],
  ['a deep object as a listing', '/storage/v1/object/list/user-uploads', { method: 'POST', body: wide }],
  ['endless preferences', '/rest/v1/letters', { headers: { prefer: `${'a=b,'.repeat(3000)}` } }],
  ['endless types', '/rest/v1/letters', { headers: { accept: `${'a/b;q=0.1,'.repeat(1500)}` } }],
];
