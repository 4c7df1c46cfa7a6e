/** What the assistant of another site says in its own frame, in the language of the page. */
export interface WidgetWords {
  readonly open: string;
  readonly close: string;
  readonly machine: string;
  readonly notice: string;
  readonly write: string;
  readonly talk: string;
  readonly leave: string;
  readonly back: string;
  readonly closed: string;
  readonly hours: string;
  readonly log: string;
  readonly you: string;
  readonly yourWords: string;
  readonly send: string;
  readonly end: string;
  readonly mute: string;
  readonly unmute: string;
  readonly connecting: string;
  readonly answering: string;
  readonly microphone: string;
  readonly asksToRecord: string;
  readonly notRecorded: string;
  readonly allow: string;
  readonly noMicrophone: string;
  readonly over: string;
  readonly lost: string;
  readonly again: string;
  readonly remove: string;
  readonly removed: string;
  readonly notRemoved: string;
  readonly name: string;
  readonly email: string;
  readonly message: string;
  readonly sending: string;
  readonly sent: string;
  readonly failed: string;
}

/** The words in English. */
export const ENGLISH: WidgetWords = {
  open: 'Ask us',
  close: 'Close',
  machine: 'AI assistant',
  notice:
    'A machine answers you here. The conversation is kept for the people who look after this site, until you delete it at the end.',
  write: 'Write',
  talk: 'Talk',
  leave: 'Leave a message for a person',
  back: 'Back',
  closed: 'We are closed now. Leave a message, and a person answers you.',
  hours: 'Open',
  log: 'The conversation',
  you: 'You',
  yourWords: 'Your message',
  send: 'Send',
  end: 'End',
  mute: 'Mute',
  unmute: 'Unmute',
  connecting: 'Connecting you…',
  answering: 'The assistant is answering…',
  microphone: 'Your microphone is used for this call only, and your browser asks you first.',
  asksToRecord:
    'The assistant asks whether it may record the call. If you do not say yes, nothing is recorded.',
  notRecorded: 'The sound is not recorded.',
  allow: 'Agree and talk',
  noMicrophone: 'Your microphone cannot be used. You can write instead.',
  over: 'The conversation is over.',
  lost: 'The connection was lost. Please try again.',
  again: 'Start again',
  remove: 'Delete the conversation',
  removed: 'The conversation has been deleted.',
  notRemoved: 'It could not be deleted. Please try again.',
  name: 'Name',
  email: 'Email',
  message: 'Message',
  sending: 'Sending…',
  sent: 'Your message has been sent. A person will answer you by email.',
  failed: 'Our server could not be reached. Please try again later.',
};
