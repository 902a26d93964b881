/**
 * A git server over HTTP and HTTPS as people run them: `git http-backend` behind nginx, by way of fcgiwrap, with basic
 * authentication and a certificate of a test authority. Repositories stand in one folder and are reached by their names.
 */
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answers, freePort, PROGRAMS, Running } from './programs.ts';

export const USERNAME = 'backup';

export interface HttpServer {
  readonly token: string;
  /** The certificate of the authority that the server's certificate comes from. */
  readonly caFile: string;
  url(name: string, scheme?: 'http' | 'https'): string;
  stop(): Promise<void>;
}

/** @param folder where configuration and logs go; @param repositories what is served */
export async function startHttpServer(folder: string, repositories: string): Promise<HttpServer> {
  mkdirSync(folder, { recursive: true });
  const token = randomBytes(16).toString('hex');
  const ports = { http: await freePort(), https: await freePort() };
  const socket = join(folder, 'fcgi.sock');
  const { caFile, certificate, key } = makeCertificates(folder);
  writeFileSync(join(folder, 'users'), `${USERNAME}:${hashPassword(token)}\n`);
  writeFileSync(join(folder, 'nginx.conf'), configuration({ folder, repositories, socket, ports, certificate, key }));
  const fcgi = new Running(PROGRAMS.fcgiwrap, ['-f', '-s', `unix:${socket}`, '-c', '2']);
  await fcgi.ready(() => existsSync(socket));
  const nginx = new Running(PROGRAMS.nginx, ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log'), '-p', folder]);
  await nginx.ready(async () => (await answers(ports.http)) && answers(ports.https));
  return {
    token,
    caFile,
    url: (name, scheme = 'http') => `${scheme}://localhost:${ports[scheme]}/${name}`,
    stop: async () => {
      await nginx.stop();
      await fcgi.stop();
    },
  };
}

interface Settings {
  readonly folder: string;
  readonly repositories: string;
  readonly socket: string;
  readonly ports: { readonly http: number; readonly https: number };
  readonly certificate: string;
  readonly key: string;
}

function configuration({ folder, repositories, socket, ports, certificate, key }: Settings): string {
  return `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  client_max_body_size 0;
  server {
    listen 127.0.0.1:${ports.http};
    listen 127.0.0.1:${ports.https} ssl;
    ssl_certificate ${certificate};
    ssl_certificate_key ${key};
    location / {
      auth_basic "backups";
      auth_basic_user_file ${folder}/users;
      fastcgi_pass unix:${socket};
      fastcgi_param SCRIPT_FILENAME ${PROGRAMS['git-http-backend']};
      fastcgi_param GIT_PROJECT_ROOT ${repositories};
      fastcgi_param GIT_HTTP_EXPORT_ALL 1;
      fastcgi_param GIT_CONFIG_COUNT 1;
      fastcgi_param GIT_CONFIG_KEY_0 safe.directory;
      fastcgi_param GIT_CONFIG_VALUE_0 *;
      fastcgi_param HTTP_GIT_PROTOCOL $http_git_protocol;
      fastcgi_param PATH_INFO $uri;
      fastcgi_param REMOTE_USER $remote_user;
      fastcgi_param REQUEST_METHOD $request_method;
      fastcgi_param QUERY_STRING $query_string;
      fastcgi_param CONTENT_TYPE $content_type;
      fastcgi_param CONTENT_LENGTH $content_length;
    }
  }
}
`;
}

/** A scheme of nginx's own that needs no crypt(3). */
function hashPassword(password: string): string {
  return `{SHA}${createHash('sha1').update(password).digest('base64')}`;
}

function makeCertificates(folder: string): { caFile: string; certificate: string; key: string } {
  const file = (name: string): string => join(folder, name);
  const openssl = (...args: string[]): void => {
    execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  };
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...fresh, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=memgit test authority');
  openssl('req', ...fresh, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=localhost');
  writeFileSync(file('extensions'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  openssl('x509', '-req', '-in', 'server.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'extensions', '-out', 'server.pem');
  return { caFile: file('ca.pem'), certificate: file('server.pem'), key: file('server.key') };
}
