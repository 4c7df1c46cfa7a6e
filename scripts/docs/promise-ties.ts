/**
 * Sentences that a test proves in other words, by the test (`file: name`). `promises.ts` reads them, and
 * fails when the test or the sentence no longer exists. Read the test before you add a line: does it fail
 * when the sentence is not true?
 */
export const PROVED_BY: Readonly<Record<string, readonly string[]>> = {
  'src/business/analysis/comparison/document-comparison.test.ts: two versions: changed facts, reworded, added and removed paragraphs with their places, earlier first':
    ['From … to …: … paragraphs changed, … the same.', 'Their texts are the same.'],
  'src/business/analysis/comparison/document-comparison.test.ts: two long texts that share little end soon, count what is not listed, and say that order was left out':
    [
      'They differ so much that the order of their paragraphs was not compared.',
      '… further changes are not listed.',
    ],
  'src/business/analysis/invoices/invoice-list.test.ts: invoices stand with their due dates, duplicates are named, and sums count each once and credit notes below zero':
    [
      'Invoices lists what is due, and what is paid.',

      'From the reports of your invoices, credit notes and receipts.',
      'Analyse an invoice or a receipt, and it stands here.',
    ],
  'src/business/analysis/questions/document-question.test.ts: what questions cost is capped for each customer and day, counted, and nobody asks about the text of another':
    ['Today’s answers are used up.'],
  'src/business/analysis/questions/document-question.test.ts: a model that fails or talks nonsense leaves the best passages, and says why':
    ['No answer could be written just now.'],
  'src/business/analysis/questions/document-question.test.ts: every sentence of an answer carries a quote that stands in the text; the others are not shown':
    [
      'Written by a language model; every sentence’s quote stands in the text.',

      'The answer could not be proved with the text, so it is not shown.',
      '… not be proved.',
      'No document says anything about that.',
    ],
  'src/business/analysis/search/document-search.test.ts: words are found in other forms, best first, and every hit cites its place in the text':
    [
      'Words in any form are found; “quoted words” only together; a word with - in front must not be there.',
      'The Search tab looks into all documents that were analysed.',
      'Ask a question, find a passage in all of your documents, compare two versions, keep an eye on invoices that are due, and take it away as PDF, as a table or for your calendar.',
      'In the text of all documents that have been analysed.',
    ],
  'src/business/analysis/search/document-search.test.ts: another analysis is indexed anew, and a deleted file leaves nothing to be found':
    ['… not searchable yet: try again in a moment.', 'Only documents with a report are searched.'],
  'src/business/analysis/search/document-search.test.ts: a misspelt word finds what is written like it and says so; letters are found where there are no words':
    [
      'A misspelt word finds what is written like it.',
      'Nothing has “…”.',
      '… for “…”, which is written like it.',
      '… hold these letters.',
    ],
  'src/business/analysis/search/document-search.test.ts: where no passage has all the words those with some of them are found, and the answer says so':
    ['No passage has all the words of “…”.'],
  'src/business/analysis/sharing/report-share.test.ts: a link shows the report without an account until it is withdrawn or expires, and its secret is stored nowhere':
    [
      'You, and the people you show them to: your team when you share a file with it, or anybody with a link that you made.',
      'A link ends on the day that you choose, and you can withdraw it before.',

      'Anybody with the link sees the report and the document’s text, not your file and nothing else of yours.',
      'Copy it now: it is not shown again.',
    ],
  'src/business/analysis/sharing/report-share.test.ts: a link may leave out what was found sensitive, and says why it cannot where that is not marked':
    [
      'Sensitive data that was found is blotted out in the link’s report and text.',
      'Anything else stays: look at it before you send it.',
      'This report is from before sensitive data was marked: analyse the document again to leave it out.',
      'The person who shared this left it out.',
    ],
  'packages/document-reader/src/facts/sensitive-data.test.ts: accounts and cards are marked where their check digits hold; sixteen figures of something else are none':
    ['Found by labels and check digits, so other sensitive data may stand in the document.'],
  'src/business/analysis/sharing/report-share.test.ts: analysing again is free but not endless, and a deleted analysis leaves the file alone':
    [
      'Analysing it is free, also when you analyse it again.',

      'The report goes for good, with its corrections and links.',
      'The file stays.',
      'Analysing is free, up to … times a day.',
    ],
  'packages/document-reader/src/reader/document-reading.test.ts: a tenancy agreement: kind, parties, dates and money, each with a quote that is in the text':
    [
      'What the document is, who is in it, the dates and the money: each with the words that it comes from.',

      'Each quote was compared with the text.',
      'Page …: ….',
      'Every quote was checked against the document’s text.',
    ],
  'tests/security/roles-and-routes.test.ts: one customer sees, changes and deletes nothing of another': [
    'It may have been deleted, or it belongs to another account.',
  ],
  'src/business/files/dashboard.test.ts: a file that one tab uploads appears in another by itself': [
    'Choose Analyze on a file; its report appears here.',

    'The report appears here by itself.',
  ],
  'packages/document-reader/src/reader/document-reading.test.ts: a locked and a damaged PDF say so': [
    'The file is locked by a password.',
    'This document is locked with a password.',
  ],
  'src/business/analysis/viewer/quote-place.test.ts: of two equal quotes the one behind the same words is taken':
    ['These words could not be placed on the page’s picture, so they are marked in the text.'],
  'tests/journeys/arrival-analysis.test.ts: is analysed at once if the account has chosen that, on every device, and is left alone otherwise':
    ['The choice could not be kept.'],
  'tests/journeys/purchases.test.ts: a purchase is claimed on another device by the link mailed to its payer, once':
    [
      'Thank you, your payment was received.',
      'Create an account, or sign in, with this link on any device, and your purchase is in it.',
      'The link works once.',
      'Whoever has it can take the purchase, so please keep it to yourself.',
      'If you have an account already and see your plan there, there is nothing to do.',
    ],
  'tests/payments/vat-invoices.test.ts: what is paid stays the same wherever who buys is, and the invoice says what of it is VAT, or why there is none':
    ['Prices include VAT where it is due.'],
  'src/business/teams/teams.test.ts: owners and members read a shared file with its report, and nobody else does; only its owner may change it':
    [
      'Members see what is shown to the team and use its credits, billing pays and sees no file, and owners decide who is in it.',
      'A file is shown to the team only when you share it.',

      'The person who shares it with your team can analyse it.',
      'Members see what is shown to the team and use its credits.',
      'Billing can pay and sees no file.',
    ],
  'src/business/teams/teams.test.ts: attacks: other roles and strangers change nothing, nobody shows another user’s file, nobody is in two teams':
    ['Owners can do both, and decide who is in the team.'],
  'src/business/teams/teams.test.ts: a team is created, people are invited by mail to one address, and each sees the members':
    [
      'Yes, in a team.',
      'Make a team on the Account tab and invite people by mail.',
      'You are invited to a team.',
    ],
  'src/business/teams/teams.test.ts: a leaving member takes their files along; a team keeps an owner, and ends with its last member':
    ['Nobody pays for the team at the moment: everybody uses their own credits.'],
  'src/business/billing/subscription/billing-words.test.ts: the state of a subscription, in one sentence': [
    'Your … has ended.',
  ],
  'tests/journeys/subscription-life.test.ts: reports when billing cannot be loaded, and loads it on another attempt':
    ['Nothing has changed about your plan.'],
  'src/business/billing/subscription/billing-management.test.ts: shows plan, next payment in full, card, use and the paid invoice':
    [
      'Your plan and payments: the payment provider holds your card; we see its brand and last four digits.',
      'You have … … left.',
      '… … left.',
      'Your first invoice appears here as soon as a plan is paid.',
    ],
  'src/business/billing/subscription/billing-management.test.ts: a failed payment is shown with the amount due and the date of the next attempt':
    [
      '… Update your card to keep your plan.',
      'It is tried again on ….',
      'The last payment did not go through.',
    ],
  'src/business/files/credit-reservation.test.ts: twenty sequences with one credit store exactly one file': [
    'An upload takes one credit of your plan.',
    'An upload takes one credit, and analysing is free.',

    'Each upload takes one credit.',
    'One upload uses one document of your month.',
  ],
  'src/business/billing/subscription/billing-management.test.ts: a downgrade waits for the end of the period, can be undone, and then happens':
    [
      'Changes to … on …, then … a month.',
      'Until then you keep the ….',
      'You keep the … until then, and can change your mind up to that day.',
    ],
  'src/business/billing/checkout/plan-purchase.test.ts: cancelling keeps the plan until the end of the period, resuming undoes it':
    [
      'We build the platform, you keep teaching; change or cancel whenever you like.',
      'It then runs to the end of the month that is paid, and your files and reports stay yours.',
      'What each plan holds stands on the home page, and you can change or cancel at any time.',

      'The plan ends on ….',
      'It stays active until …, with all that you have paid for, and is not renewed.',
      'Your files and reports stay yours, and until that day you can resume the plan with one press.',
      'A plan starts when the payment is confirmed, renews every month, and can be cancelled at any time: it then runs to the end of the month that is paid.',
    ],
  'src/business/billing/subscription/billing-management.test.ts: an upgrade charges the previewed difference at once and gives the documents that it buys':
    [
      'What you pay today and what changes when is shown before you confirm.',
      'The … starts at once with its … … a month.',
    ],
  'src/business/content/site-content.test.ts: what cannot be read, seen or sold is refused with the place and the reason, and nothing changes':
    ['Everything in these colours can be read.', 'It is older than what you see here.'],
  'src/business/content/site-content.test.ts: the colours that come with the product pass, and are those of its style sheet':
    ['Quiet words and borders are mixed from it.'],
  'src/business/content/site-content.test.ts: a new agency: brand, colours, two services, one plan of £99, and every page says so without a restart':
    [
      'Small letters; your other tools see this name.',
      'A line that begins with ## is a heading, one with - an item of a list; an empty line ends a paragraph.',
      "The address of a service's page is made of its name.",

      'Buttons that lead on, and the line of the logo.',
      'The same, for visitors whose screens are dark.',
      'Words, and dark buttons.',
      'What everything stands on.',
      'On the home page and behind lists.',
      'Your name, colours, words, plans and prices.',
      'Published: visitors see it from now on.',
      '{brand} stands for your name and {contactEmail} for your address.',
    ],
  'src/business/content/site-content.test.ts: a preview shows a page as it would be, without scripts, to whoever has its address':
    ['Nothing is shown to visitors before you publish.'],
  'src/business/content/site-content.test.ts: site.yaml holds everything, comes back the same, and is refused as what it is not':
    [
      'The file is in the editor.',
      'Look at it, then publish.',
      'Everything in one file, site.yaml, as it is published.',
      'A file that you import is not published before you say so.',
    ],
  'src/business/content/site-content.test.ts: a change of price makes a price at the provider, and who subscribed before keeps the old one':
    [
      'Another price or allowance counts for people who buy from now on.',
      'People with a subscription keep it as they bought it.',
    ],
  'src/business/courses/courses.test.ts: a lesson is sent in pieces, counted, ordered, watched in ranges, answered and told of by mail':
    [
      'You send the lessons as videos in your dashboard, put them in order there, and see where we are with each.',

      'You send the lessons as videos in your dashboard, put them in order there and see where we are with each.',
      'You ask about a lesson beside it, and we answer there.',
      'When a lesson is published you are told by mail.',
      'Upload a video: it goes on by itself when the line breaks.',

      '… sent "…", … long, for the course "…".',
      'Lessons that customers sent, newest first.',
      'What you write is mailed to the customer.',
      'Ask or tell us anything about this lesson.',
      'The lesson is saved.',
    ],
  'src/business/courses/courses.test.ts: an unfinished video goes on or is ended by its id, and its credit comes back':
    [
      'The part that has arrived is safe: continue when you are back online.',
      'This is another file: … has ….',
      'Choose the same file again to go on, or end it: then the upload is yours again.',
    ],
  "src/business/courses/courses.test.ts: attacks: another's folder, an upload without a credit, foreign lessons, states and the desk are refused":
    [
      'The lesson is deleted.',
      'The video, its notes and messages will be removed from our servers.',
      'This cannot be undone, and the upload that it took is not given back.',
    ],
  'src/business/messages/messages.test.ts: a customer writes with a file, the console reads, opens and answers, and each side has what it has not read':
    ['Between you and ….'],
  'src/business/messages/messages.test.ts: a customer’s message is mailed to the agency with the names of its files, and an answer goes to the customer':
    ['Ask us anything: what you write reaches us by mail as well.'],
  "src/business/messages/messages.test.ts: attacks: another's thread and files, forged messages, the console and too much are refused, and nothing is written":
    ['A message takes … files at most.'],
  'src/business/messages/messages.test.ts: the console lists threads with unread messages first, page by page, finds words in them, and reads a long one piece by piece':
    ['What customers wrote, unread first.', 'Only the newest … are shown here.'],
  'tests/journeys/messages.test.ts: a customer writes with a file, the console answers, the count changes, and a file is withdrawn':
    ['A first message is written from the customer’s page.'],
  'src/business/enquiries/enquiry-receipt.test.ts: the sixth from one address within ten minutes is marked': [
    'May be advertising: ….',
  ],
  'src/business/enquiries/enquiry-delivery.test.ts: an enquiry that the automation refuses is mailed to the agency':
    [
      '…: your automation refused it, so it comes as this mail.',
      '…: the automation refused it, so it was mailed to you.',
    ],
  'src/business/enquiries/enquiry-receipt.test.ts: is stored with every field, mailed to the agency and acknowledged to the visitor':
    ['Your reference is ….'],
  'src/business/enquiries/reply-clock.test.ts: an enquiry is due 24 hours after it came': [
    'A person replies to an enquiry within 24 hours.',

    'A person reads it and replies within 24 hours.',
    'A person replies within 24 hours.',
    'A person reads them and replies within 24 hours.',
    'Within 24 hours: questions, a first idea, and what it would cost.',
  ],
  'src/business/enquiries/reply-clock.test.ts: after 20 hours without a reply the agency gets one mail, whichever process checks and however often':
    ['The site promises a reply within … hours.', 'The agency was warned on ….'],
  'src/business/enquiries/reply-clock.test.ts: advertising alone causes no mail; beside a person’s enquiry it is counted':
    ['And … more.'],
  'tests/web/public-site.test.ts: opens at the first key press, is sent, and answers with a reference': [
    'It reaches our own team, and you get a reference at once.',
    'Your enquiry has arrived.',
  ],
  'tests/web/public-site.test.ts: can be read without scripts, and the splash disappears': [
    'Sending this form needs JavaScript.',
    'The news are fetched by a script, which this browser does not run.',
  ],
  'src/business/files/dashboard.test.ts: without script the gate and the login page say what they need': [
    'The dashboard needs JavaScript, which is switched off in this browser.',
    'Signing in needs JavaScript, which is switched off in this browser.',
  ],
  'src/business/billing/subscription/billing-management.test.ts: is empty for a user who never bought anything':
    ['An account is free.', 'Free: you pay only for a plan.'],
  'tests/journeys/main-journey.test.ts: a visitor buys before signing up, has documents read, downloads, deletes and leaves':
    [
      'Press Upload Files on the Files tab, or drop files anywhere on that page.',
      'Then press Analyze beside a file.',

      'With a plan in it you upload documents and see what we find in them.',
      'Upload a PDF or Word document and it appears here, ready to analyse.',
      'This account will hold what you bought.',
      'Your dashboard opens in … seconds.',
      'Your plan waits for the account that it belongs to.',
      'It takes a minute, and what you paid for is in it at once.',
      'Your plan and your invoices are on the Billing tab.',
      'Upload, press Analyze, and read the answer instead of the file.',
    ],
  'src/platform/auth/account/account-deletion.test.ts: an account that holds something stays for the days of grace: its owner is informed, and can keep it':
    [
      'For … … nothing is deleted, and you can keep the account by signing in or by the link that we mail to you.',
    ],
  'src/platform/auth/account/account-deletion.test.ts: when the days are over the account is deleted as by any other deletion, and a kept one stays':
    [
      'When an account is deleted, its payments and usage stay on record, without your name.',
      'Payments that fall due until then are taken, unless you end the plan on the Billing tab.',
    ],
  'src/platform/auth/account/account-deletion.test.ts: a user who has just signed in deletes the account, and no session of it remains':
    ['An account without files, credits and purchases is deleted at once.'],
  'src/platform/auth/providers/identity-linking.test.ts: the last identity that can still sign in here stays, whatever others are listed':
    ['This is the last way into your account, so it stays.'],
  'src/platform/auth/providers/identity-linking.test.ts: an address that now belongs to somebody else is not taken, and nothing is unlinked':
    ['It cannot be unlinked: the address that would remain belongs to another account.'],
  'src/platform/auth/providers/identity-linking.test.ts: manual linking is off unless the operator wants it':
    ['Sign-ins cannot be linked or unlinked here at the moment.'],
  'src/platform/auth/providers/identity-linking.test.ts: without the e-mail identity the password is gone, and an unknown identity is reported':
    ['Your password will no longer open this account.'],
  'src/business/privacy/personal-data.test.ts: deleting an account deletes the data found by its proven address, except for the proofs':
    [
      '… will be removed from your dashboard and from our servers.',
      'Then your documents, their reports, your enquiries and your sign-ins are deleted, and running plans end without a refund.',
      'What the law makes us keep, such as the books of what you bought, stays without your account.',
    ],
  'src/business/privacy/personal-data.test.ts: every table with a column about people is in the record, and each entry of it works':
    [
      '{brand} keeps what it needs to serve you, on its own server, and shows it to nobody who does not need it.',
      'Mails that we sent you: for seven days.',
      'What we keep is in our privacy notice.',
    ],
  'src/business/privacy/personal-data.test.ts: the export of an account has the data about its person, and no secret':
    ['The documents themselves are on the Files tab.'],
  'tests/journeys/account-picture.test.ts: the language of mails is chosen, takes effect at once, and is still chosen after a reload':
    ['The Account tab has your picture, and the language of mails to you.'],
  'src/business/avatars/avatars.test.ts: the export has the picture, and it goes with the account; alone it needs no days of grace':
    [
      'One JSON file with what is kept about you: your account, picture and sign-ins, the list of your files, their reports, credits and plans, and your enquiries.',
    ],
  'src/business/privacy/personal-data.test.ts: an account with somebody else’s unproven address neither shows nor deletes the data of that address':
    ['Once your address is proven by a mailed link, also the mails to it.'],
  'src/business/files/credit-reservation.test.ts: fifty uploads to one path with fifty credits store one file and release the other credits':
    ['Analysing again and retrying are free, and an upload that does not arrive costs nothing.'],
  'src/business/files/list/file-lists.test.ts: in an archive no name comes twice, and none leads out of its folder':
    ['Both are kept.'],
  'src/business/files/usage/storage-limit.test.ts: the percentage is capped at 100, the sum is not': [
    'Storage is full.',
    'Above …%: …% used.',
  ],
  'src/business/mailbox/mail-notices.test.ts: without a signature of exactly this body it is refused': [
    'The signature is missing, wrong or too old.',
  ],
  'src/business/operator/operator-actions.test.ts: health says what the doctor finds, the disk, the queues and the backups':
    [
      'Is everything running?',
      'Nothing is wrong.',
      'No backup has been made yet.',
      'No daily backup is made: BACKUP_TO is not set.',
    ],
  'src/business/operator/operator-actions.test.ts: a post is written, has a page when its time has come, and is deleted; only by operators':
    ['Posts of the home page, each with a page of its own.', 'The post is saved.'],
  'src/business/news/news-list.test.ts: with nothing to show it fails with the specified words': [
    'No news today.',
  ],
  'src/business/operator/operator-actions.test.ts: bookings are searched in pages and cancelled; customers are listed in pages':
    [
      'Calls that people booked with the phone assistant, in your own time.',
      'The booking is cancelled.',
      'Accounts, newest first.',
    ],
  'tests/journeys/operator-console.test.ts: is for operators: other people are refused, and a visitor signs in first':
    ["Your account is signed in, but it is not an operator's.", 'Ask the person who runs the server.'],
  'src/business/operator/operator-actions.test.ts: with a second factor only after it was used': [
    'This account signs in with a password only.',
    'People who read enquiries and mail should set up a second factor.',
  ],
  'src/business/operator/operator-actions.test.ts: the clock stops with the reply and goes on when that was wrong; every act is audited':
    ['Its clock runs again.', 'Marked as answered.'],
  'src/business/operator/operator-actions.test.ts: an enquiry is answered by a mail, once, and its clock stops; one without an address is not':
    ['This one left no email address.'],
  'src/business/enquiries/enquiry-delivery.test.ts: an enquiry reaches the automation once, signed, in the specified shape':
    ['Notifications to your other tools.'],
  'src/business/operator/operator-actions.test.ts: a queue is paused and goes on, dead letters are sent again':
    ['… gets its events again.', 'No tool is connected yet.'],
  'src/business/operator/operator-actions.test.ts: mails are shown without their text; a suppression is set and lifted':
    [
      'No mail server is named, so mails stay in the mailbox at /dev/mail.',
      'The last seven days, without their text.',
      'The address gets no notices.',
    ],
  'src/business/mailbox/mail-notices.test.ts: one click stops optional mails without a question, and only those':
    ['No newsletters or notices; resets and receipts still arrive.'],
  'src/business/operator/operator-actions.test.ts: is given with a reason until a day, replaced and ended, and every step is audited':
    ['The plan is given.'],
  'src/business/billing/customers/billing-operations.test.ts: sync keeps matching prices, and another amount becomes a new price that takes over the key':
    ['Prices are in pounds per month.'],
  'src/platform/auth/sessions/sign-in.test.ts: a ban is reported only after the right password, and ends the account’s tokens':
    ['We may stop an account that does, and say why.'],
  'src/business/courses/courses.test.ts: a length is refused beyond the minutes of the plan, never on an unlimited one':
    ['A catalogue that grows every month.'],
  'src/voice/evaluations/sample-call.test.ts: a made-up caller asks, and the site’s own assistant answers as it does today; nothing is kept of it':
    ['The caller is made up by a computer; the answers are what this assistant says today.'],
  'src/voice/evaluations/sample-call.test.ts: where a provider would make it, also one without a price, there is no sample call, and a sentence says so':
    ['There is no sample call to play at the moment: press Test Now and ask the assistant yourself.'],
  'src/voice/calls/call-events.test.ts: a call tells the server of its assistant when it began and ended, signed, with its report':
    ['Answers and makes calls day and night, routes them to the right desk, and writes each one up.'],
  'src/voice/calls/assistant-webhook.test.ts: a call tells its server what happens while it happens, in order, signed, as far as it is wanted':
    [
      'An assistant that answers, calls out, routes and books for you, and tells you about every call it took.',
    ],
  'src/voice/calls/call-runner.test.ts: a spoken call: greeting, question, answer, tool, goodbye, and everything in its record':
    [
      'The call at seven minutes past three is picked up like the one at noon: at once, with full attention, and what was said is written down when it ends.',
    ],
  'src/voice/dialogue/team-dialogue.test.ts: a squad hands a call over where the caller asks for it by name, and where its model does':
    [
      'Your own voice prompts, your own routes: invoices to accounts, leaks to the person on call, everybody else to the right person first time.',
    ],
  'packages/document-reader/src/reader/document-reading.test.ts: an invoice: number, dates, sums, account and both parties':
    [
      'Every answer can be traced to the page, the call or the rule that it came from.',
      'Reports are made by software and name the place in the document that each fact comes from, so that you can check it.',
    ],
  'src/platform/auth/factors/factor-verification.test.ts: an authenticator is enrolled with a picture, and raises the session':
    ['Scan this with your authenticator app, or type the key, then enter the code that the app shows.'],
  'src/platform/auth/factors/factor-verification.test.ts: the published values of RFC 6238 are reproduced': [
    'An authenticator app on your phone shows a code that changes every half minute.',
  ],
  'tests/security/second-factor.test.ts: attack 54: before the second factor a session reads, stores, spends and receives nothing of the account':
    [
      'With one set up, a stolen password alone opens nothing: every sign-in asks for the code.',
      'This account has a second factor.',
    ],
  'src/platform/auth/sessions/sign-in.test.ts: sign-out ends the sessions of its scope, and their access tokens at once':
    ['Other devices were signed out.'],
  'src/platform/auth/users/user-update.test.ts: a new address takes effect when both sides have confirmed it, and the old one is informed':
    ['The new address counts once you have opened the link that we sent to ….'],
  'src/platform/auth/factors/recovery-codes.test.ts: a code raises a session once, however it is typed, and the owner is informed':
    ['Each signs you in once when your phone is lost.', 'Each works once.'],
  'src/platform/auth/factors/recovery-codes.test.ts: new codes replace all earlier ones; creating, replacing and removing them needs the second level':
    ['New ones replace all of them.'],
  'src/platform/auth/factors/recovery-codes.test.ts: ten codes are shown once, and only counted afterwards': [
    'These are shown only now: print them or write them down.',
  ],
  'src/platform/auth/factors/recovery-codes.test.ts: recovery codes are never the only factor, and no path for other factors reaches them':
    ['This account has no authenticator.'],
  'src/platform/auth/passkeys/passkey-sign-in.test.ts: a key is registered, signs in without a name or a password, and can be used any number of times':
    [
      'Sign in with your fingerprint, face or screen lock.',
      'A passkey stays on your devices: there is nothing to remember, and nothing that could be stolen from us.',
    ],
  'src/platform/auth/passkeys/passkey-sign-in.test.ts: where the operator has switched passkeys off there are none':
    ['Passkeys are switched off at the moment.'],
  'src/platform/auth/passwords/password-reset.test.ts: the mailed link leads, by one button, to a session that may choose a new password':
    [
      'We send you a link that opens this site with a new password to choose.',
      'It replaces the old one at once.',
    ],
  'src/platform/auth/passwords/password-reset.test.ts: an unknown address gets the same reply as a known one, and no mail':
    ['If an account with that address exists, the link is on its way.'],
  'src/platform/auth/passwords/password-reset.test.ts: a code works once, for its own kind and address, for an hour':
    [
      'It works once and for one hour.',
      'The link has expired, was used already, or was opened in another browser.',
    ],
  'tests/journeys/sign-out-everywhere.test.ts: ends in a tab when another device ended it, without a click or a reload':
    ['Your session has ended.', 'Sign in again to go on where you were.'],
  "src/business/billing/checkout/customer-link.test.ts: another person's session without a proof": [
    'You are signed in, but your payment could not be joined to this account.',
  ],
  'src/business/billing/checkout/customer-link.test.ts: linking again for the same user succeeds and grants nothing more':
    ['Nothing is lost: try again, or sign in with the email address that you paid with.'],
  'src/business/files/dashboard.test.ts: a visitor is sent to /login, and after signing in to the requested page':
    [
      'Sign in to see your documents and billing, or create an account: it is free.',
      'Sign in to your documents and billing.',
    ],
  'tests/web/public-site.test.ts: the application: the page says so and offers another attempt': [
    'The connection may be gone, or the site has just been updated.',
    'Nothing that you have stored is lost.',
  ],
  'tests/journeys/site-frame.test.ts: the page after a payment says so when there was none': [
    'This page opens after a payment.',
    'If you have paid, nothing is lost and you need not pay again.',
    'A payment that your bank still works on appears on the Billing tab when it is through.',
  ],
  'tests/journeys/phone-section.test.ts: on a phone: the first tap calls, the assistant is heard, and the call outlives the background':
    ['Your browser holds the sound back.', 'Tap anywhere to hear the assistant.'],
  'tests/journeys/phone-section.test.ts: a question for the microphone that nobody answers: the visitor types instead, or hangs up':
    ['Your browser asks whether this page may use your microphone.', 'Allow it, and the call begins.'],
  'src/voice/calls/call-manager.test.ts: without a recogniser the caller is told so and types': [
    'This server does not understand speech yet.',
    'You call without a microphone.',
  ],
  'src/voice/dialogue/prompt-dialogue.test.ts: a message is taken where something is not known, and says for whom it is':
    ['If the system is not sure, the case goes to a person, with the reason.'],
  'tests/documents/sample-report.test.ts: the sample report is what the reader makes of the sample document today, and each of its quotes is in it':
    [
      'The document is made up; the report is what our program made of it, unchanged.',

      'This is a sample.',
      'The sample report is a whole one, made from a sample document by the same program that reads yours.',
      'Open the sample report: every fact in it leads to its place in the document.',
    ],
  'tests/web/public-site.test.ts: the status page says which parts answer and which do not': [
    'How long analyses take, how many succeed and how much of the time the service ran is shown from … analyses on.',
  ],
  'tests/web/public-site.test.ts: the sample report shows a whole report without an account, and each fact at its place in the document':
    [
      'Press the words beside a fact, and the document opens at their place.',
      'You need no account for it.',
      'You can walk through a whole report on a sample document first: it takes no credit.',
      'Every fact carries the words that it was taken from, and leads to their place in the document.',
      'A whole report on a sample document can be read without an account.',
    ],
  'src/business/mailbox/mailbox-page.test.ts: the page opens at the address printed at the start, and its token goes into a cookie':
    [
      'The mailbox opens with the address that the start printed; npm run northline -- mailbox prints it again.',
    ],
  'src/platform/storage/objects/object-download.test.ts: are deleted when the object, the record or the account is deleted':
    [
      'Your documents and the reports about them, until you delete them.',
      'Deleting removes the file itself.',
    ],
  'src/business/privacy/personal-data.test.ts: a person without an account is found and erased by address and number, in any spelling':
    ['Your enquiries: what you wrote, so that we can answer it, until you ask us to delete it.'],
  'tests/journeys/test-now.test.ts: without a microphone, by keyboard: typed questions, an enquiry that is stored, hang up, delete':
    [
      'Talk to the assistant on the home page: it is the one that answers our own telephone.',

      'Calls with the assistant on this site: what was said, as text, with time and outcome.',
      'At the end of a call you can delete it.',
      'The call is not recorded; its words are kept until you delete them.',
      'These are the words that were kept; an enquiry or a booking that you confirmed is kept as well.',
      'We keep the words of the call as text, and you can delete them at the end of the call.',
      'It never claims to be a person: it greets as an AI assistant.',
    ],
  'src/business/bookings/bookings.test.ts: is recognised by name and number together, even misheard and misspelt':
    ['A booking keeps the name, the number or address and the time that you gave.'],
  'src/business/mailbox/mail-notices.test.ts: a signed bounce of a mail of ours suppresses its address; a repeat changes nothing':
    ['Addresses that refuse our mail, or asked for none, so that we keep to it.'],
  'tests/security/log-secrets.test.ts: a run with every kind of secret, right and wrong, leaves none of them in the log':
    ['Request logs: address, time and path, without contents, to keep the service safe.'],
  'tests/security/browser-storage.test.ts: the privacy page names everything that the pages store in a browser, and nothing stores cookies there':
    [
      'Your session when you sign in; the proof of a purchase until it is in your account; whether the keyboard shortcuts are on; light or dark, if you chose; a small program that shows notices, if you switched them on; for this tab only, whether you have seen the opening and what you have typed into an enquiry that is not sent yet.',
    ],
  'src/kernel/http/site/static-site.test.ts: carry a policy that runs no inline script': [
    'No advertising, no tracking cookies, no analytics by third parties.',
  ],
  'tests/journeys/account.test.ts: name and password change, mails are switched off, the data is downloaded, the account deleted':
    [
      "A copy, a correction and the deletion of your account are in your account's settings.",
      'Download what is kept about you, and delete the account, both on the Account tab.',
      'On the Account tab: another password, a second factor with recovery codes, passkeys, and where you are signed in.',
    ],
  'tests/journeys/account-keeping.test.ts: a deletion is planned, shown on every tab, and cancelled on the page and by the mail without scripts':
    ['It is kept for some days first, so that you can change your mind.'],
  'src/business/courses/courses.test.ts: a customer has several courses: made, named, put in order, lessons moved between them, seen at the desk':
    ['Lessons can be in several courses.', 'Several courses in one plan, each with its own lessons.'],
  'src/platform/auth/account/account-deletion.test.ts: the last owner of a team with others learns that it ends, and hands it over or confirms':
    ['The last owner of a team is asked who follows before an account is deleted.'],
  'src/business/teams/team-changes.test.ts: members are notified at once, and once, of changes of people, roles, names, invitations, files, analyses and credits':
    ['What changes in a team is on the pages of its people at once.'],
  'src/kernel/contract/service-pages.test.ts: each service of the home page has a page, and an enquiry from it can be filed':
    ['Each service has a page of its own, and questions and answers have one.'],
  'packages/document-reader/src/reader/document-reading.test.ts: a workbook and slides are read with their names and cells':
    [
      'PDF, Word, OpenDocument, RTF and text; spreadsheets and presentations; mails, web pages and Markdown; photos and scans; and e-invoices in XML.',
    ],
  'src/platform/storage/uploads/upload-signing.test.ts: keep the rules of every upload: credit, type, size': [
    'We refuse a file that we cannot read before it takes a credit.',
  ],
  'src/business/analysis/corrections/fact-correction.test.ts: the value counts from now on, what was read and when it was corrected are kept, and it can be taken back':
    [
      'What the program is not sure of says so, and you can correct every fact; the first value stays beside it.',
      'A fact that is wrong can be corrected: the first value stays beside it.',
    ],
  'src/voice/rooms/meeting-recording.test.ts: who agrees is recorded, each for themselves; who says nothing or no is not; all are told':
    ['Everybody here has agreed to be recorded.', 'People who did not are not in the recording.'],
  'src/voice/desk/playback/call-playback.test.ts: attack 44: a call without a yes, and one whose yes was taken back, say why there is nothing to play':
    [
      'Nothing was recorded: the caller did not agree.',
      'The caller withdrew consent, and the recording was deleted.',
      'The caller agreed, but no recording is there.',
      'The log of the call may say why.',
    ],
  'src/voice/desk/playback/call-playback.test.ts: what the store refused for good is no longer waited for, and that is said':
    [
      'Picture and sound in one are more than is stored, so there is the sound alone.',
      'The recording was refused for good when it was to be stored.',
      'Its files are still on the server.',
    ],
  'src/voice/desk/playback/call-playback.test.ts: while picture and sound wait to be put together there is the sound; what is lost of a picture is missed':
    ['There is no picture: no camera was offered, or what it showed was lost.'],
  'src/voice/recording/call-recording.test.ts: attack 44: who says no, or takes the yes back, leaves no sound, and the evidence says so':
    ['Sound is recorded only after you have said yes to it.', 'It records only with consent.'],
  'src/voice/dialogue/agency-dialogue.test.ts: is offered when the caller wants a person': [
    'Yes: say so.',
    'The assistant takes a message or books a call with a colleague, at a time that suits you.',
    'Write to {contactEmail}, send an enquiry, or ask the assistant to pass you on.',
  ],
  'src/business/analysis/requests/finished-notice.test.ts: one mail says what became of a batch, once nothing of it is under way':
    ['You may close the page: the work goes on, and you are told by mail when the report is ready.'],
  'tests/journeys/report-page.test.ts: a chip marks its words on the drawn page, words are found, a fact is corrected; on a phone it is a sheet':
    ['Find searches in the document; Ask answers a question with passages from it.'],
  'src/business/analysis/requests/document-passwords.test.ts: an ended analysis leaves no password, and no more than 500 are kept':
    ['It is kept in memory while the file is read, and nowhere else.'],
  'src/business/analysis/sharing/report-share.test.ts: a report is taken away as CSV, Excel, JSON, calendar and PDF, with the corrections in their places':
    [
      'At its foot: as PDF, as a table, as data, its dates for your calendar, or as a link that ends on the day that you choose.',
    ],
  'src/voice/dialogue/topics/topic-answer.test.ts: services and plan names that the agency publishes are known, and what it sells no more is not offered':
    ['Tells callers what you offer, what it costs and when you are there.'],
  'src/business/bookings/bookings.test.ts: gets the confirmation, each change and the cancellation by mail, for the same calendar entry':
    ['Books, moves and cancels appointments, and confirms them by mail.'],
  'src/voice/telephony/phone/phone-calls.test.ts: a caller is put through to a person, and stays with the assistant where nobody is there':
    [
      'Answers on your number and on your site, day and night.',
      'Takes messages, and puts callers through to a person.',
    ],
  'src/voice/calls/record/call-summary.test.ts: to move and to cancel, and neither was done: both are open, and it is no success':
    ['Writes every call up: what was wanted, what was agreed and what is left open.'],
  'src/voice/dialogue/agency-dialogue.test.ts: what is not understood is said so, and after three times a message is offered':
    ['It makes nothing up.'],
  'src/business/analysis/site/items-table.test.tsx: the page shows the items as a table with their places, and what their sum is only where it is one':
    ['A summary, its line items as a table, and what of it is sensitive.'],
  'src/business/analysis/site/document-tables.test.tsx: the page shows a table with its place, more rows when they are asked for, and what is checked or left out':
    ['Checked: its last row is the sum of the rows above.', '… more rows are not listed here.'],
  'src/business/analysis/site/document-tables.test.tsx: the page counts the tables that it does not list, and says that sums so far are not added again':
    ['Sums so far, as at the end of a page, are not added again.'],
  'src/business/analysis/site/document-tables.test.tsx: a total that is wrong is never said to be checked: the columns that are right are named':
    ['Checked in …: the last row is the sum of the rows above.', 'Its other figures could not be confirmed.'],
  'src/business/analysis/site/obligations-list.test.tsx: the page lists who has to do what, what has a day first, and says what it does not list':
    ['Who has to do what, and by when.'],
  'packages/document-reader/src/bills/bill-fields.test.ts: a total that the page does not print is told': [
    'What needs your attention: a payment that is due, a contract that ends, a total that does not add up, a page that could not be read.',
  ],
  'packages/document-reader/src/reader/reader-sandbox.test.ts: attack 25: a reader that was taken over does what its sandbox says and no more':
    ['On our own server, in a process of its own for each document.'],
  'packages/document-reader/src/ocr/picture-reading.test.ts: a scanned PDF is read; its words keep their places, and the report says how it was read':
    ['Photos and scans are read there too.', 'What could not be read is named by its page.'],
};

