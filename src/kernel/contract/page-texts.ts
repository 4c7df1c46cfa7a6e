import { LEGAL_TEXTS } from './legal-texts.ts';
import type { PublishedSite } from './site-content.ts';

/**
 * The pages behind the home page of a new installation: each service, questions and answers, help, about us,
 * changes. `## ` begins a heading, `- ` a list item; an empty line separates paragraphs. The server replaces
 * `{brand}` and `{contactEmail}`, and `{currency}` is the word for ours. An agency publishes its own texts at the console (decision 0447).
 */
export const PAGE_TEXTS = {
  about: `{brand} builds custom automated systems around the way a business already runs: the calls, the papers, the enquiries and the courses that take up its day.

## How we work

We start at your front desk, not at our toolbox. One line comes first: the calls after hours, or the invoices, or the questions on your site. You see it running on your own calls or papers, and then you decide about the next one.

## What you can check yourself

- Talk to the assistant on the home page: it is the one that answers our own telephone.
- Open the sample report: every fact in it leads to its place in the document.
- Read the privacy notice: it says what is kept, for how long, and how you take it away.

## How to reach us

Write to {contactEmail}, send an enquiry, or ask the assistant to pass you on. A person replies within 24 hours.`,

  faq: `## Which documents can you read?

PDF, Word, OpenDocument, RTF and text; spreadsheets and presentations; mails, web pages and Markdown; photos and scans; and e-invoices in XML. We refuse a file that we cannot read before it takes a credit.

## What does a document cost?

An upload takes one credit of your plan. Analysing it is free, also when you analyse it again.

## May I see a report before I pay?

Yes. The sample report is a whole one, made from a sample document by the same program that reads yours. You need no account for it.

## How do I know that a report is right?

Every fact carries the words that it was taken from, and leads to their place in the document. Each quote was compared with the text. What the program is not sure of says so, and you can correct every fact; the first value stays beside it.

## Who sees my documents?

You, and the people you show them to: your team when you share a file with it, or anybody with a link that you made. A link ends on the day that you choose, and you can withdraw it before.

## May I cancel a plan?

At any time. It then runs to the end of the month that is paid, and your files and reports stay yours.

## Can several people use one plan?

Yes, in a team. Members see what is shown to the team and use its credits, billing pays and sees no file, and owners decide who is in it.

## Is a call with the assistant recorded?

We keep the words of the call as text, and you can delete them at the end of the call. Sound is recorded only after you have said yes to it.

## Can I speak with a person instead?

Yes: say so. The assistant takes a message or books a call with a colleague, at a time that suits you.

## How soon do I hear from you?

A person replies to an enquiry within 24 hours.

## How do I leave?

Download what is kept about you, and delete the account, both on the Account tab. It is kept for some days first, so that you can change your mind.`,

  help: `## Upload and analyse a document

Press Upload Files on the Files tab, or drop files anywhere on that page. Then press Analyze beside a file. You may close the page: the work goes on, and you are told by mail when the report is ready.

## Read a report

Press the words beside a fact, and the document opens at their place. Find searches in the document; Ask answers a question with passages from it. A fact that is wrong can be corrected: the first value stays beside it.

## A file needs a password

Type it on the page of the report. It is kept in memory while the file is read, and nowhere else.

## Take a report away

At its foot: as PDF, as a table, as data, its dates for your calendar, or as a link that ends on the day that you choose.

## Find something again

The Search tab looks into all documents that were analysed. Bills lists what is due, and what is paid.

## Change or end a plan

On the Billing tab. What you pay today and what changes when is shown before you confirm.

## Protect your account

On the Account tab: another password, a second factor with recovery codes, passkeys, and where you are signed in.

## Work together

Make a team on the Account tab and invite people by mail. A file is shown to the team only when you share it.

## Something does not work

Write to {contactEmail}, or send an enquiry: say what you did and what you saw. A person replies within 24 hours.`,

  changelog: `## November 2026

- A whole report on a sample document can be read without an account.
- Each service has a page of its own, and questions and answers have one.
- Lessons can be in several courses.
- The Account tab has your picture, and the language of mails to you.
- What changes in a team is on the pages of its people at once.
- The last owner of a team is asked who follows before an account is deleted.`,

  'chat-bot-services': `## What you get

- Answers in your words, from the pages and papers that you choose.
- What it does not know it says, and a person gets the whole thread.
- A record of every conversation, so that you see what people ask for.

## How we build it

We read what people have asked you, and write the answers with you. Then it answers some of them while somebody watches. You see it running on your own questions before you decide about the rest.

## What it costs

We quote for each one, because no two front desks get the same questions. Tell us how many you get: within 24 hours you have questions from us, a first idea, and what it would cost.`,

  'website-creation': `## What you get

- Pages around what your customers come for, and nothing that slows them down.
- An editor that your own team can use: words, pictures, prices and the order of things.
- A site that works by keyboard, with a screen reader, on a small phone and in the dark.

## How we build it

We ask three of your customers what they came for. Then we write the words, draw the pages around them, and show you the real thing in a browser, not a picture of it.

## What it costs

We quote for each site. Tell us what it has to do: within 24 hours you have questions from us, a first idea, and what it would cost.`,

  'automated-phone-caller': `## What it does

- Answers on your number and on your site, day and night.
- Tells callers what you offer, what it costs and when you are there.
- Books, moves and cancels appointments, and confirms them by mail.
- Takes messages, and puts callers through to a person.
- Writes every call up: what was wanted, what was agreed and what is left open.

## What it does not do

It never claims to be a person: it greets as an AI assistant. It records only with consent. It makes nothing up.

## What it costs

We quote by the calls that you get. Tell us how many: within 24 hours you have questions from us, a first idea, and what it would cost.`,

  'lead-generation': `## What you get

- Prospects that fit what you sell, each with the reason why.
- A score that you can follow, because it says what it is made of.
- Each one in the right inbox, with the first message written for you to send.

## How we build it

You show us ten customers that you would like to have again. We describe together what they have in common, and look for more. You say of the first twenty which are right, and only then does it run by itself.

## What it costs

We quote by what you sell and to whom. Tell us: within 24 hours you have questions from us, a first idea, and what it would cost.`,

  'course-launcher': `## What you get

- You send the lessons as videos in your dashboard, put them in order there, and see where we are with each.
- Several courses in one plan, each with its own lessons.
- You ask about a lesson beside it, and we answer there.

## How it goes

Upload a video: it goes on by itself when the line breaks. We cut it, caption it and put it into the course. When a lesson is published you are told by mail.

## What it costs

By the month. What each plan holds stands on the home page, and you can change or cancel at any time.`,

  'document-analysis': `## What a report holds

- What the document is, who is in it, the dates and the money: each with the words that it comes from.
- What needs your attention: a payment that is due, a contract that ends, a total that does not add up, a page that could not be read.
- Who has to do what, and by when.
- A summary, its line items as a table, and what of it is sensitive.

## What you can do with it

Ask a question, find a passage in all of your documents, compare two versions, keep an eye on invoices that are due, and take it away as PDF, as a table or for your calendar.

## How it is read

On our own server, in a process of its own for each document. Photos and scans are read there too. What could not be read is named by its page.

## What it costs

By the month, by the number of documents. What each plan holds stands on the home page. An upload takes one credit, and analysing is free.`,
} as const;

const USUAL: Readonly<Record<string, string>> = { ...PAGE_TEXTS, ...LEGAL_TEXTS };

/**
 * The text of a page behind the home page: the agency's own or the default; empty when the page has no text.
 */
export const pageText = (site: PublishedSite, name: string): string => {
  const { pages, legal } = site.content;
  const own: Readonly<Record<string, string | undefined>> = { ...pages, ...legal };
  return site.withCurrency(own[name] ?? USUAL[name] ?? '');
};
