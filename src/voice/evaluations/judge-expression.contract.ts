import { RE2JS } from 're2js';

/**
 * Compiles an expression for RE2, whose time grows linearly with the text. @throws Error if the text is
 * not a valid expression
 */
export const compileExpression = (text: string): RE2JS => RE2JS.compile(text);
