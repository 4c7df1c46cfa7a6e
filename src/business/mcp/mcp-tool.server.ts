import type { z } from 'zod';
import type { ApiRight } from '../../kernel/contract/api-rights.ts';

/** Sends a request to one of the product's own functions with the key of the call. @throws FunctionRefused */
export type AskFunction = <Answer>(name: string, input: object, method?: 'GET' | 'POST') => Promise<Answer>;

/** A function refused the call; the message is a sentence for the person. */
export class FunctionRefused extends Error {
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** What a tool has while it runs. */
export interface ToolRun {
  readonly ask: AskFunction;
  /** Aborts when the client cancels the call or goes away. */
  readonly signal: AbortSignal;
  /** The rights of the key at this moment. */
  readonly rights: readonly ApiRight[];
  /** Tells the client how far the work is, if it asked for that. */
  progress(done: number, message: string): Promise<void>;
}

/** A tool of the MCP server: one or more functions of the product, described for a language model. */
export interface McpTool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly right: ApiRight;
  readonly input: Input;
  readonly output: Output;
  /**
   * Only of tools that change something: what a person is asked before it is done, with everything that will be sent or
   * changed.
   */
  readonly question?: (input: z.output<Input>, run: ToolRun) => Promise<string>;
  run(input: z.output<Input>, run: ToolRun): Promise<z.output<Output>>;
}

/** A tool in a list of tools with different inputs. */
export const tool = <Input extends z.ZodObject, Output extends z.ZodObject>(
  declared: McpTool<Input, Output>,
): McpTool => declared as unknown as McpTool;
