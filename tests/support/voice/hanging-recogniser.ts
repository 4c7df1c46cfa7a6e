/** A recogniser that becomes ready and never answers. */
process.on('message', () => {});
process.on('disconnect', () => process.exit(0));
process.send?.({ kind: 'ready', runtime: 'onnxruntime-node', megabytes: 1 });
