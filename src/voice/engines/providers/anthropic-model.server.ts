import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { textOf } from '../../records/given-fields.server.ts';
import type { ChatModel, ChatPiece, ChatRequest } from './chat-model.server.ts';

/** Most tokens of an answer where the assistant sets no limit: the API requires one. */
const USUAL_TOKENS = 1024;

/**
 * A language model that is reached by Anthropic's Messages API: the same turns, tools and streams,
 * translated.
 */
export function anthropicModel(client: Anthropic, model: string): ChatModel {
  return {
    name: model,
    async *stream(request, signal) {
      const stream = await client.messages.create(
        { ...messagesOf(request, model), stream: true },
        { signal },
      );
      let promptTokens = 0;
      for await (const event of stream) {
        if (event.type === 'message_start') promptTokens = event.message.usage.input_tokens;
        const piece = pieceOf(event, promptTokens);
        if (piece !== undefined) yield piece;
      }
    },
    async complete({ system, user, json }) {
      const { content } = await client.messages.create({
        model,
        max_tokens: USUAL_TOKENS,
        system: json ? `${system} Answer with one JSON object only.` : system,
        messages: [{ role: 'user', content: user }],
      });
      return content
        .flatMap((block) => (block.type === 'text' ? [block.text] : []))
        .join('')
        .trim();
    },
  };
}

function pieceOf(event: Anthropic.MessageStreamEvent, promptTokens: number): ChatPiece | undefined {
  if (event.type === 'content_block_start' && event.content_block.type === 'tool_use') {
    const { id, name } = event.content_block;
    return { call: { index: event.index, id, name } };
  }
  if (event.type === 'message_delta')
    return { usage: { promptTokens, completionTokens: event.usage.output_tokens } };
  if (event.type !== 'content_block_delta') return undefined;
  if (event.delta.type === 'text_delta') return { text: event.delta.text };
  if (event.delta.type === 'input_json_delta')
    return { call: { index: event.index, arguments: event.delta.partial_json } };
  return undefined;
}

/** Translates a request: the system texts are joined, tool results become the user's, and turns alternate. */
function messagesOf(request: ChatRequest, model: string): Anthropic.MessageCreateParamsNonStreaming {
  const { messages, tools, temperature, maxTokens } = request;
  const system = messages.flatMap((one) => (one.role === 'system' ? [textOf(one.content)] : []));
  const turns = messages.flatMap(turnOf);
  // Anthropic requires that the user speaks first; a call's history may begin with the assistant.
  if (turns[0]?.role !== 'user') turns.unshift({ role: 'user', content: '(The call begins.)' });
  return {
    model,
    max_tokens: maxTokens ?? USUAL_TOKENS,
    system: system.join('\n\n'),
    messages: turns,
    ...(tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
    ...(temperature === undefined ? {} : { temperature: Math.min(1, temperature) }),
  };
}

function turnOf(message: OpenAI.ChatCompletionMessageParam): Anthropic.MessageParam[] {
  if (message.role === 'tool') {
    const { tool_call_id: id, content } = message;
    return [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: textOf(content) }] }];
  }
  if (message.role !== 'user' && message.role !== 'assistant') return [];
  const text = textOf(message.content);
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  const content: Anthropic.ContentBlockParam[] = [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls.flatMap((call) =>
      call.type === 'function'
        ? [
            {
              type: 'tool_use' as const,
              id: call.id,
              name: call.function.name,
              input: inputOf(call.function.arguments),
            },
          ]
        : [],
    ),
  ];
  return content.length === 0 ? [] : [{ role: message.role, content }];
}

function inputOf(text: string): unknown {
  try {
    return JSON.parse(text || '{}');
  } catch {
    return {};
  }
}

function toolOf({
  function: { name, description, parameters },
}: OpenAI.ChatCompletionFunctionTool): Anthropic.Tool {
  return {
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: { type: 'object', ...parameters },
  };
}
