// Talks to the endpoints `queues` and `locks`.

/** What the server answered instead of what was asked for, in words for the reader. */
export class ApiError extends Error {
  constructor(status, body) {
    super(body?.message || WORDS[status] || `The server answered with status ${status}.`);
    this.status = status;
    this.error = body?.error;
    this.parameter = body?.parameter;
    this.body = body;
  }
}

/** Neither the server nor Redis has answered; any other answer is one. */
export function isAway({ status }) {
  return !status || status >= 500;
}

const WORDS = {
  0: 'The server does not answer. This page tries again every five seconds.',
  401: 'You are not signed in any more. Load the page again to sign in.',
  403: 'You are not allowed to do this.',
  404: 'There is no such thing any more.',
  405: 'This is switched off on the server.',
};

let roots = { queues: 'queues', locks: 'locks' };

let skewMillis = 0;

/** The time of the server, whatever the clock of the reader says. */
export function now() {
  return new Date(Date.now() + skewMillis);
}

export const config = { write: false, payloads: false, stacks: false, version: '' };

export async function loadConfig() {
  const loaded = await request('GET', here('redelay/config'));
  roots = { queues: loaded.queues, locks: loaded.locks };
  Object.assign(config, loaded);
}

/** Links of the page's server are relative to the page, so that it works behind a proxy that takes a prefix away. */
function here(path) {
  return new URL(path, document.baseURI.replace(/[#?].*$/, ''));
}

/** A path whose values are escaped: path`queues/${queue}/messages/${id}`. Its first segment names the endpoint. */
export function path(texts, ...values) {
  // These two would lead out of the endpoint, however they are escaped.
  const up = values.find(value => value === '.' || value === '..');
  if (up !== undefined) {
    throw new ApiError(404, { message: `Nothing can be named “${up}”.` });
  }
  return texts.reduce((joined, text, i) => joined + text + (i < values.length ? encodeURIComponent(values[i]) : ''), '');
}

/** A read that takes longer has missed its refresh. The server gives up after three seconds without an answer of Redis. */
const READ_MILLIS = 5000;

export function get(endpointPath, params, signal) {
  const limits = [signal, AbortSignal.timeout?.(READ_MILLIS)].filter(Boolean);
  return request('GET', address(endpointPath, params), undefined, limits.length > 1 && AbortSignal.any ? AbortSignal.any(limits) : signal);
}

export function post(endpointPath, body, params) {
  return request('POST', address(endpointPath, params), body || {});
}

export function del(endpointPath, params) {
  return request('DELETE', address(endpointPath, params));
}

function address(endpointPath, params) {
  const [, root, rest] = /^(queues|locks)(.*)$/.exec(endpointPath);
  const url = here(roots[root].replace(/\/$/, '') + rest);
  const pairs = params instanceof URLSearchParams ? params.entries() : Object.entries(params || {});
  for (const [name, value] of pairs) {
    if (value !== null && value !== undefined && value !== '') {
      url.searchParams.append(name, value);
    }
  }
  return url;
}

async function request(method, url, body, signal) {
  const headers = { Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest' };
  const token = /(?:^|;\s*)XSRF-TOKEN=([^;]*)/.exec(document.cookie);
  if (method !== 'GET' && token) {
    headers['X-XSRF-TOKEN'] = decodeURIComponent(token[1]);
  }
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
  }
  let response;
  try {
    response = await fetch(url, {
      method, headers, signal, credentials: 'same-origin', cache: 'no-store', body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (failure) {
    if (failure.name === 'AbortError') {
      throw failure;
    }
    throw new ApiError(0);
  }
  const json = /\bjson\b/.test(response.headers.get('Content-Type') || '');
  let parsed;
  try {
    parsed = json ? await response.json() : undefined;
  } catch (cutOff) {
    if (cutOff.name === 'AbortError') {
      throw cutOff;
    }
    throw new ApiError(response.ok ? 0 : response.status);
  }
  if (!response.ok) {
    throw new ApiError(response.status, parsed);
  }
  const serverTime = Date.parse(parsed?.time);
  if (!Number.isNaN(serverTime)) {
    skewMillis = serverTime - Date.now();
  }
  if (!json && response.status !== 204) {
    // A form to sign in is what is sent instead of JSON when a session has ended.
    throw new ApiError(401);
  }
  return parsed;
}
