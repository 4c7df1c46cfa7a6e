/**
 * The sentences of the public site that an agency may replace with its own, by their place. The values are
 * the specification's content. The server replaces `{brand}` and `{contactEmail}`.
 */
export const SITE_TEXTS = {
  'home.title': '{brand}: custom automated systems for your business',
  'home.description':
    'Calls answered, documents read, sites built and leads scored by systems made around your business.',
  'hero.heading': 'Welcome to {brand}',
  'hero.promise': 'Calls answered, papers read, enquiries on the right desk.',
  'hero.intro':
    'We build custom automated systems around the way your business already runs: every call picked up, every document read, every enquiry on the right desk. Clients come first, so each system is tailored to one.',
  'map.first.kind': 'Call',
  'map.first.from': 'Phone, rings twice',
  'map.first.to': 'Calendar, slot held',
  'map.first.sample': 'Boiler service, Thursday after ten',
  'map.first.result': 'Booked Thu 10:30',
  'map.second.kind': 'Document',
  'map.second.from': 'Documents, PDF or DOCX',
  'map.second.to': 'Library, terms found',
  'map.second.sample': 'Lease-Unit-4.pdf, 38 pages',
  'map.second.result': '14 terms found',
  'map.third.kind': 'Chat',
  'map.third.from': 'Web chat, any page',
  'map.third.to': 'Customer, answered',
  'map.third.sample': 'Do you deliver to Leeds?',
  'map.third.result': 'Answered in 4 s',
  'map.fourth.kind': 'Enquiry',
  'map.fourth.from': 'Enquiries, forms and ads',
  'map.fourth.to': 'Sales team, scored',
  'map.fourth.sample': 'New website for a team of twelve',
  'map.fourth.result': 'Scored 86',
  'map.stops': 'Listen, Decide, Act',
  'values.heading': 'Built around you, by people you can ring',
  'values.first.name': 'Client-First Approach',
  'values.first.text':
    'We start at your front desk, not at our toolbox. You see the first line running on your own calls or papers before you decide about the next.',
  'values.second.name': 'Precision & Excellence',
  'values.second.text':
    'Every answer can be traced to the page, the call or the rule that it came from. If the system is not sure, the case goes to a person, with the reason.',
  'values.third.name': 'Expert Team',
  'values.third.text':
    'The people who design your system are the people who answer when you ring. No hand-over, no ticket queue between you and them.',
  'services.heading': 'Our Services',
  'services.intro':
    'Pick one line to begin with. Each runs on its own and joins the others when you are ready.',
  'launcher.heading': 'Personal Course Launcher',
  'launcher.text':
    'You know something that others would pay to learn. Send us the recordings; we build the course around them: the platform, the pages, the payments and the reminders that keep people going.',
  'launcher.first': 'Your name and address on it, not ours',
  'launcher.second': 'Lessons cut, captioned and put in order',
  'launcher.third': 'Learners, payments and certificates in one place',
  'courses.heading': 'Choose Your Perfect Plan',
  'courses.intro':
    'Course creation, by the month. We build the platform, you keep teaching; change or cancel whenever you like. You send the lessons as videos in your dashboard, put them in order there and see where we are with each.',
  'documents.heading': 'Document Analysis Solutions',
  'documents.intro':
    'One mark is five documents. Upload, press Analyze, and read the answer instead of the file.',
  'phone.heading': 'Automated Phone System',
  'phone.intro':
    'An assistant that answers, calls out, routes and books for you, and tells you about every call it took.',
  'phone.first': 'Answers every call, day and night',
  'phone.second': 'Routes each caller to the right desk',
  'phone.third': 'Books, moves and confirms appointments',
  'phone.fourth': 'Speaks with your own voice prompts',
  'phone.fifth': 'Shows call analytics as they happen and fits the systems you have',
  'news.heading': 'Latest in AI news',
  'foot.line': 'Custom automated systems, clients first.',
} as const;

/** The place of a sentence on the site. */
export type SiteTextPlace = keyof typeof SITE_TEXTS;
