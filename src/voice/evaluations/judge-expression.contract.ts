import { RE2JS } from 're2js';

/** An expression of RE2, whose time grows with the text only. @throws Error where the text is none */
export const compileExpression = (text: string): RE2JS => RE2JS.compile(text);
