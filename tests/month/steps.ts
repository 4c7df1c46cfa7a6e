import { changeAddress, changeFactor, erase, resetPassword, signInAgain } from './account-steps.ts';
import { book, changeCurrency, changePlans, enquire, message, rebrand } from './agency-steps.ts';
import {
  buyAsVisitor,
  buyPlan,
  cancelOrResume,
  changePlan,
  giveCredits,
  letTimePass,
  refund,
} from './billing-steps.ts';
import { call } from './call-steps.ts';
import { analyse, correct, deleteFile, share, upload, withdrawShare } from './document-steps.ts';
import { lesson, picture } from './media-steps.ts';
import { restoring } from './restore-steps.ts';
import { changeRole, createTeam, invite, join, leave, pay, showFile } from './team-steps.ts';
import type { Month, Person } from './world.ts';

/**
 * Something that people do. `pick` decides on the details; a step that is not possible now does nothing.
 *
 * @throws an error that says what the product did wrong
 */
export type Step = (month: Month, who: Person, pick: number) => Promise<void>;

/** What people do, by name; the number says how often. */
export const STEPS: Readonly<Record<string, readonly [often: number, step: Step]>> = {
  buy: [4, buyPlan],
  'buy as a visitor': [1, buyAsVisitor],
  change: [3, changePlan],
  cancel: [2, cancelOrResume],
  'days pass': [3, letTimePass],
  refund: [1, refund],
  credits: [2, giveCredits],
  upload: [5, upload],
  analyse: [3, analyse],
  correct: [2, correct],
  share: [2, share],
  withdraw: [1, withdrawShare],
  delete: [2, deleteFile],
  picture: [1, picture],
  lesson: [2, lesson],
  team: [1, createTeam],
  invite: [2, invite],
  join: [2, join],
  leave: [1, leave],
  role: [1, changeRole],
  pay: [1, pay],
  show: [2, showFile],
  factor: [1, changeFactor],
  'sign in': [1, signInAgain],
  reset: [1, resetPassword],
  address: [1, changeAddress],
  message: [2, message],
  enquire: [1, enquire],
  book: [2, book],
  plans: [1, changePlans],
  currency: [1, changeCurrency],
  rebrand: [1, rebrand],
  call: [1, call],
  erase: [1, erase],
  restore: [1, restoring(upload)],
};
