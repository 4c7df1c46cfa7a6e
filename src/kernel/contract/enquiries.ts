/** The services that an enquiry may name (docs/specification/site.md §5). */
export const ENQUIRY_SERVICES = [
  'Website Builder',
  'App Builder',
  'Automated Outreach',
  'Document Intelligence',
  'Course Launcher',
  'Business Tier',
  'Automated Phone System',
] as const;
