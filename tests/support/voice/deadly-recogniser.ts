/** A recogniser that no utterance survives: it is ready, and ends with a fault as soon as one is over. */
process.on('message', ({ kind }: { readonly kind: string }) => {
  if (kind === 'end') process.kill(process.pid, 'SIGKILL');
});
process.on('disconnect', () => process.exit(0));
process.send?.({ kind: 'ready', runtime: 'onnxruntime-node', megabytes: 1 });
