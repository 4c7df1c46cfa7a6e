-- The first assistant greeted with the name that the agency had at its first start.

update private.voice_records
   set body = jsonb_set(body, '{firstMessage}', '"Hello, this is the AI assistant of {{brand}}. How can I help you?"')
 where kind = 'assistant'
   and body ->> 'firstMessage' ~ '^Hello, this is the AI assistant of .+\. How can I help you\?$';
