/** The bucket of account pictures, one object for each account (decision 0510). */
export const AVATARS_BUCKET = 'account-pictures';

/** The path of an account's picture in its bucket. */
export const avatarPath = (userId: string): string => `${userId}/picture`;
