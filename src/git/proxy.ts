/** Gets through an HTTP proxy: a tunnel for HTTPS, so that the proxy sees the name of the remote and nothing of what is said. */
import * as http from 'node:http';
import type { Socket } from 'node:net';
import { MemgitError } from '../errors.ts';
import { Patience } from './patience.ts';

/** What says to a proxy who asks, from the user and password in its address. */
export function proxyHeaders({ username, password }: URL): Record<string, string> {
  if (username === '' && password === '') return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** Opens a tunnel (RFC 9110, section 9.3.6). @throws REMOTE_UNREACHABLE when the proxy does not give one; what the connection throws */
export async function connectThrough(proxy: URL, target: URL, { silenceMs, signal }: { silenceMs: number; signal: AbortSignal | undefined }): Promise<Socket> {
  if (proxy.protocol !== 'http:') throw new MemgitError('REMOTE_UNREACHABLE', 'expected the address of a proxy to begin with http://; this one is not supported without git');
  const authority = `${target.hostname}:${target.port || '443'}`;
  const request = http.request({
    host: proxy.hostname,
    port: proxy.port || 80,
    method: 'CONNECT',
    path: authority,
    headers: { host: authority, ...proxyHeaders(proxy) },
    agent: false,
    ...(signal ? { signal } : {}),
  });
  const patience = new Patience(silenceMs, (reason) => request.destroy(reason));
  return new Promise((resolve, reject) => {
    request.once('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) {
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(new MemgitError('REMOTE_UNREACHABLE', `expected the proxy to let the connection through, got its status ${statusCode ?? 0}`, { details: { status: statusCode ?? 0 } }));
    });
    // A proxy that answers as a web server does.
    request.once('response', ({ statusCode }) => {
      request.destroy();
      reject(new MemgitError('REMOTE_UNREACHABLE', 'expected a proxy that opens tunnels, got another server', { details: { status: statusCode ?? 0 } }));
    });
    request.once('error', reject);
    request.once('close', () => {
      patience.stop();
      reject(new Error('closed'));
    });
    request.end();
  });
}
