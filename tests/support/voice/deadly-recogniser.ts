/**
 * A recogniser that crashes after every utterance: it becomes ready, and fails as soon as an utterance is
 * over.
 */
process.on('message', ({ kind }: { readonly kind: string }) => {
  if (kind === 'end') process.kill(process.pid, 'SIGKILL');
});
process.on('disconnect', () => process.exit(0));
process.send?.({ kind: 'ready', runtime: 'onnxruntime-node', megabytes: 1 });