/** Sentences that claim nothing about the product, by the reason. */
export const CLAIM_NOTHING: Readonly<Record<string, readonly string[]>> = {
  'an example of a conversation or record, drawn beside a service': [
    'Yes, Tuesdays and Fridays.',
    'Order by noon for the next van.',
    'Answered in 4 seconds.',
    'Handed to Priya at 09:39.',
    'Half past ten is free.',
  ],
  'says for whom a plan is, not what it does': [
    'For people who read a few contracts a week.',
    'For a team that reads something every day.',
    'For an office whose work is documents.',
    'One course, taught well.',
    'A school, without the building.',
  ],
  'what people of the agency do and agree with a client, not what this software does': [
    'Calls answered, papers read, enquiries on the right desk.',
    'Answers in your words, from the pages and papers that you choose.',
    'Pages around what your customers come for, and nothing that slows them down.',
    'Prospects that fit what you sell, each with the reason why.',

    '{brand} builds custom automated systems around the way a business already runs: the calls, the papers, the enquiries and the courses that take up its day.',
    'One line comes first: the calls after hours, or the invoices, or the questions on your site.',
    'You see it running on your own calls or papers, and then you decide about the next one.',
    'What it does not know it says, and a person gets the whole thread.',
    'A record of every conversation, so that you see what people ask for.',
    'We read what people have asked you, and write the answers with you.',
    'Then it answers some of them while somebody watches.',
    'You see it running on your own questions before you decide about the rest.',
    'We quote for each one, because no two front desks get the same questions.',
    'Tell us how many you get: within 24 hours you have questions from us, a first idea, and what it would cost.',
    'An editor that your own team can use: words, pictures, prices and the order of things.',
    'A site that works by keyboard, with a screen reader, on a small phone and in the dark.',
    'We ask three of your customers what they came for.',
    'Then we write the words, draw the pages around them, and show you the real thing in a browser, not a picture of it.',
    'We quote for each site.',
    'Tell us what it has to do: within 24 hours you have questions from us, a first idea, and what it would cost.',
    'We quote by the calls that you get.',
    'Tell us how many: within 24 hours you have questions from us, a first idea, and what it would cost.',
    'A score that you can follow, because it says what it is made of.',
    'Each one in the right inbox, with the first message written for you to send.',
    'You show us ten customers that you would like to have again.',
    'We describe together what they have in common, and look for more.',
    'You say of the first twenty which are right, and only then does it run by itself.',
    'We quote by what you sell and to whom.',
    'Tell us: within 24 hours you have questions from us, a first idea, and what it would cost.',
    'We cut it, caption it and put it into the course.',
    'You send the recordings; we build the course around them, and you see where we are with each.',
    'You know something that others would pay to learn.',
    'Send us the recordings; we build the course around them: the platform, the pages, the payments and the reminders that keep people going.',
    'If we use an outside service to analyse documents or to speak with callers, it receives what it needs to answer, encrypted on the way.',

    'Unlimited documents, your own retention rules, and the report in the shape your team uses.',
    'Settles routine questions and passes the rest to a person with the whole thread.',
    'A fast, accessible site that your own team can edit on Monday morning.',
    'Finds, scores and sends each prospect to the right inbox within a minute.',
    'Calls answered, documents read, sites built and leads scored by systems made around your business.',
    'We build custom automated systems around the way your business already runs: every call picked up, every document read, every enquiry on the right desk.',
    'Clients come first, so each system is tailored to one.',
    'We start at your front desk, not at our toolbox.',
    'You see the first line running on your own calls or papers before you decide about the next.',
    'The people who design your system are the people who answer when you ring.',
    'No hand-over, no ticket queue between you and them.',
    'Each runs on its own and joins the others when you are ready.',
    'Custom automated systems, clients first.',
    'Somebody who builds these systems, on the same working day.',
    'On your own calls or papers, before you decide about more.',
    'Under your own name and address.',
    'The opening lesson as your learners would meet it.',
    '{contactEmail} is read by a person.',
    'We use what you write to answer you, for nothing else.',
  ],
  'a term of the contract with the customer, which binds people': [
    'By buying a plan you accept our terms; what we keep is in our privacy notice.',
    'A month that has begun is not paid back, unless the law gives you a right to that.',

    'These are the terms between you and {brand} for the services sold on this site.',
    'Upload only what you are allowed to share.',
    'They are not legal, medical or financial advice.',
    "No unlawful content, no attempts to get at other people's data, no automated sign-ups.",
    'English law applies, and your rights as a consumer stay as they are.',
  ],
  'asks the reader for something': [
    'Send one when we ask; it tells more than any form.',
    'The texts that came with it are true of this software; have a lawyer read yours.',
    'Write to {contactEmail}, or send an enquiry: say what you did and what you saw.',
    'Read the privacy notice: it says what is kept, for how long, and how you take it away.',
    'For everything else about you write to {contactEmail}.',
    'Upload a document, press Analyze, and read the answer instead of the file.',

    'What you teach, to whom, and what you have recorded so far.',
    'What you know, who should learn it, and how far you have come.',
    'What happens today, how often, and what should happen instead.',
    'Tell us how many documents you read, who may see them and where they have to stay.',
    'A few lines are enough.',
    'Without it, write to ….',
    'Delete files or choose a larger plan.',
    'Try fewer or other words.',
    'Read the document before you act on it.',
    'Keep them where you keep papers.',
    'Use three or four unrelated words.',
    'Ask for a new one.',
  ],
  'says that a list is empty or a field has no value': [
    'There are none.',
    'There are no lessons here.',
    'There are no messages here.',
    'Nothing was written yet.',
    'No job waits.',
    'There are no posts.',
    'Nothing is booked here.',
    'Nobody was found.',
    'No credit has moved yet.',
    'Nothing has been answered yet.',
    'No enquiry has come yet.',
    'No event is in this list.',
    'Nothing was sent yet.',
    'No mail is in this list.',
    'No reason was given.',
    'Nothing was published yet: visitors see the content that came with it.',
    'Quiet days happen.',
  ],
  'says what stands on the screen': [
    'The line to the server is down; this may be old.',

    'The latest analysis failed: … This is the report from before.',
    'Only the latest … are listed and summed.',
    'This action cannot be undone.',
    'You have a file of this name already.',
    'This cannot be undone.',
  ],
  'says that something failed': [
    'The browser did not allow copying.',
    'The file cannot be drawn here, so its text is shown.',
    'The enquiry was not taken.',
    'You seem to be offline.',
    'Your second factor could not be read.',
    'Your passkeys could not be read.',
    'Your sign-ins could not be read.',
    'Your team could not be read.',
    'The team could not be handed over.',
    'The file could not be read.',
    'This browser cannot use passkeys.',
    'The call could not be started.',
  ],
  'says what the page is doing': [
    'The server is being asked.',
    'We sent you a link.',
    'Open it to confirm your address; then you can sign in.',
    'Waiting for your device...',
  ],
  'a fault of the program’s own making, which no visitor reads': [
    'There is no page ….',
    'The page has no #app.',
  ],
  'says that there is nothing here': [
    'There is nothing at this address.',
    'The link may be old, or a letter may have got lost on the way.',
    'The console needs JavaScript.',
    'This page needs JavaScript to look.',
  ],
  'says how a drawing is read': ['One mark is five documents.'],
  'says what stands on another page': [
    'On the Billing tab.',
    'By the month.',
    'At any time.',
    'Course creation, by the month.',
    'By the month, by the number of documents.',
    'What each plan holds stands on the home page.',
    'The payment provider, for payments.',
  ],
  'says what the law is': [
    'You may also complain to your data protection authority; in the United Kingdom that is the ICO.',
  ],
};
