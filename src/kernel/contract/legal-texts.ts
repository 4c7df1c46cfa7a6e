/**
 * The legal pages of a new installation, which are true of this software as installed. `## ` begins a
 * heading, `- ` a list item; an empty line separates paragraphs. The server replaces `{brand}` and
 * `{contactEmail}`, and `{currency}` is the word for ours.
 */
export const LEGAL_TEXTS = {
  privacy: `{brand} keeps what it needs to serve you, on its own server, and shows it to nobody who does not need it.

## What we keep

- Your account, until you delete it: name, email address, phone number and picture if you gave them, a hash of your password, and where you are signed in.
- Your documents and the reports about them, until you delete them. Deleting removes the file itself.
- Your plan and payments: the payment provider holds your card; we see its brand and last four digits. When an account is deleted, its payments and usage stay on record, without your name.
- If your account came with free documents: a fingerprint of its address that only this server can compare, so that they are given once. It goes a year after they were given, or with your account where that stays longer.
- Your enquiries: what you wrote, so that we can answer it, until you ask us to delete it.
- Messages: what you and we wrote to each other in your account, until you delete the account.
- Calls with the assistant on this site: what was said, as text, with time and outcome. At the end of a call you can delete it. A booking keeps the name, the number or address and the time that you gave.
- Where you switched notices in your browser on: its address at the push service of its maker, until you switch them off or sign out.
- Mails that we sent you: for seven days. Addresses that refuse our mail, or asked for none, so that we keep to it.
- Request logs: address, time and path, without contents, to keep the service safe.

## What this browser keeps

Your session when you sign in; the proof of a purchase until it is in your account; whether the keyboard shortcuts are on; light or dark, if you chose; a small program that shows notices, if you switched them on; for this tab only, whether you have seen the opening and what you have typed into an enquiry that is not sent yet.

## What we do not do

No advertising, no tracking cookies, no analytics by third parties.

## Who else sees it

The payment provider, for payments. If we use an outside service to analyse documents or to speak with callers, it receives what it needs to answer, encrypted on the way. The push service of your browser's maker brings notices that you switched on, sealed so that only your browser can read them.

## Your rights

A copy, a correction and the deletion of your account are in your account's settings. For everything else about you write to {contactEmail}. You may also complain to your data protection authority; in the United Kingdom that is the ICO.`,
  terms: `These are the terms between you and {brand} for the services sold on this site.

## Plans and payment

Prices are in {currency} per month. A plan starts when the payment is confirmed, renews every month, and can be cancelled at any time: it then runs to the end of the month that is paid. A month that has begun is not paid back, unless the law gives you a right to that.

## Documents

One upload uses one document of your month. Analysing again and retrying are free, and an upload that does not arrive costs nothing. Upload only what you are allowed to share.

## What the reports are

Reports are made by software and name the place in the document that each fact comes from, so that you can check it. They are not legal, medical or financial advice.

## Fair use

No unlawful content, no attempts to get at other people's data, no automated sign-ups. We may stop an account that does, and say why.

## Questions

{contactEmail} is read by a person. English law applies, and your rights as a consumer stay as they are.`,
} as const;
