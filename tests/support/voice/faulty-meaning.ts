/** The real process of meanings, where native code ends it with a fault at its first text. */
if (process.argv[2] !== 'onnxruntime-web') process.once('message', () => process.kill(process.pid, 'SIGILL'));
await import('../../../src/voice/dialogue/knowledge/meaning-process.server.ts');
