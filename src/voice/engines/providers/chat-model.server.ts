import type OpenAI from 'openai';

/** One turn's request to a language model; messages and tools in the words of OpenAI's chat completions. */
export interface ChatRequest {
  readonly messages: readonly OpenAI.ChatCompletionMessageParam[];
  readonly tools: readonly OpenAI.ChatCompletionFunctionTool[];
  readonly temperature?: number | undefined;
  readonly maxTokens?: number | undefined;
}

/** A piece of an answer as it streams. */
export interface ChatPiece {
  readonly text?: string;
  /**
   * A part of a tool call: pieces with the same `index` belong together, and their arguments joined are JSON.
   */
  readonly call?: {
    readonly index: number;
    readonly id?: string;
    readonly name?: string;
    readonly arguments?: string;
  };
  readonly usage?: { readonly promptTokens: number; readonly completionTokens: number };
}

/** A language model, whatever API it is reached by. */
export interface ChatModel {
  readonly name: string;
  /** Streams an answer. @throws Error where the provider refuses, breaks off or is late */
  stream(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatPiece>;
  /** An answer in one piece; `json` asks for a JSON object. @throws Error as `stream` */
  complete(question: {
    readonly system: string;
    readonly user: string;
    readonly json: boolean;
  }): Promise<string>;
}

/** A model that speaks OpenAI's chat completions. */
export function openaiModel(client: OpenAI, model: string): ChatModel {
  return {
    name: model,
    async *stream({ messages, tools, temperature, maxTokens }, signal) {
      const stream = await client.chat.completions.create(
        {
          model,
          messages: [...messages],
          ...(tools.length === 0 ? {} : { tools: [...tools] }),
          stream: true,
          stream_options: { include_usage: true },
          ...(temperature === undefined ? {} : { temperature }),
          ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
        },
        { signal },
      );
      for await (const chunk of stream) yield* piecesOf(chunk);
    },
    async complete({ system, user, json }) {
      const { choices } = await client.chat.completions.create({
        model,
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: user },
        ],
        ...(json ? { response_format: { type: 'json_object' as const } } : {}),
      });
      return (choices[0]?.message.content ?? '').trim();
    },
  };
}

function* piecesOf({ choices, usage }: OpenAI.ChatCompletionChunk): Generator<ChatPiece, void> {
  if (usage)
    yield { usage: { promptTokens: usage.prompt_tokens, completionTokens: usage.completion_tokens } };
  const delta = choices[0]?.delta;
  if (delta?.content) yield { text: delta.content };
  for (const { index, id = '', function: called } of delta?.tool_calls ?? [])
    yield { call: { index, id, name: called?.name ?? '', arguments: called?.arguments ?? '' } };
}
