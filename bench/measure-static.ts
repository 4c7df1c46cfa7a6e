import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Figure, shown } from './support/figure.ts';
import { runLoad } from './support/load.ts';
import { freePort, type Product } from './support/product.ts';

const SECONDS = 3;
const AT_ONCE = 16;
const CLIENT = path.join(import.meta.dirname, '..', 'dist', 'client');

/** Requests per second for one hashed asset, compared with nginx serving the same file; one worker each. */
export async function measureStatic(product: Product): Promise<Figure> {
  const asset = readdirSync(path.join(CLIENT, 'assets')).find((name) => name.endsWith('.css'));
  if (asset === undefined) throw new Error('the build has no style sheet');
  const request = { method: 'GET', path: `/assets/${asset}` } as const;
  const load = { connections: AT_ONCE, seconds: SECONDS };
  const nginx = await startNginx();
  const rounds: { own: number; peer: number }[] = [];
  for (let round = 0; round < 3; round += 1) {
    const own = await runLoad(product.port, request, load);
    const peer = nginx === undefined ? undefined : await runLoad(nginx.port, request, load);
    if (own.refused > 0) throw new Error('assets were refused');
    rounds.push({ own: own.perSecond, peer: peer?.perSecond ?? Number.NaN });
  }
  nginx?.stop();
  const own = Math.max(...rounds.map((round) => round.own));
  const peer = Math.max(...rounds.map((round) => round.peer));
  return {
    name: 'Static asset',
    measured: shown(own, '/s'),
    against: nginx === undefined ? 'nginx is not installed' : `${shown(peer, '/s')} nginx`,
    ...(nginx === undefined ? {} : { ratio: own / peer }),
    aim: 'at least 0.9',
    met: nginx === undefined || own / peer >= 0.9,
  };
}

async function startNginx(): Promise<{ port: number; stop(): void } | undefined> {
  const binary = ['/usr/sbin/nginx', '/usr/local/sbin/nginx'].find((file) => existsSync(file));
  if (binary === undefined || spawnSync(binary, ['-v']).status !== 0) return undefined;
  const port = await freePort();
  const folder = path.join('/tmp', `northline-nginx-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    path.join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
${process.geteuid?.() === 0 ? 'user root;' : ''}
events { worker_connections 512; }
http {
  access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000; types { text/css css; }
  client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f;
  uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  open_file_cache max=100 inactive=60s;
  server { listen 127.0.0.1:${port}; root ${CLIENT}; }
}`,
  );
  const child = spawn(binary, ['-c', path.join(folder, 'nginx.conf')], { stdio: 'ignore' });
  await new Promise((resolve) => setTimeout(resolve, 500));
  return { port, stop: () => child.kill('SIGTERM') };
}
