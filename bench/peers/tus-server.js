// Comparison for the resumable upload: @tus/server alone with its file store.
import { FileStore } from '@tus/file-store';
import { Server } from '@tus/server';

const { PEER_FOLDER, PEER_PORT } = process.env;
const server = new Server({ path: '/files', datastore: new FileStore({ directory: PEER_FOLDER }) });
server.listen({ host: '127.0.0.1', port: Number(PEER_PORT) }, () => console.log('peer is ready'));
