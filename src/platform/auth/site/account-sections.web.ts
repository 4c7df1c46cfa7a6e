/** The sections of the Account tab. An address may also name one of a section's `panels`. */
export const ACCOUNT_SECTIONS = [
  { id: 'profile', title: 'Profile', panels: ['picture', 'appearance', 'language'] },
  {
    id: 'security',
    title: 'Signing in',
    panels: ['password', 'second-factor', 'passkeys', 'identities', 'devices'],
  },
  { id: 'notices', title: 'Notices', panels: ['browser-notices'] },
  { id: 'team', title: 'Team', panels: ['invitation='] },
  { id: 'access', title: 'Access and keys', panels: ['support-access', 'api-keys'] },
  { id: 'data', title: 'Your data', panels: [] },
] as const;

export type AccountSection = (typeof ACCOUNT_SECTIONS)[number]['id'];

/** Names a section in the query of an address whose fragment says something else. */
export const SECTION_QUERY = 'section';

/** The section that a fragment such as `second-factor` or `invitation=…` belongs to; else undefined. */
export const sectionOf = (fragment: string): AccountSection | undefined =>
  ACCOUNT_SECTIONS.find(({ id, panels }) =>
    [id, ...panels].some((name) => (name.endsWith('=') ? fragment.startsWith(name) : fragment === name)),
  )?.id;
