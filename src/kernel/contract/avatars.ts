/** The bucket of people's pictures, one object each (decision 0510). */
export const AVATARS_BUCKET = 'account-pictures';

/** Where the picture of an account is in its bucket. */
export const avatarPath = (userId: string): string => `${userId}/picture`;
