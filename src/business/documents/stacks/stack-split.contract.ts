/** Address of the function that corrects where the documents of a file begin. */
export const SPLIT_DOCUMENT = '/functions/v1/split-document';
